import { optionsOf, refuseMore } from "../../base/diag/index.ts";
import { compare, or } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { mostArrivals } from "../sync/index.ts";
import { syncThreads } from "../sync/synchronize.ts";
import { cluster } from "../threads/cluster.ts";
import { failHere } from "../trace/fail-here.ts";
import { type HasStructure, OwnObject, ownClass, type Structure, structure } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { Barriers, type ConsumerStage, ConsumerStageObject, type ProducerStage, ProducerStageObject } from "./stages.ts";

/** The stages of a pipeline, and who fills and empties them. W2601, W5009, W5010. */
export interface PipelineOptions {
  /** How many stages the pipeline has. Static. */
  readonly stages: number;
  /** Arrivals that fill a stage, beside the bytes. Default 1. */
  readonly producers?: number;
  /** Arrivals that empty a stage. Default 1. */
  readonly consumers?: number;
  /** Blocks of the cluster that fill each other's stages by multicast: 1 (the default), or all of them. A release reaches all of them. */
  readonly peers?: number;
}

const pipelineOptions = optionsOf<PipelineOptions>("new Pipeline()", {
  stages: true,
  producers: true,
  consumers: true,
  peers: true,
});

interface InitOptions {
  /** Whether the block (with peers the cluster) meets at the end. Default true. */
  readonly sync?: boolean;
}
const initOptions = optionsOf<InitOptions>("init()", { sync: true });

/** A pipeline that is there already: what a branch or a loop gives back. */
class Existing {
  readonly producers: number;
  readonly consumers: number;
  readonly barriers: Barriers;
  constructor(producers: number, consumers: number, barriers: Barriers) {
    this.producers = producers;
    this.consumers = consumers;
    this.barriers = barriers;
  }
}

function readNumber(what: string, given: unknown, most: number): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= most) return given;
  return failHere("W5009", { what, given: describe(given), most });
}

function readPeers(trace: Trace, given: unknown): number {
  const size = trace.options.launch.cluster.reduce((n, extent) => n * extent, 1);
  const peers = readNumber("peers", given, mostArrivals);
  if (peers !== 1 && peers !== size) failHere("W5010", { peers, size });
  return peers;
}

/**
 * Stages between producers and consumers, used again and again: an mbarrier that completes when a stage is full and one that completes when it is
 * empty, for each stage, and the phases. W5009, W5010.
 */
export class Pipeline extends OwnObject implements HasStructure {
  readonly #producers: number;
  readonly #consumers: number;
  readonly #barriers: Barriers;

  constructor(options: PipelineOptions);
  constructor(options: Partial<PipelineOptions> | Existing = {}) {
    refuseMore(Pipeline, arguments);
    super();
    const trace = currentTrace("new Pipeline");
    if (options instanceof Existing) {
      [this.#producers, this.#consumers, this.#barriers] = [options.producers, options.consumers, options.barriers];
      return;
    }
    checkOptionsHere(options, pipelineOptions);
    const stages = readNumber("stages", options.stages, mostArrivals);
    const peers = readPeers(trace, options.peers ?? 1);
    this.#producers = readNumber("producers", options.producers ?? 1, mostArrivals);
    this.#consumers = readNumber("consumers", options.consumers ?? 1, Math.floor(mostArrivals / peers));
    this.#barriers = new Barriers(stages, peers);
  }

  /**
   * One thread initialises the barriers and fences; then the block meets (the whole cluster, with peers). Every thread calls it.
   * `sync: false`: they do not meet. Before anybody uses the pipeline, the author lets them: `syncThreads()`, or with peers
   * `cluster.arrive({ relaxed: true })` and `cluster.wait()`; once for several pipelines, or after other work.
   */
  init(options: InitOptions = {}): void {
    const trace = currentTrace("init");
    checkOptionsHere(options, initOptions);
    const { region } = trace.inRegion([], () => {
      this.#initBarriers();
      trace.emit("fence.mbarrier_init", {}, {});
      trace.emit("yield", { values: [] }, {});
    });
    const { region: nothing } = trace.inRegion([], () => trace.emit("yield", { values: [] }, {}));
    trace.emit("if", { condition: isFirstThread(trace) }, {}, { types: [], regions: [region, nothing] });
    if (options.sync ?? true) this.#meet();
  }

  #initBarriers(): void {
    const { full, empty, stages, peers } = this.#barriers;
    for (let i = 0; i < stages; i++) {
      full.at(i).init(this.#producers);
      empty.at(i).init(this.#consumers * peers);
    }
  }

  /** The fence has published what was initialised, so that the cluster's barrier need not: a releasing one costs a fence of the whole GPU. */
  #meet(): void {
    if (this.#barriers.peers === 1) syncThreads();
    else {
      cluster.arrive({ relaxed: true });
      cluster.wait();
    }
  }

  /** Where producers begin: the first stage, as if the pipeline had been emptied once. Stages are values: a loop carries them like numbers. */
  producer(): ProducerStage {
    return ProducerStageObject.first(currentTrace("producer"), this.#barriers);
  }

  /** Where consumers begin: the first stage. */
  consumer(): ConsumerStage {
    return ConsumerStageObject.first(currentTrace("consumer"), this.#barriers);
  }

  get [structure](): Structure {
    const [producers, consumers] = [this.#producers, this.#consumers];
    return {
      shape: `pipeline ${producers} ${consumers}`,
      leaves: [this.#barriers],
      rebuild: ([barriers]) => Reflect.construct(Pipeline, [new Existing(producers, consumers, barriers as Barriers)]),
      describe: this.#barriers[structure].describe,
    };
  }
}

/** Thread 0 of the block. */
function isFirstThread(trace: Trace): Value {
  const [, by, bz] = trace.options.launch.block;
  const id = (axis: "x" | "y" | "z"): Value => trace.once("sreg", {}, { reg: `tid.${axis}` });
  let sum = id("x");
  if (by > 1) sum = or(trace, sum, id("y"));
  if (bz > 1) sum = or(trace, sum, id("z"));
  return compare(trace, "eq", sum, 0);
}

ownClass(Pipeline);
