import type { Value } from "../../ir/index.ts";
import { failHere } from "../fail-here.ts";
import type { Mbarrier, MbarrierObject, Mbarriers } from "../mbarrier/index.ts";
import { compare, toInt } from "../memory/arith.ts";
import { lift, liftIndex } from "../numbers/lift.ts";
import { describe } from "../numbers/operands.ts";
import { scalar } from "../scalar.ts";
import { type HasStructure, OwnObject, type Structure, structure } from "../staged.ts";
import { currentTrace, type Trace } from "../trace.ts";
import type { Barriers } from "./barriers.ts";
import { type Distance, type Ring, ringOf } from "./ring.ts";

/** A place in a ring: a value, like a number. */
export interface Stage<Self> {
  /** i32, from 0 to stages - 1. */
  readonly index: number;
  /** What `wait` waits for: see `Mbarrier.wait`. It flips each time the ring starts anew. */
  readonly parity: boolean;
  /** The place `by` stages after this one (default 1, at least 0; may be more than the ring has); this one is unchanged. W5011. */
  next(by?: number): Self;
}

/** Where a producer is. */
export interface ProducerStage extends Stage<ProducerStage> {
  /** Waits until the stage is empty. */
  wait(): void;
  /** `wait`, then one arrival that expects `bytes`; gives the barrier to load onto. W5004. */
  acquire(bytes: number): Mbarrier;
  /** One arrival from each thread that calls it: the stage was filled by ordinary stores. */
  commit(options?: { pred?: boolean }): void;
  /** Waits until every stage has been released: before a block of a cluster exits. */
  drain(): void;
}

/** Where a consumer is. */
export interface ConsumerStage extends Stage<ConsumerStage> {
  /** Waits until the stage is full. */
  wait(): void;
  /**
   * One arrival from each thread that calls it: the stage may be filled again. With peers it reaches all of them, one arrival after
   * the other; with `rank` that block alone, so that one thread for each block can share the work. W5008.
   */
  release(options?: { pred?: boolean; rank?: number }): void;
}

function readDistance(trace: Trace, by: unknown): Distance {
  const given = liftIndex(by, "the distance to another stage");
  if (typeof given === "object") return toInt(trace, given, "i32");
  if (given < 0) failHere("W5011", { by: describe(by) });
  return Number(given);
}

/** What both sides have: the barriers, and a place in the ring. */
abstract class StageObject<Self> extends OwnObject implements Stage<Self>, HasStructure {
  protected abstract readonly side: "producer" | "consumer";
  protected readonly barriers: Barriers;
  readonly #place: readonly Value[];

  constructor(barriers: Barriers, place: readonly Value[]) {
    super();
    this.barriers = barriers;
    this.#place = place;
  }

  protected abstract at(barriers: Barriers, place: readonly Value[]): Self;

  get #ring(): Ring {
    return ringOf(this.barriers.stages);
  }

  get index(): number {
    return scalar(this.#ring.index(currentTrace("index"), this.#place));
  }

  get parity(): boolean {
    const trace = currentTrace("parity");
    return scalar(compare(trace, "ne", this.#ring.phase(trace, this.#place), 0));
  }

  next(by = 1): Self {
    const trace = currentTrace("next");
    return this.at(this.barriers, this.#ring.after(trace, this.#place, readDistance(trace, by)));
  }

  /** This stage's barrier among those. */
  protected barrier(of: Mbarriers): MbarrierObject {
    return of.at(this.index) as MbarrierObject;
  }

  protected waitFor(of: Mbarriers): void {
    const trace = currentTrace("wait");
    trace.emit("mbarrier.wait", { bar: this.barrier(of).address, parity: this.#ring.phase(trace, this.#place) }, {});
  }

  get [structure](): Structure {
    return {
      shape: `${this.side}'s stage`,
      leaves: [this.barriers, ...this.#place.map((v) => scalar(v))],
      rebuild: ([barriers, ...place]) =>
        this.at(
          barriers as Barriers,
          place.map((v) => lift(v, "i32", "a stage of a pipeline")),
        ),
      describe: `a ${this.side}'s stage of ${this.barriers[structure].describe}`,
    };
  }
}

/** See `ProducerStage`. It begins as if the ring had been emptied once. */
export class ProducerStageObject extends StageObject<ProducerStage> implements ProducerStage {
  protected readonly side = "producer";

  static first(trace: Trace, barriers: Barriers): ProducerStage {
    return new ProducerStageObject(barriers, ringOf(barriers.stages).begin(trace, 1));
  }

  protected at(barriers: Barriers, place: readonly Value[]): ProducerStage {
    return new ProducerStageObject(barriers, place);
  }

  wait(): void {
    this.waitFor(this.barriers.empty);
  }

  acquire(bytes: number): Mbarrier {
    this.wait();
    const full = this.barrier(this.barriers.full);
    full.arrive({ tx: bytes });
    return full;
  }

  commit(options: { pred?: boolean } = {}): void {
    this.barrier(this.barriers.full).arrive(options);
  }

  drain(): void {
    let place: ProducerStage = this;
    for (let i = 0; i < this.barriers.stages; i++, place = place.next()) place.wait();
  }
}

/** See `ConsumerStage`. */
export class ConsumerStageObject extends StageObject<ConsumerStage> implements ConsumerStage {
  protected readonly side = "consumer";

  static first(trace: Trace, barriers: Barriers): ConsumerStage {
    return new ConsumerStageObject(barriers, ringOf(barriers.stages).begin(trace, 0));
  }

  protected at(barriers: Barriers, place: readonly Value[]): ConsumerStage {
    return new ConsumerStageObject(barriers, place);
  }

  wait(): void {
    this.waitFor(this.barriers.full);
  }

  release(options: { pred?: boolean; rank?: number } = {}): void {
    const empty = this.barrier(this.barriers.empty);
    const { peers } = this.barriers;
    if (options.rank !== undefined || peers === 1) empty.arrive(options);
    else for (let rank = 0; rank < peers; rank++) empty.arrive({ ...options, rank });
  }
}
