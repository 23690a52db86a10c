/** One launch while it runs: a few clusters at a time, more when those that run do not get on without them. */
import { makeError, WarpsmithError } from "../../diag/index.ts";
import { KernelFault } from "../machine/fault.ts";
import { Cluster, type Warp } from "../machine/warp.ts";
import { badAccessError } from "./bad-access.ts";
import { findStuck, reportParted } from "./deadlock.ts";
import type { LaunchState } from "./launch-state.ts";
import { type Progress, runCluster } from "./scheduler.ts";

/** Rounds without a cluster that ends after which one more is let in. */
const patience = 2000;
/** Rounds without an effect, and rounds at all, after which an operation under way lands, however late it may. */
const idleRounds = 4;
const longRounds = 64;
/** So many times as many where turns may be short. */
const shortTurns = 16;
/** Rounds in which waits are refused in vain, after which there is a deadlock. */
const refusals = 4;
/** Instructions that may run all the same without an effect, before the waits are held to be in vain. */
const doubt = 2 ** 18;

/** Whence clusters come where several threads run those of one launch. */
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
  #warp: Warp | undefined;
  #source: ClusterSource | undefined;

  /** `resident`: blocks that are on the machine at the same time. Without a source it runs all clusters. */
  constructor(launch: LaunchState, resident: number, source?: ClusterSource) {
    this.launch = launch;
    this.#source = source;
    const [x, y, z] = launch.clusters;
    this.total = x * y * z;
    this.#resident = Math.max(1, Math.floor(resident / (launch.cluster[0] * launch.cluster[1] * launch.cluster[2])));
  }

  /** Clusters that have begun. */
  get begun(): number {
    return this.#next;
  }

  /** From now on others begin clusters; told of those that are over. */
  handOver(ended: ClusterSource["ended"]): void {
    const still = new Set(this.#active.map((cluster) => cluster.number));
    for (let number = 0; number < this.#next; number++) if (!still.has(number)) ended(number);
    this.#source = { take: () => undefined, ended };
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
    return this.#withElection(this.launch.reports?.error() ?? this.#placed(error));
  }

  #withElection(error: unknown): unknown {
    const elected = this.launch.adversary?.elected;
    if (elected === undefined || !(error instanceof WarpsmithError)) return error;
    return error.saying(`  under this schedule ${elected}`);
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

  #nextCluster(): number | undefined {
    if (this.#next >= this.total) return undefined;
    const number = this.launch.adversary?.nextCluster(this.total) ?? this.#next;
    this.#next += 1;
    return number;
  }

  /** As many at a time as the schedule wants. */
  #admitMore(): void {
    for (let more = this.launch.adversary?.resident(this.#resident) ?? 1; more > this.#active.length; )
      if (!this.#admit()) return;
  }

  #runWarps(progress: Progress): void {
    const { adversary, program } = this.launch;
    adversary?.awaited.clear();
    const before = (warp: Warp): void => {
      this.#warp = warp;
    };
    // Where nothing goes on, nobody is held up: what stands still then is stuck.
    const calm = this.#active.some((cluster) => cluster.impatient);
    if (adversary && !calm) adversary.runRound(this.#active, program.steps, progress, before);
    else for (const cluster of this.#active) runCluster(cluster, program.steps, progress, before);
    this.#warp = undefined;
  }

  #round(): void {
    const progress: Progress = { ran: false, effect: false, spent: 0 };
    this.#runWarps(progress);
    const before = this.#active.length;
    this.#active = this.#active.filter((cluster) => {
      const { done } = cluster;
      if (done) this.launch.monitor?.clusterEnds(cluster);
      if (done) this.#source?.ended(cluster.number);
      return !done;
    });
    this.launch.queue.tick();
    if (this.#active.length < before) {
      this.#rounds = 0;
      this.#admitMore();
    } else if (++this.#rounds >= patience && this.#admit()) return;
    if (progress.effect) this.#vain = this.#spent = 0;
    else this.#spend(progress.spent);
    // Threads that look again and again never stand still, and yet may wait for what is under way.
    this.#idle = progress.effect ? 0 : this.#idle + 1;
    const factor = this.launch.adversary ? shortTurns : 1;
    const long = longRounds * factor;
    if (this.#idle >= idleRounds * factor || this.#rounds % long === long - 1) this.launch.queue.landOne();
    if (!progress.ran && this.launch.adversary?.release()) return;
    if (!progress.ran || this.#active.some((cluster) => cluster.impatient)) this.#stalled(progress);
  }

  /** Threads that go round and round without an effect: others may be let in, operations may land; in the end there is no hope. */
  #spend(instructions: number): void {
    this.#spent += instructions;
    if (this.#spent <= this.launch.stepBudget) return;
    this.#spent = 0;
    if (this.launch.queue.landOne() || this.#admit()) return;
    const { kernel, waiters, spans } = findStuck(this.launch, this.#active);
    throw makeError("W9004", { kernel, waiters }, spans);
  }

  /** Nothing can go on, but what was refused might. */
  #stalled(progress: Progress): void {
    const impatient = (to: boolean) => {
      for (const cluster of this.#active) cluster.impatient = to;
    };
    impatient(false);
    if (this.#active.length === 0 || progress.effect) return;
    const { queue, adversary } = this.launch;
    if (queue.landOne(adversary?.awaited) || this.#admit()) return;
    this.#vain += 1;
    if (this.#vain > refusals && (!progress.ran || this.#spent > doubt)) throw this.#deadlock();
    impatient(true);
  }

  #deadlock(): WarpsmithError {
    // Once more, so that who looks again and again stands where it looks.
    this.#runWarps({ ran: false, effect: false, spent: 0 });
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
      const opcode = program.instructions[warp.at]?.opcode;
      const named = error.bad && opcode && badAccessError(warp, error.bad, opcode.form);
      if (named) return named.at(spans);
      const where = `warp ${warp.index} of block (${warp.block.index.join(", ")})`;
      return makeError("W9003", { kernel: program.name, reason: error.reason, where }, spans);
    }
    return error instanceof WarpsmithError && spans.length > 0 ? error.at(spans) : error;
  }
}
