import { optionsOf } from "../../base/diag/index.ts";
import { compare, toInt } from "../../ir/arith.ts";
import { expectNatural } from "../checks/expect-natural.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { lift, liftIndex } from "../numbers/lift.ts";
import { type Mbarrier, type MbarrierObject, type Mbarriers, mbarriersOf } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { scalar } from "../trace/scalar.ts";
import { type HasStructure, OwnObject, ownMethods, type Structure, structure } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { type Distance, firstState, type PipelineState, stateAfter } from "./state.ts";

interface CommitOptions {
  /** Where false, this thread does not arrive. Default true. */
  pred?: boolean;
}
const commitOptions = optionsOf<CommitOptions>("commit()", { pred: true });
interface ReleaseOptions extends CommitOptions {
  /** With peers: the block of the cluster to tell. Default: all of them. W5008. */
  rank?: number;
}
const releaseOptions = optionsOf<ReleaseOptions>("release()", { pred: true, rank: true });

/** A stage of a pipeline, and the phase it is in: a value, like a number. */
export interface Stage<Self> {
  /** i32, from 0 to stages - 1. */
  readonly index: number;
  /** What `wait` waits for: see `Mbarrier.wait`. It flips each time the first stage comes again. */
  readonly parity: boolean;
  /** The stage `by` stages after this one (default 1, at least 0; may be more than the pipeline has); this one is unchanged. One of the GPU is checked with `debug`. W5011. */
  next(by?: number): Self;
}

/** Where a producer is. */
export interface ProducerStage extends Stage<ProducerStage> {
  /** Waits until the stage is empty. */
  wait(): void;
  /** `wait`, then one arrival that expects `bytes`; gives the barrier to load onto. W5004. */
  acquire(bytes: number): Mbarrier;
  /** One arrival from each thread that calls it: the stage was filled by ordinary stores. */
  commit(options?: CommitOptions): void;
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
  release(options?: ReleaseOptions): void;
}

function readDistance(trace: Trace, by: unknown): Distance {
  const what = "the distance to another stage";
  const given = liftIndex(by, what);
  if (typeof given === "object") {
    expectNatural(given, what);
    return toInt(trace, given, "i32");
  }
  if (given < 0) failHere("W5011", { by: describe(by) });
  return Number(given);
}

/** The barriers of a pipeline, by stage: one that completes when the stage is full, one when it is empty. */
export class Barriers extends OwnObject implements HasStructure {
  readonly stages: number;
  readonly peers: number;
  readonly full: Mbarriers;
  readonly empty: Mbarriers;

  constructor(stages: number, peers: number, full = mbarriersOf(stages, "full"), empty = mbarriersOf(stages, "empty")) {
    super();
    this.stages = stages;
    this.peers = peers;
    this.full = full;
    this.empty = empty;
  }

  get [structure](): Structure {
    return {
      shape: `pipeline of ${this.stages} for ${this.peers}`,
      leaves: [this.full, this.empty],
      rebuild: ([full, empty]) => new Barriers(this.stages, this.peers, full as Mbarriers, empty as Mbarriers),
      describe: `a pipeline of ${this.stages} stages`,
    };
  }
}

/** What both sides have: the barriers, and the stage that they are at. */
abstract class StageObject<Self> extends OwnObject implements Stage<Self>, HasStructure {
  protected abstract readonly side: "producer" | "consumer";
  protected readonly barriers: Barriers;
  readonly #state: PipelineState;

  constructor(barriers: Barriers, state: PipelineState) {
    super();
    this.barriers = barriers;
    this.#state = state;
  }

  protected abstract at(barriers: Barriers, state: PipelineState): Self;

  get index(): number {
    return scalar(this.#state.index);
  }

  get parity(): boolean {
    return scalar(compare(currentTrace("parity"), "ne", this.#state.phase, 0));
  }

  next(by = 1): Self {
    const trace = currentTrace("next");
    return this.at(this.barriers, stateAfter(trace, this.#state, readDistance(trace, by), this.barriers.stages));
  }

  /** This stage's barrier among those. */
  protected barrier(of: Mbarriers): MbarrierObject {
    return of.at(this.index) as MbarrierObject;
  }

  protected waitFor(of: Mbarriers): void {
    currentTrace("wait").emit("mbarrier.wait", { bar: this.barrier(of).address, parity: this.#state.phase }, {});
  }

  get [structure](): Structure {
    return {
      shape: `${this.side}'s stage`,
      leaves: [this.barriers, scalar(this.#state.index), scalar(this.#state.phase)],
      rebuild: ([barriers, index, phase]) =>
        this.at(barriers as Barriers, { index: lift(index, "i32", "a stage"), phase: lift(phase, "i32", "a stage's phase") }),
      describe: `a ${this.side}'s stage of ${this.barriers[structure].describe}`,
    };
  }
}

/** See `ProducerStage`. It begins as if the pipeline had been emptied once. */
export class ProducerStageObject extends StageObject<ProducerStage> implements ProducerStage {
  protected readonly side = "producer";

  static first(trace: Trace, barriers: Barriers): ProducerStage {
    return new ProducerStageObject(barriers, firstState(trace, 1));
  }

  protected at(barriers: Barriers, state: PipelineState): ProducerStage {
    return new ProducerStageObject(barriers, state);
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

  commit(options: CommitOptions = {}): void {
    checkOptionsHere(options, commitOptions);
    this.barrier(this.barriers.full).arrive(options);
  }

  drain(): void {
    let stage: ProducerStage = this;
    for (let i = 0; i < this.barriers.stages; i++, stage = stage.next()) stage.wait();
  }
}
ownMethods(ProducerStageObject);

/** See `ConsumerStage`. */
export class ConsumerStageObject extends StageObject<ConsumerStage> implements ConsumerStage {
  protected readonly side = "consumer";

  static first(trace: Trace, barriers: Barriers): ConsumerStage {
    return new ConsumerStageObject(barriers, firstState(trace, 0));
  }

  protected at(barriers: Barriers, state: PipelineState): ConsumerStage {
    return new ConsumerStageObject(barriers, state);
  }

  wait(): void {
    this.waitFor(this.barriers.full);
  }

  release(options: ReleaseOptions = {}): void {
    checkOptionsHere(options, releaseOptions);
    const empty = this.barrier(this.barriers.empty);
    const { peers } = this.barriers;
    if (options.rank !== undefined || peers === 1) empty.arrive(options);
    else for (let rank = 0; rank < peers; rank++) empty.arrive({ ...options, rank });
  }
}
ownMethods(ConsumerStageObject);
