// Products of matrices through the pipeline for warpgroups: a warpgroup copies by TMA, the others multiply.
import { tensorCorePipeline, type WgmmaPipelineOptions } from "warpsmith/schedule";
import { programOf } from "../schedule/program-of.ts";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

/** What a case multiplies. `order`: whether A, and B, lie as they are multiplied ("n") or the other way ("t"). */
interface Product {
  readonly shape: readonly [m: number, n: number, k: number];
  readonly order?: "nn" | "nt" | "tn" | "tt";
  readonly dtype?: "f16" | "bf16";
}

const sidesOf = ({ shape: [m, n, k], order = "nn" }: Product) => ({
  a: order[0] === "n" ? [m, k] : [k, m],
  b: order[1] === "n" ? [k, n] : [n, k],
});

export function textOf(product: Product): string {
  const { shape, order = "nn", dtype = "f16" } = product;
  const { a, b } = sidesOf(product);
  const [left, right] = [order[0] === "n" ? "A[vi][vk]" : "A[vk][vi]", order[1] === "n" ? "B[vk][vj]" : "B[vj][vk]"];
  return `import { f32 } from "warpsmith";
import { type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program(
  { A: [${a}], B: [${b}], C: [${shape[0]}, ${shape[1]}] },
  function product(A: Buffer<"${dtype}", 2>, B: Buffer<"${dtype}", 2>, C: Buffer<"f32", 2>) {
    for (const [i, j, k] of grid(${shape}))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => { C[vi][vj] = 0; });
        C[vi][vj] += f32(${left}) * f32(${right});
      });
  },
);
`;
}

function wgmmaCase(name: string, product: Product, options: Partial<WgmmaPipelineOptions> = {}): Case {
  const all: WgmmaPipelineOptions = { instruction: "wgmma", tile: [128, 64, 64], workgroup: [128, 2, 1], depth: 3, ...options };
  const kernel = tensorCorePipeline(programOf(textOf(product)), all).schedule.kernel();
  return defineCase(`schedules/wgmma-${name}`, kernel, () => {
    const { shape, order = "nn", dtype = "f16" } = product;
    const [m, n, k] = shape;
    const sides = sidesOf(product);
    const [a, b] = [integers(m * k, -3, 3, 1), integers(k * n, -3, 3, 2)];
    const left = (i: number, r: number): number => a[order[0] === "n" ? i * k + r : r * m + i] ?? 0;
    const right = (r: number, j: number): number => b[order[1] === "n" ? r * n + j : j * k + r] ?? 0;
    const wanted = Array.from({ length: m * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      let sum = 0;
      for (let r = 0; r < k; r++) sum += left(i, r) * right(r, j);
      return sum;
    });
    return { args: [input(dtype, sides.a, a), input(dtype, sides.b, b), output("f32", [m, n], wanted)] };
  });
}

export const scheduleWgmmaCases: readonly Case[] = [
  wgmmaCase("plain", { shape: [128, 64, 128] }, { workgroup: [128, 1, 1], depth: 2 }),
  wgmmaCase("persistent", { shape: [384, 192, 192] }, { blocks: 4, swizzle: 2 }),
  wgmmaCase("waiting", { shape: [256, 128, 128] }, { blocks: 3, wait: 0, depth: 2 }),
  wgmmaCase("one-trip", { shape: [128, 128, 64] }, { blocks: 1 }),
  wgmmaCase("nt", { shape: [128, 96, 128], order: "nt" }, { tile: [128, 96, 64] }),
  wgmmaCase("tn", { shape: [256, 64, 128], order: "tn" }, { tile: [256, 64, 64] }),
  wgmmaCase("tt", { shape: [128, 72, 128], order: "tt", dtype: "bf16" }, { tile: [128, 72, 64] }),
  wgmmaCase("bf16", { shape: [192, 128, 192], dtype: "bf16" }, { tile: [192, 128, 64], workgroup: [128, 3, 1], depth: 2 }),
];
