/** Products of matrices as plain loops, for pipelines to warpgroups. */
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { programOf } from "../../../schedule/program-of.ts";

export interface WarpgroupProduct {
  readonly shape: readonly [m: number, n: number, k: number];
  /** Whether A, and B, lie as they are multiplied ("n") or the other way ("t"). Default: "nn". */
  readonly order?: "nn" | "nt" | "tn" | "tt";
  /** Default: f16. */
  readonly dtype?: "f16" | "bf16";
  /** With f16 the result is relu of the sums. Default: f32, the sums. */
  readonly result?: "f32" | "f16";
}

export function warpgroupProduct({ shape, order = "nn", dtype = "f16", result = "f32" }: WarpgroupProduct): Program {
  const [m, n, k] = shape;
  const [a, left] = order[0] === "n" ? [`${m}, ${k}`, "A[vi][vk]"] : [`${k}, ${m}`, "A[vk][vi]"];
  const [b, right] = order[1] === "n" ? [`${k}, ${n}`, "B[vk][vj]"] : [`${n}, ${k}`, "B[vj][vk]"];
  const to = result === "f32" ? "C" : "S";
  return programOf(`import { f16, f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program({ A: [${a}], B: [${b}], C: [${m}, ${n}] }, function product(A: Buffer<"${dtype}", 2>, B: Buffer<"${dtype}", 2>, C: Buffer<"${result}", 2>) {
  ${to === "S" ? `const S = alloc("f32", [${m}, ${n}], "global");` : ""}
  for (const [i, j, k] of grid(${m}, ${n}, ${k}))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => { ${to}[vi][vj] = 0; });
      ${to}[vi][vj] += f32(${left}) * f32(${right});
    });
  ${
    to === "S"
      ? `for (const [i, j] of grid(${m}, ${n}))
    block("relu", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { C[vi][vj] = f16(Math.max(S[vi][vj], 0)); });`
      : ""
  }
});`);
}
