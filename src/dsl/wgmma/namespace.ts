import { optionsOf } from "../../base/diag/index.ts";
import { first } from "../../ir/arith.ts";
import type { MatrixType } from "../../ir/index.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { checkOptionsHere, checkShape, describe } from "../numbers/describe.ts";
import { readPending } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { OwnObject, ownClass, ownNamespace } from "../trace/staged.ts";
import { readTile } from "../trace/staged-tile.ts";
import { currentTrace } from "../trace/trace.ts";
import { type Accumulator, AccumulatorObject, type AccumulatorType } from "./accumulator.ts";
import { loadTile } from "./load.ts";
import { makeOperand, type Operand } from "./operand.ts";
import { registerOperand } from "./register-operand.ts";
import { checkColumns, checkRows } from "./sharing.ts";
import { makeSparse } from "./sparse.ts";

interface SharingOptions {
  /** Neighbouring warpgroups that share the rows evenly. Default 1: each has its own matrix. W6116. */
  warpgroups?: number;
}
const accumulatorOptions = optionsOf<SharingOptions>("WGMMAMatrix.accumulator()", { warpgroups: true });
const sparseOptions = optionsOf<SharingOptions>("WGMMAMatrix.sparse()", { warpgroups: true });
const loadOptions = optionsOf<SharingOptions>("WGMMAMatrix.load()", { warpgroups: true });
interface DescriptorOptions {
  /**
   * Which dimension has neighbours in memory: K ("k"), or M of A and N of B ("mn"). It follows from the view; given, it is checked. W6107.
   */
  major?: "k" | "mn";
}
const descriptorOptions = optionsOf<DescriptorOptions>("WGMMAMatrix.descriptor()", { major: true });

/**
 * Matrices for `wgmma`. All 128 threads of a warpgroup call everything here together. Shapes are [rows, columns].
 *
 * @example
 * ```ts
 * const product = kernel({ block: 128, grid: 1 }, (a: Tensor<"f16", 2>, d: Tensor<"f32", 2>) => {
 *   const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
 *   for (const e of range(threadIdx.x, 4096, 128)) tile.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load());
 *   fence.proxyAsync();
 *   syncThreads();
 *   const A = WGMMAMatrix.descriptor(tile, [64, 64]);
 *   const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
 *   let D = WGMMAMatrix.accumulator("f32", [64, 64]);
 *   D = D.mma(A, B, { wait: 0 });
 *   D.store(d);
 * });
 *
 * await using gpu = await openDevice();
 * product.launch({}, gpu.zeros("f16", [64, 64]), gpu.zeros("f32", [64, 64]));
 * ```
 */
export abstract class WGMMAMatrix extends OwnObject {
  private constructor() {
    super();
  }

  /**
   * An operand in shared memory. A leading dimension of the view is chosen with `.at(stage)`. `major`: derived from the view (use
   * `transpose()`); given, it is checked. W3025, W6101–W6108.
   */
  static descriptor(view: SharedView, shape: readonly [number, number], options: DescriptorOptions = {}): Operand {
    checkOptionsHere(options, descriptorOptions);
    checkShape(shape, "The shape of WGMMAMatrix.descriptor");
    return makeOperand(view, shape, options.major);
  }

  /**
   * Zero. `warpgroups: n` shares the rows out evenly over n neighbouring warpgroups that all run here; default 1, each has its own
   * matrix. W6110, W6111, W6115, W6116.
   */
  static accumulator(dtype: AccumulatorType, shape: readonly [number, number], options: SharingOptions = {}): Accumulator {
    const trace = currentTrace("WGMMAMatrix.accumulator");
    checkOptionsHere(options, accumulatorOptions);
    const sharing = options.warpgroups ?? 1;
    checkShape(shape, "The shape of WGMMAMatrix.accumulator");
    const [rows, cols] = shape;
    if (!["f32", "f16", "i32"].includes(dtype)) failHere("W6115", { dtype: String(dtype) });
    checkRows(trace, "an accumulator", rows, sharing);
    checkColumns(cols, dtype === "i32");
    const type: MatrixType = { kind: "tile", dtype, shape: [rows, cols], layout: { kind: "wgmma", warpgroups: sharing } };
    return new AccumulatorObject(first(trace.emit("tile.zero", {}, {}, { types: [type] })), type);
  }

  /**
   * A matrix as it lies in shared memory (by ldmatrix where it fits) or global memory, spread over the threads as an accumulator is:
   * for `zip`, `map` and `store`. Its shape is static: [a multiple of 64 for each warpgroup, a multiple of 8 up to 256]. What lies
   * outside a tensor is 0. W6110, W6111, W6116, W6125.
   */
  static load(view: SharedView | Tensor, options: SharingOptions = {}): Accumulator {
    const trace = currentTrace("WGMMAMatrix.load");
    checkOptionsHere(options, loadOptions);
    return loadTile(trace, view, options.warpgroups ?? 1);
  }

  /**
   * A sparse left operand, a view of shared memory or a tile [M, K / 2], which goes to registers as by `fromRegisters`: of every four elements of a row along K two are stored, in their order (of tf32 one of every two), and `metadata` says which. It is
   * a view of u16 [M, K / 16], of tf32 [M, K / 8]: 4 bits for each chunk, the first one lowest, hold the places of its two elements, the first in the lower two bits; of tf32 0b0100 is the
   * first and 0b1110 the second of a chunk. The right operand has a swizzle of 64 or 128 bytes. `warpgroups` as the accumulator has it. PTX ISA 9.7.15.6. W6101–W6108, W6110, W6114, W6123, W6125, W6127, W6128.
   */
  static sparse(matrix: SharedView | Accumulator | number, metadata: SharedView | Tensor, options: SharingOptions = {}): Operand {
    const trace = currentTrace("WGMMAMatrix.sparse");
    checkOptionsHere(options, sparseOptions);
    return makeSparse(trace, matrix, metadata, options.warpgroups);
  }

  /**
   * A left operand from registers: a tile of f16, bf16, tf32, e4m3, e5m2, i8 or u8, such as `D.convert("f16")` or `f16(p)`. One that lies otherwise is converted as by `tile.convertLayout`:
   * of 16-bit types to the layout of accumulators, of others to the `DotOperandLayout` of one, for which lanes exchange elements. W6104, W6114, W6123, W6125.
   */
  static fromRegisters(matrix: Accumulator | number): Operand {
    const trace = currentTrace("WGMMAMatrix.fromRegisters");
    const given = readTile(matrix) ?? failHere("W6114", { given: describe(matrix) });
    return registerOperand(trace, given);
  }
}
ownClass(WGMMAMatrix);

/** The order of wgmma's operations, by hand. `mma` already fences and commits. PTX ISA 9.7.15.7. */
export const wgmma = ownNamespace({
  /**
   * Orders accesses to the registers and shared memory of products before the next one. All 128 threads call it. PTX
   * `wgmma.fence.sync.aligned`.
   */
  fence(): void {
    currentTrace("wgmma.fence").emit("wgmma.fence", {}, {});
  },
  /** Closes the group of products issued so far. All 128 threads call it. PTX `wgmma.commit_group.sync.aligned`. */
  commit(): void {
    currentTrace("wgmma.commit").emit("wgmma.commit_group", {}, {});
  },
  /** Waits until at most `pending` committed groups of this warpgroup are unfinished. PTX `wgmma.wait_group.sync.aligned`. W4510. */
  wait(pending: number): void {
    currentTrace("wgmma.wait").emit("wgmma.wait_group", {}, { pending: readPending(pending, "the number of pending groups") });
  },
});
