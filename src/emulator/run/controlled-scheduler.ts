/**
 * Runs warps in the order and in the pieces that a schedule chooses. It is fair: a warp that is held up goes on after a number of rounds,
 * at the latest when no other warp can.
 */
import { traitsOf } from "../../ptx/parse/index.ts";
import type { Choices } from "../machine/choices.ts";
import { lanes } from "../machine/lanes.ts";
import { type Cluster, partOf, type Split, type Warp } from "../machine/warp.ts";
import { describeWarp } from "../machine/where.ts";
import type { SegmentStep, Step } from "../program/step.ts";
import { merge, nextSplit, type Round, take, turnSteps } from "./scheduler.ts";

/** Answers to "turn": 0 is a whole one, then its steps, then the rounds that the warp is held up for. */
const longestCut = 64;
const holds = [1, 4, 16, 64, 256, 4096] as const;
const turns = longestCut + holds.length;

/** Answers to "sleep": rounds. */
const sleeps = [0, 1, 4, 16, 64] as const;
/** Waits that a warp gives up at most before one passes. */
const mostRefusals = 3;
/** Clusters from which the next one is chosen, and that run at a time at most. */
const clusterWindow = 32;
const mostResident = 8;

/** Lanes that part from the others where nothing parts them. */
const parts: readonly number[] = [0, 0xffff, 0x55555555, 1, 0x80000000, 0x00ff00ff, 0x0f0f0f0f, 0xff, 0x7fffffff];

/** Orders of lanes, as strides and beginnings; odd strides come by every lane. */
const laneOrders: readonly (readonly number[])[] = [
  [1, 0],
  [31, 31],
  [5, 0],
  [11, 7],
  [1, 16],
  [29, 3],
  [13, 21],
  [17, 9],
].map(([stride = 1, first = 0]) => Array.from({ length: lanes }, (_, i) => (first + i * stride) % lanes));

/** Whether the order of lanes can be seen: a segment ends with its only access to memory that others may share. */
function writes({ instructions }: SegmentStep): boolean {
  const { access } = traitsOf(instructions.at(-1));
  return access !== undefined && access !== "load";
}

/** The same segment, with its lanes one by one in another order. */
function inOrder(step: SegmentStep, order: readonly number[]): SegmentStep {
  const ordered =
    (run: SegmentStep["run"]): SegmentStep["run"] =>
    (warp, mask) => {
      for (const lane of order) if ((mask >>> lane) & 1) run(warp, 1 << lane);
    };
  return { ...step, run: ordered(step.run), careful: ordered(step.careful) };
}

const countOf = (mask: number): number => {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
};

function nthLane(mask: number, n: number): number {
  let rest = mask;
  for (let i = 0; i < n; i += 1) rest &= rest - 1;
  return 31 - Math.clz32(rest & -rest);
}

/** Decides for one launch what the machine leaves open, as its schedule says. */
export class ControlledScheduler {
  readonly #choices: Choices;
  /** The round in which a warp that is held up goes on. */
  readonly #held = new Map<Warp, number>();
  readonly #refusals = new Map<Warp, number>();
  readonly #leaders = new Map<Warp, Map<number, number>>();
  readonly #electsAny: boolean;
  #elected: string | undefined;
  /** Numbers of clusters that may be next. */
  readonly #waiting: number[] = [];
  /** What waits were refused for in this round: mbarriers, groups. */
  readonly awaited = new Set<object>();
  #numbered = 0;
  #round = 0;

  /** `electsAny`: `elect.sync` elects any lane, as the manual allows; else the lowest, as the hardware does (docs/hardware.md). */
  constructor(choices: Choices, electsAny: boolean) {
    this.#choices = choices;
    this.#electsAny = electsAny;
  }

  /** Of the first election of another lane than the hardware elects, what a report says; undefined where there was none. */
  get elected(): string | undefined {
    return this.#elected;
  }

  /** The lane that `elect.sync` elects: always the same of one mask in one warp. */
  leader(warp: Warp, mask: number): number {
    if (!this.#electsAny) return nthLane(mask, 0);
    const known = this.#leaders.get(warp) ?? new Map<number, number>();
    this.#leaders.set(warp, known);
    const leader = known.get(mask) ?? nthLane(mask, this.#choices.pick("leader", countOf(mask)));
    known.set(mask, leader);
    if (leader !== nthLane(mask, 0))
      this.#elected ??= `elect.sync elected lane ${leader} of ${describeWarp(warp)}, which the manual allows; the hardware elects the lowest, lane ${nthLane(mask, 0)}`;
    return leader;
  }

  /** Whether a wait comes back without success, though it could go on or be parked: at most three times between two that pass. */
  givesUp(warp: Warp): boolean {
    const refused = this.#refusals.get(warp) ?? 0;
    if (refused >= mostRefusals || this.#choices.pick("try-wait", 2) === 0) return false;
    this.#refusals.set(warp, refused + 1);
    return true;
  }

  /** A wait of this warp has passed. */
  passes(warp: Warp): void {
    this.#refusals.delete(warp);
  }

  /** A wait for this was refused. */
  awaits(what: object | undefined): void {
    if (what) this.awaited.add(what);
  }

  sleeps(warp: Warp): void {
    const rounds = sleeps[this.#choices.pick("sleep", sleeps.length)] ?? 0;
    if (rounds > 0) this.#held.set(warp, this.#round + rounds);
  }

  /** The number of the cluster that begins next, of those from 0 to `total`; undefined where all have begun. */
  nextCluster(total: number): number | undefined {
    while (this.#waiting.length < clusterWindow && this.#numbered < total) this.#waiting.push(this.#numbered++);
    const [next] = this.#waiting.splice(this.#choices.pick("cluster", this.#waiting.length), 1);
    return next;
  }

  /** Clusters that are to run at a time, of at most so many. */
  resident(most: number): number {
    return 1 + this.#choices.pick("resident", Math.min(most, mostResident));
  }

  /** Nobody is held up any more. Gives whether somebody was. */
  release(): boolean {
    const some = this.#held.size > 0;
    this.#held.clear();
    return some;
  }

  /** A turn of each warp that is not held up. */
  runRound(clusters: readonly Cluster[], steps: readonly Step[], round: Round): void {
    const { spinning, before } = round;
    this.#round += 1;
    for (const [warp, until] of this.#held) if (until <= this.#round) this.#held.delete(warp);
    const goesOn = (warp: Warp): boolean => warp.live !== 0 && !this.#held.has(warp) && !spinning?.rests(warp);
    const warps = clusters.flatMap((cluster) => cluster.warps).filter(goesOn);
    const order = this.#choices.pick("order", 2 * warps.length);
    const ordered = order & 1 ? warps.reverse() : warps;
    for (let i = 0; i < ordered.length; i += 1) {
      const warp = ordered[(i + (order >> 1)) % ordered.length];
      if (!warp || warp.live === 0) continue;
      before(warp);
      this.#turn(warp, steps, round);
    }
  }

  #turn(warp: Warp, steps: readonly Step[], round: Round): void {
    const turn = this.#choices.pick("turn", turns);
    const hold = holds[turn - longestCut];
    if (hold !== undefined) {
      this.#held.set(warp, this.#round + hold);
      return;
    }
    for (const split of warp.splits) split.waiting = false;
    this.#part(warp);
    this.#run(warp, steps, round, turn || turnSteps);
    if (warp.splits.every((split) => split.tired || split.waiting)) for (const split of warp.splits) split.tired = false;
  }

  /** Takes steps until all splits wait. */
  #run(warp: Warp, steps: readonly Step[], { progress, spinning }: Round, turn: number): void {
    const most = spinning?.begins(warp, progress, turn) ?? turn;
    for (let taken = 0; taken < most && !this.#held.has(warp); ) {
      const split = this.#next(warp);
      if (!split) break;
      if (spinning?.recurs(warp, split)) continue;
      const step = steps[split.pc];
      take(warp, split, step && this.#chosen(step), progress);
      spinning?.took(progress);
      // What was refused has taken no step.
      if (!split.waiting) taken += 1;
      if (warp.splits.length > 1) merge(warp, (a, b) => this.#meets(a, b, steps));
      if (taken === most && warp.splits.length > 1) split.tired = true;
    }
    spinning?.ends(warp, progress);
  }

  #next(warp: Warp): Split | undefined {
    const usual = nextSplit(warp);
    if (!usual || warp.splits.length === 1) return usual;
    const others = warp.splits.filter((split) => !split.waiting && split !== usual);
    const picked = this.#choices.pick("split", 1 + others.length);
    return picked === 0 ? usual : others[picked - 1];
  }

  /** Lanes that others wait for join them; all others may stay apart. */
  #meets(a: Split, b: Split, steps: readonly Step[]): boolean {
    const step = steps[a.pc];
    const must = a.waiting || b.waiting || (step?.kind === "operation" && step.converged);
    return must || this.#choices.pick("meet", 2) === 0;
  }

  #chosen(step: Step): Step {
    if (step.kind !== "segment" || !writes(step)) return step;
    const order = this.#choices.pick("lanes", laneOrders.length);
    return order === 0 ? step : inOrder(step, laneOrders[order] ?? []);
  }

  #part(warp: Warp): void {
    const lanesOf = parts[this.#choices.pick("part", parts.length)] ?? 0;
    const split = warp.splits.find((each) => !each.token);
    const apart = split ? split.mask & lanesOf : 0;
    if (split && apart !== 0 && apart !== split.mask) partOf(warp, split, apart);
  }
}
