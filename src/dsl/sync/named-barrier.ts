import { describe } from "../numbers/describe.ts";
import { lift } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { type HasStructure, OwnObject, own, ownMethods, type Structure, structure } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { takeNamed } from "./barrier-numbers.ts";

/** One of the barriers of the block, for so many of its threads. */
export interface NamedBarrier {
  /** Arrives, and waits for the others. All threads of a warp together. */
  sync(): void;
  /** Arrives without waiting. All threads of a warp together. */
  arrive(): void;
}

class NamedBarrierObject extends OwnObject implements NamedBarrier, HasStructure {
  readonly id: unknown;
  readonly count: number;

  constructor(id: unknown, count: number) {
    super();
    this.id = id;
    this.count = count;
  }

  sync(): void {
    currentTrace("sync").emit("bar.sync", { id: readId(this.id) }, { count: this.count });
  }

  arrive(): void {
    currentTrace("arrive").emit("bar.arrive", { id: readId(this.id) }, { count: this.count });
  }

  get [structure](): Structure {
    return {
      shape: `barrier for ${this.count}`,
      leaves: [this.id],
      rebuild: ([id]) => new NamedBarrierObject(id, this.count),
      describe: `a barrier for ${this.count} threads`,
    };
  }
}
ownMethods(NamedBarrierObject);

/** Threads of a warp. */
const warp = 32;

const readId = (id: unknown) => lift(id, "i32", "the number of a barrier");

/**
 * Barrier `id` (1 to 15; 0 is `syncThreads`) for `count` threads, a static multiple of 32. The id may be staged, such as `1 + wg`: the
 * same in all threads of a warp. Warpgroups that meet by themselves take 15, 14, … downwards. PTX ISA 9.7.13.1. W2010, W3023, W3024, W6522.
 *
 * @example
 * ```ts
 * const halves = kernel({ block: 128, grid: 1 }, (x: Tensor<"i32", 1>) => {
 *   const s = sharedMemory.alloc("i32", [128]);
 *   const half = warp.index >> 1; // 0 or 1: each half has a number of its own
 *   s[threadIdx.x] = x[threadIdx.x]!;
 *   namedBarrier(1 + half, 64).sync();
 *   x[threadIdx.x] = s[threadIdx.x ^ 63]!;
 * });
 *
 * await using gpu = await openDevice();
 * halves.launch({}, gpu.zeros("i32", [128]));
 * ```
 */
export const namedBarrier = own(function namedBarrier(id: number, count: number): NamedBarrier {
  const trace = currentTrace("namedBarrier");
  const { block } = trace.options.launch;
  const threads = block.reduce((n, extent) => n * extent, 1);
  if (isStagedScalar(id)) readId(id);
  else if (!Number.isInteger(id) || id < 1 || id > 15) failHere("W3023", { id: describe(id) });
  const most = Math.ceil(threads / warp) * warp;
  if (!Number.isInteger(count) || count < warp || count > most || count % warp !== 0)
    failHere("W3024", { count: isStagedScalar(count) ? "a number on the GPU" : String(count), most });
  if (!isStagedScalar(id)) takeNamed(trace, id);
  return new NamedBarrierObject(id, count);
});
