/** One launch while it runs: a few clusters at a time, more when those that run do not get on without them. */

import { inPtxWords, type Span, saying, WarpsmithError } from "../../base/diag/index.ts";
import { makeError } from "../errors/index.ts";
import { KernelFault } from "../machine/fault.ts";
import { Cluster, type Warp } from "../machine/warp.ts";
import { hasTrait } from "../program/traits.ts";
import { badAccessError } from "./bad-access.ts";
import { findStuck, reportParted } from "./deadlock.ts";
import type { LaunchState } from "./launch-state.ts";
import { Doubts, noProgress, type Progress } from "./progress.ts";
import { runCluster } from "./scheduler.ts";
import { Spinning } from "./spinning.ts";

/** Rounds without a cluster that ends after which one more is let in. */
const patience = 2000;
/** Instructions of each warp without an effect after which a kernel that listens to other blocks gets more of them. */
const unheard = 2 ** 12;
/** Rounds without an effect, and rounds at all, after which an operation under way lands, however late it may. */
const idleRounds = 4;
const longRounds = 64;
/** Under a schedule turns may be short: then this many times as many rounds pass before that. */
const shortTurns = 16;
/** After this many rounds in which every wait is refused, there is a deadlock. */
const refusals = 4;
/** While warps still run, it is no deadlock before this many instructions without an effect. */
const doubt = 2 ** 18;

/** Where clusters come from when several threads run one launch. */
export interface ClusterSource {
  /** The next one; undefined where there is none left. */
  take(): number | undefined;
  /** One that was taken is over. */
  ended(number: number): void;
}

export class GridRun {
  readonly launch: LaunchState;
  readonly total: number;
  readonly #resident: number;
  #active: Cluster[] = [];
  #next = 0;
  #rounds = 0;
  #vain = 0;
  /** Instructions since others could last notice something. */
  #spent = 0;
  #idle = 0;
  /** Of `#spent`, when clusters were last let in for those that listen. */
  #asked = 0;
  #warp: Warp | undefined;
  #source: ClusterSource | undefined;
  /** Where others run clusters of this launch, too, nobody here knows whether somebody will change what a loop reads. */
  #spinning: Spinning | undefined;
  readonly #doubts = new Doubts();

  /** `resident`: blocks that are on the machine at the same time. Without a source it runs all clusters. */
  constructor(launch: LaunchState, resident: number, source?: ClusterSource) {
    this.launch = launch;
    this.#source = source;
    if (!source) this.#spinning = new Spinning(launch.program);
    const [x, y, z] = launch.clusters;
    this.total = x * y * z;
    this.#resident = Math.max(1, Math.floor(resident / (launch.cluster[0] * launch.cluster[1] * launch.cluster[2])));
  }

  /** Clusters that have begun. */
  get begun(): number {
    return this.#next;
  }

  /** Clusters that are over, of those that have begun here. */
  get over(): number {
    return this.#next - this.#active.length;
  }

  /** Where one of the warps is that are not done. */
  get at(): Span | undefined {
    const warp = this.#active.flatMap(({ warps }) => warps).find(({ live }) => live !== 0);
    return warp && this.launch.program.placeOf(warp.at)[0];
  }

  /** From now on others begin clusters; told of those that are over. */
  handOver(ended: ClusterSource["ended"]): void {
    const still = new Set(this.#active.map((cluster) => cluster.number));
    for (let number = 0; number < this.#next; number++) if (!still.has(number)) ended(number);
    this.#source = { take: () => undefined, ended };
    this.#spinning = undefined;
  }

  /** From now on no cluster begins, until `goOn`. */
  hold(): void {
    this.#source = { take: () => undefined, ended: () => {} };
  }

  /** As `run`, of those that have begun; the launch goes on. What is under way lands. */
  settle(late: () => boolean): boolean {
    try {
      while (this.#active.length > 0) {
        this.#round();
        if (late()) return false;
      }
      while (this.launch.queue.landOne());
      return true;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** Clusters begin again, from one on; others have run those before. */
  goOn(next = this.#next): void {
    this.#source = undefined;
    this.#next = next;
  }

  /** Runs until it is done, or `late` says so; gives whether it is done. Throws what the kernel did wrong, with its place. */
  run(late: () => boolean): boolean {
    try {
      while (this.#admitIfIdle()) {
        this.#round();
        if (late()) return false;
      }
      this.#end();
      return true;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** What is still under way lands, too. */
  #end(): void {
    const { queue, monitor, reports } = this.launch;
    while (queue.landOne());
    monitor?.launchEnds();
    const error = reports?.error();
    if (error) throw error;
  }

  /** What the checks have found is more likely the reason than what came of it. */
  #explained(error: unknown): unknown {
    const found = this.launch.reports?.error() ?? this.#placed(error);
    return this.#withElection(this.launch.program.foreign && found instanceof WarpsmithError ? inPtxWords(found) : found);
  }

  #withElection(error: unknown): unknown {
    const elected = this.launch.scheduler?.elected;
    if (elected === undefined || !(error instanceof WarpsmithError)) return error;
    return saying(error, `  under this schedule ${elected}`);
  }

  #admitIfIdle(): boolean {
    if (this.#active.length === 0 && this.#admit()) this.#admitMore();
    return this.#active.length > 0;
  }

  #admit(): boolean {
    if (this.#active.length >= this.#resident) return false;
    const number = this.#source ? this.#source.take() : this.#nextCluster();
    if (number === undefined) return false;
    this.#active.push(new Cluster(this.launch, number));
    this.#rounds = 0;
    return true;
  }

  /** Begins one more cluster. Where warps spin, it doubles their number, so that the spinning warps are not run again for each new one. */
  #letIn(): boolean {
    const begun = this.#active.length;
    const most = this.#spinning?.any ? 2 * begun : begun + 1;
    while (this.#active.length < most && this.#admit()) {}
    return this.#active.length > begun;
  }

  #nextCluster(): number | undefined {
    if (this.#next >= this.total) return undefined;
    const number = this.launch.scheduler?.nextCluster(this.total) ?? this.#next;
    this.#next += 1;
    return number;
  }

  /** As many at a time as the schedule wants; all of a cooperative launch. */
  #admitMore(): void {
    const { workspace, scheduler } = this.launch;
    const wanted = workspace === 0 ? (scheduler?.resident(this.#resident) ?? 1) : this.total;
    for (let more = wanted; more > this.#active.length; ) if (!this.#admit()) return;
  }

  #runWarps(progress: Progress): void {
    const { scheduler, program } = this.launch;
    scheduler?.awaited.clear();
    const before = (warp: Warp): void => {
      this.#warp = warp;
    };
    // Where nothing goes on, nobody is held up: what stands still then is stuck.
    const calm = this.#active.some((cluster) => cluster.impatient);
    const round = { progress, spinning: this.#spinning, before };
    this.#spinning?.nextRound();
    if (scheduler && !calm) scheduler.runRound(this.#active, program.steps, round);
    else for (const cluster of this.#active) runCluster(cluster, program.steps, round);
    this.#warp = undefined;
  }

  #round(): void {
    const progress = noProgress(this.#doubts.careful);
    this.#runWarps(progress);
    const before = this.#active.length;
    this.#active = this.#active.filter((cluster) => {
      const { done } = cluster;
      if (done) this.launch.monitor?.clusterEnds(cluster);
      if (done) this.#source?.ended(cluster.number);
      return !done;
    });
    const { queue } = this.launch;
    if (queue.tick() || progress.effect) this.#spinning?.changed();
    const nearer = this.#active.length < before;
    if (this.#spinning) this.#doubts.after(progress, nearer);
    if (nearer) {
      this.#rounds = 0;
      this.#admitMore();
    } else if (++this.#rounds >= patience && this.#admit()) return;
    if (progress.effect) this.#vain = this.#spent = this.#asked = 0;
    else this.#spend(progress.spent);
    // Threads that poll never stand still, and yet may wait for an operation under way.
    this.#idle = progress.effect ? 0 : this.#idle + 1;
    const factor = this.launch.scheduler ? shortTurns : 1;
    const long = longRounds * factor;
    if (this.#idle >= idleRounds * factor || this.#rounds % long === long - 1) this.#landOne();
    if (!progress.ran && (this.#spinning?.wake() || this.launch.scheduler?.release())) return;
    if (!progress.ran || this.#active.some((cluster) => cluster.impatient)) this.#stalled(progress);
  }

  /** Counts what threads run without an effect. When it is too much, further clusters begin or operations land; when neither helps, the launch fails. */
  #spend(instructions: number): void {
    this.#spent += instructions;
    const warps = this.#active.reduce((n, cluster) => n + cluster.warps.length, 0);
    if (this.#spinning && this.#spent - this.#asked > unheard * warps && hasTrait(this.launch.program, "pollsBlocks")) {
      this.#asked = this.#spent;
      this.#letIn();
    }
    if (this.#spent <= this.launch.stepBudget) return;
    this.#spent = this.#asked = 0;
    if (!this.#landOne() && !this.#letIn()) throw this.#vainLoop();
  }

  #landOne(awaited?: ReadonlySet<object>): boolean {
    const landed = this.launch.queue.landOne(awaited);
    if (landed) this.#spinning?.changed();
    return landed;
  }

  #vainLoop(): WarpsmithError {
    const { kernel, waiters, spans } = findStuck(this.launch, this.#active);
    return makeError("W9004", { kernel, waiters }, spans);
  }

  /** Nothing can go on, but what was refused might. */
  #stalled(progress: Progress): void {
    const impatient = (to: boolean) => {
      for (const cluster of this.#active) cluster.impatient = to;
    };
    impatient(false);
    if (this.#active.length === 0 || progress.effect) return;
    if (this.#landOne(this.launch.scheduler?.awaited) || this.#letIn()) return;
    this.#vain += 1;
    if (this.#vain > refusals && (!progress.ran || this.#spent > doubt))
      throw this.#spinning?.any ? this.#vainLoop() : this.#deadlock();
    impatient(true);
  }

  #deadlock(): WarpsmithError {
    // Once more, so that each warp that polls stands at the instruction that it polls with.
    this.#runWarps(noProgress());
    reportParted(this.launch, this.#active);
    const { kernel, waiters, spans } = findStuck(this.launch, this.#active);
    return this.launch.reports?.causeOf("W9001") ?? makeError("W9001", { kernel, waiters }, spans);
  }

  #placed(error: unknown): unknown {
    const warp = this.#warp;
    if (!warp) return error;
    const { program } = this.launch;
    const spans = program.placeOf(warp.at);
    if (error instanceof KernelFault) {
      const i = program.instructions[warp.at];
      const named = error.bad && i && badAccessError(warp, error.bad, i);
      if (named) return named.at(spans);
      const where = `warp ${warp.index} of block (${warp.block.index.join(", ")})`;
      return makeError("W9003", { kernel: program.name, reason: error.reason, where }, spans);
    }
    return error instanceof WarpsmithError && spans.length > 0 ? error.at(spans) : error;
  }
}
