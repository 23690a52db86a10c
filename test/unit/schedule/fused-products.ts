/** Products with something done to their results, scheduled for warpgroups: what tests of fused products run. */
import { type BlockRef, type LoopRef, Schedule } from "warpsmith/schedule";
import { programOf } from "../../schedule/program-of.ts";

/** How a product is computed, and what becomes of it. */
export interface Fused {
  readonly shape: readonly [m: number, n: number, k: number];
  readonly tile: readonly [m: number, n: number];
  readonly consumers: number;
  /** The type of the result. */
  readonly result: "f32" | "f16" | "bf16";
  /** The result, of the sum `c` at `[vi][vj]`. Default: the sum. */
  readonly of?: string;
  /** Parameters that it reads, with their shapes. */
  readonly inputs?: Readonly<Record<string, { readonly type: string; readonly shape: readonly number[] }>>;
  /** How results are stored: the middle of an intrinsic's name. */
  readonly store: "wgmma_store" | "tma_store" | "tma_store_warp";
  /** Stages of a specialized loop; 0: none, and threads copy. */
  readonly stages: number;
  readonly blocks?: number;
}

const isHalf = (result: string): boolean => result !== "f32";

function textOf({ shape: [m, n, k], result, of = "c", inputs = {} }: Fused): string {
  const more = Object.entries(inputs);
  const shapes = more.map(([name, { shape }]) => `, ${name}: [${shape.join(", ")}]`).join("");
  const parameters = more.map(([name, { type, shape }]) => `, ${name}: Buffer<"${type}", ${shape.length}>`).join("");
  const value = of.replace(/\bc\b/g, "C[vi][vj]");
  return `import { bf16, f16, f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const fused = program({ A: [${m}, ${k}], B: [${k}, ${n}], D: [${m}, ${n}]${shapes} }, function fused(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, D: Buffer<"${result}", 2>${parameters}) {
  const C = alloc("f32", [${m}, ${n}], "global");
  for (const [i, j, k] of grid(${m}, ${n}, ${k}))
    block("product", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => { C[vi][vj] = 0; });
      C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
    });
  for (const [i, j] of grid(${m}, ${n}))
    block("result", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { D[vi][vj] = ${isHalf(result) ? `${result}(${value})` : value}; });
});`;
}

const last = (loops: readonly LoopRef[], n: number): LoopRef => {
  const found = loops.at(-n);
  if (!found) throw new Error("a loop is missing");
  return found;
};

/** The schedule, from the plain loops on. */
export function fusedSchedule(f: Fused): Schedule {
  const { tile, consumers, result, store, stages, blocks } = f;
  const [tm, tn] = tile;
  const rows = tm / consumers;
  const sch = new Schedule(programOf(textOf(f)));
  const product: BlockRef = sch.getBlock("product");
  const after: BlockRef = sch.getBlock("result");
  const [i, j, k] = sch.getLoops(product) as [LoopRef, LoopRef, LoopRef];
  const [io, ii] = sch.split(i, [null, tm]) as [LoopRef, LoopRef];
  const [jo, ji] = sch.split(j, [null, tn]) as [LoopRef, LoopRef];
  const [ko, ki] = sch.split(k, [null, 64]) as [LoopRef, LoopRef];
  const [wg, ir] = sch.split(ii, [consumers, null]) as [LoopRef, LoopRef];
  sch.reorder(io, jo, wg, ko, ir, ji, ki);
  const number = sch.fuse(io, jo);
  sch.bind(number, "blockIdx.x");
  sch.bind(wg, "threadIdx.y");
  const sums = sch.cacheWrite(product, 0, "wgmma.accumulator", wg);
  sch.reverseComputeInline(after);
  const out = sch.cacheWrite(sums, 0, "wgmma.accumulator", wg);
  for (const name of ["A", "B"]) {
    const copy = sch.cacheRead(product, name, "shared");
    sch.computeAt(copy, ko);
    sch.storageSwizzle(`${name}_shared`, "128B");
    sch.tensorize(last(sch.getLoops(copy), 2), name === "A" ? `tma_load_f16_${tm}x64_128B` : `tma_load_f16_64x${tn}_128B`);
  }
  const [zero, update] = sch.decomposeReduction(product, ko);
  sch.tensorize(last(sch.getLoops(zero), 2), `wgmma_fill_f32_${rows}x${tn}`);
  sch.tensorize(last(sch.getLoops(update), 3), `wgmma_sync_f16_f32_${rows}x${tn}x64_nn`);
  const [stem, by] = store === "tma_store_warp" ? ["tma_store", "_warp"] : [store, ""];
  sch.tensorize(last(sch.getLoops(out), 2), `${stem}_${result}_${rows}x${tn}${by}`);
  if (blocks !== undefined) sch.persist(number, blocks);
  if (stages > 0) sch.warpSpecialize(ko, { stages, wait: 1 });
  return sch;
}
