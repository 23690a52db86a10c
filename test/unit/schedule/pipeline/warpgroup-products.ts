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
  /** What is multiplied in the place of A, of its element `a` at `[vi][vk]`: made by a block before the product. Default: A. */
  readonly left?: string;
  /** The same of B and its element `b`, at `[vk][vj]`. */
  readonly right?: string;
}

/** A block that makes an operand of a parameter, and where the product reads it: of a product, `made` stands in the place of `name`. */
function madeOf(
  name: string,
  read: string,
  shape: string,
  of: string | undefined,
  dtype: string,
): readonly [block: string, read: string] {
  if (of === undefined) return ["", read];
  const made = `${name}_made`;
  const [x, y] = [...read.matchAll(/\[(\w+)\]/g)].map((found) => found[1]);
  const value = of.replace(new RegExp(`\\b${name.toLowerCase()}\\b`, "g"), `${name}[${x}][${y}]`);
  const block = `for (const [x, y] of grid(${shape}))
    block("make_${name}", { ${x}: spatial(x), ${y}: spatial(y) }, ({ ${x}, ${y} }) => { ${made}[${x}][${y}] = ${value}; });`;
  return [`const ${made} = alloc("${dtype}", [${shape}], "global");\n  ${block}`, read.replace(name, made)];
}

export function warpgroupProduct(product: WarpgroupProduct): Program {
  const { shape, order = "nn", dtype = "f16", result = "f32" } = product;
  const [m, n, k] = shape;
  const [a, ofA] = order[0] === "n" ? [`${m}, ${k}`, "A[vi][vk]"] : [`${k}, ${m}`, "A[vk][vi]"];
  const [b, ofB] = order[1] === "n" ? [`${k}, ${n}`, "B[vk][vj]"] : [`${n}, ${k}`, "B[vj][vk]"];
  const to = result === "f32" ? "C" : "S";
  const [makeA, left] = madeOf("A", ofA, a, product.left, dtype);
  const [makeB, right] = madeOf("B", ofB, b, product.right, dtype);
  return programOf(`import { bf16, f16, f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program({ A: [${a}], B: [${b}], C: [${m}, ${n}] }, function product(A: Buffer<"${dtype}", 2>, B: Buffer<"${dtype}", 2>, C: Buffer<"${result}", 2>) {
  ${to === "S" ? `const S = alloc("f32", [${m}, ${n}], "global");` : ""}
  ${makeA}
  ${makeB}
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
