/** Products of two warpgroups with something done to their sums: what tests of register maps run. */
import type { Program } from "warpsmith/schedule";
import { programOf } from "../../schedule/program-of.ts";

export interface Parts {
  /** Types of the result's registers and of the result. */
  readonly result?: string;
  /** More parameters: their shapes and how they are declared. */
  readonly shapes?: string;
  readonly more?: string;
  readonly alloc?: string;
  /** Stands between the products and the store. */
  readonly map: string;
  readonly store?: string;
  readonly columns?: number;
}

/** Products of two warpgroups, 64 rows each, something done to their sums, and a store. */
export function product({ result = "f32", shapes = "", more = "", alloc = "", map, store, columns = 64 }: Parts): Program {
  const stored =
    store ??
    `intrinsic("wgmma_store_${result}_64x${columns}", R.region([g * 64, 64], [0, ${columns}]), Z.region([g * 64, 64], [0, ${columns}]));`;
  return programOf(`import { alloc, bind, block, type Buffer, floorDiv, grid, intrinsic, program, spatial, unrolled, vectorized } from "warpsmith/schedule";
import { bf16, f16, f32, i32 } from "warpsmith";
export const fused = program({ X: [128, 64], Y: [${columns}, 64], Z: [128, ${columns}], ${shapes} }, function fused(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"${result}", 2>, ${more}) {
  const Xs = alloc("f16", [128, 64], "shared", { swizzle: "128B" });
  const Ys = alloc("f16", [${columns}, 64], "shared", { swizzle: "128B" });
  const C = alloc("f32", [128, ${columns}], "wgmma.accumulator");
  const R = alloc("${result}", [128, ${columns}], "wgmma.accumulator");
  ${alloc}
  for (const g of bind("threadIdx.y", 2)) {
    for (const a of grid(32))
      for (const x of bind("threadIdx.x", 128)) Xs[g * 64 + a * 2 + floorDiv(x, 64)][x % 64] = X[g * 64 + a * 2 + floorDiv(x, 64)][x % 64];
    for (const a of grid(${columns / 4}))
      for (const x of bind("threadIdx.x", 128)) Ys[a * 4 + g * 2 + floorDiv(x, 64)][x % 64] = Y[a * 4 + g * 2 + floorDiv(x, 64)][x % 64];
  }
  for (const g of bind("threadIdx.y", 2)) {
    intrinsic("wgmma_fill_f32_64x${columns}", C.region([g * 64, 64], [0, ${columns}]));
    intrinsic("wgmma_sync_f16_f32_64x${columns}x64_nt", Xs.region([g * 64, 64], [0, 64]), Ys.region([0, ${columns}], [0, 64]), C.region([g * 64, 64], [0, ${columns}]));
    ${map}
    ${stored}
  }
});`);
}

/** A nest over the registers of a warpgroup. */
export const over = (body: string, columns = 64): string => `for (const [i, j] of grid(64, ${columns})) ${body}`;
