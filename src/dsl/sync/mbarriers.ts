import { refuseMore } from "../../base/diag/index.ts";
import { first } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { operandOf } from "../memory/index-value.ts";
import { allocate } from "../memory/shared-memory.ts";
import { liftIndex } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { type HasStructure, OwnObject, ownClass, type Structure, structure, structureOf } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { type Mbarrier, MbarrierObject } from "./mbarrier.ts";

const bytesEach = 8;

/** Barriers that are there already: what a branch or a loop gives back. */
class Existing {
  readonly length: number;
  readonly base: Value;
  constructor(length: number, base: Value) {
    this.length = length;
    this.base = base;
  }
}

/** Barriers that are one part of what a variable is given: their name says which. */
export function mbarriersOf(count: number, part: string): Mbarriers {
  const trace = currentTrace("new Mbarriers");
  const { base } = allocate(trace, count * bytesEach, bytesEach, `mbarriers${trace.shared.length}`, part);
  return Reflect.construct(Mbarriers, [new Existing(count, base)]);
}

/**
 * Barriers in shared memory. Initialise from one thread, then `fence.mbarrierInit()` and `syncThreads()` (`cluster.sync()` in a
 * cluster). W5001.
 *
 * @example
 * ```ts
 * const load = kernel({ block: 64, grid: 1 }, (from: TMA<"f32", 2>, y: Tensor<"f32", 1>) => {
 *   const row = sharedMemory.alloc("f32", [1, 64], { align: 128 });
 *   const full = new Mbarriers(1).at(0);
 *   if (threadIdx.x === 0) {
 *     full.init(1);
 *     fence.mbarrierInit();
 *   }
 *   syncThreads();
 *   if (threadIdx.x === 0) {
 *     full.arrive({ tx: row.bytes });
 *     from.load(row, full, [0, 0]);
 *   }
 *   full.wait(false); // phase 0
 *   y[threadIdx.x] = row.at(0, threadIdx.x).load();
 * });
 *
 * await using gpu = await openDevice();
 * const x = gpu.zeros("f32", [4, 64]);
 * load.launch({}, new TMA(x, { box: [1, 64] }), gpu.zeros("f32", [64]));
 * ```
 */
export class Mbarriers extends OwnObject implements HasStructure {
  /** How many there are. Static. */
  readonly length: number;
  readonly #base: Value;

  constructor(count?: number);
  constructor(count: number | Existing = 1) {
    refuseMore(Mbarriers, arguments);
    super();
    const trace = currentTrace("new Mbarriers");
    if (count instanceof Existing) {
      this.length = count.length;
      this.#base = count.base;
      return;
    }
    if (!Number.isInteger(count) || count < 1)
      failHere("W5001", { given: typeof count === "number" ? String(count) : "a number on the GPU" });
    this.length = count;
    this.#base = allocate(trace, count * bytesEach, bytesEach, `mbarriers${trace.shared.length}`).base;
  }

  /** The barrier of that number, static or staged; a new handle each time. W5002. */
  at(i: number): Mbarrier {
    const trace = currentTrace("at");
    const index = liftIndex(i, "the index of an mbarrier");
    if (typeof index !== "object" && (index < 0 || index >= this.length))
      failHere("W5002", { index: Number(index), length: this.length });
    const operands = { base: this.#base, index: operandOf(trace, typeof index === "object" ? index : Number(index)) };
    return new MbarrierObject(first(trace.emit("mbarrier.at", operands, {})));
  }

  get [structure](): Structure {
    const { length } = this;
    const make = (base: Value): unknown => Reflect.construct(Mbarriers, [new Existing(length, base)]);
    return structureOf(this.#base, `mbarriers ${length}`, `${length} mbarriers`, make);
  }
}

ownClass(Mbarriers);
