// Products of matrices through the pipeline for warpgroups: a warpgroup copies by TMA, the others multiply.
import { tensorCorePipeline, type WgmmaPipelineOptions } from "warpsmith/schedule";
import { programOf } from "../schedule/program-of.ts";
import { type Case, defineCase, input, output, whenAsked } from "./case.ts";
import { integers } from "./numbers.ts";

/** What a case multiplies. `order`: whether A, and B, lie as they are multiplied ("n") or the other way ("t"). */
interface Product {
  readonly shape: readonly [m: number, n: number, k: number];
  readonly order?: "nn" | "nt" | "tn" | "tt";
  readonly dtype?: "f16" | "bf16";
  /** What is stored. With f16, relu of the sums. Default: f32, the sums. */
  readonly result?: "f32" | "f16";
  /** Relu of A is multiplied, computed in registers. */
  readonly reluOfA?: boolean;
}

const sidesOf = ({ shape: [m, n, k], order = "nn" }: Product) => ({
  a: order[0] === "n" ? [m, k] : [k, m],
  b: order[1] === "n" ? [k, n] : [n, k],
});

function textOf(product: Product): string {
  const { shape, order = "nn", dtype = "f16", result = "f32" } = product;
  const [to, m, n] = [result === "f32" ? "C" : "S", shape[0], shape[1]];
  const { a, b } = sidesOf(product);
  const { reluOfA = false } = product;
  const left = reluOfA ? "P[vi][vk]" : order[0] === "n" ? "A[vi][vk]" : "A[vk][vi]";
  const right = order[1] === "n" ? "B[vk][vj]" : "B[vj][vk]";
  return `import { f16, f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program(
  { A: [${a}], B: [${b}], C: [${m}, ${n}] },
  function product(A: Buffer<"${dtype}", 2>, B: Buffer<"${dtype}", 2>, C: Buffer<"${result}", 2>) {
    ${to === "S" ? `const S = alloc("f32", [${m}, ${n}], "global");` : ""}
    ${
      reluOfA
        ? `const P = alloc("${dtype}", [${a}], "global");
    for (const [i, k] of grid(${a}))
      block("relu_of_A", { vi: spatial(i), vk: spatial(k) }, ({ vi, vk }) => { P[vi][vk] = Math.max(A[vi][vk], 0); });`
        : ""
    }
    for (const [i, j, k] of grid(${shape}))
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
  },
);
`;
}

function wgmmaCase(name: string, product: Product, options: Partial<WgmmaPipelineOptions> = {}): Case {
  const all: WgmmaPipelineOptions = { instruction: "wgmma", tile: [128, 64, 64], workgroup: [128, 2, 1], depth: 3, ...options };
  const kernel = whenAsked(() => tensorCorePipeline(programOf(textOf(product)), all).schedule.kernel());
  return defineCase(`schedules/wgmma-${name}`, kernel, () => {
    const { shape, order = "nn", dtype = "f16", result = "f32", reluOfA = false } = product;
    const [m, n, k] = shape;
    const sides = sidesOf(product);
    const [a, b] = [integers(m * k, -3, 3, 1), integers(k * n, -3, 3, 2)];
    const elementOfA = (i: number, r: number): number => a[order[0] === "n" ? i * k + r : r * m + i] ?? 0;
    const left = (i: number, r: number): number => (reluOfA ? Math.max(elementOfA(i, r), 0) : elementOfA(i, r));
    const right = (r: number, j: number): number => b[order[1] === "n" ? r * n + j : j * k + r] ?? 0;
    const wanted = Array.from({ length: m * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      let sum = 0;
      for (let r = 0; r < k; r++) sum += left(i, r) * right(r, j);
      return result === "f32" ? sum : Math.max(sum, 0);
    });
    return { args: [input(dtype, sides.a, a), input(dtype, sides.b, b), output(result, [m, n], wanted)] };
  });
}

export const scheduleWgmmaCases: readonly Case[] = [
  wgmmaCase("plain", { shape: [128, 64, 128] }, { workgroup: [128, 1, 1], depth: 2 }),
  wgmmaCase("persistent", { shape: [384, 192, 192] }, { blocks: 4, swizzle: 2 }),
  wgmmaCase("waiting", { shape: [256, 128, 128] }, { blocks: 3, wait: 0, depth: 2 }),
  wgmmaCase("one-trip", { shape: [128, 128, 64] }, { blocks: 1 }),
  wgmmaCase("direct", { shape: [128, 128, 128] }, { stores: "thread" }),
  wgmmaCase("relu", { shape: [256, 128, 128], result: "f16" }, { blocks: 3, stores: "warp" }),
  wgmmaCase("nt", { shape: [128, 96, 128], order: "nt" }, { tile: [128, 96, 64] }),
  wgmmaCase("tn", { shape: [256, 64, 128], order: "tn" }, { tile: [256, 64, 64] }),
  wgmmaCase("tt", { shape: [128, 72, 128], order: "tt", dtype: "bf16" }, { tile: [128, 72, 64] }),
  wgmmaCase("padded", { shape: [200, 104, 72] }, { pad: true, tile: [128, 96, 64], blocks: 3, swizzle: 2 }),
  wgmmaCase("padded-relu", { shape: [136, 72, 136], result: "f16" }, { pad: true, tile: [128, 40, 64], stores: "warp" }),
  wgmmaCase("padded-direct", { shape: [72, 136, 64], order: "tt", dtype: "bf16" }, { pad: true, stores: "thread" }),
  // Rows of 44 f16 and of 37 f32 end inside 16 bytes: threads store them, into memory whose rows follow each other.
  wgmmaCase("odd-rows", { shape: [136, 44, 64], order: "nt", result: "f16" }, { pad: true, blocks: 1 }),
  wgmmaCase("odd-sums", { shape: [72, 37, 64], order: "nt" }, { pad: true, blocks: 1 }),
  wgmmaCase("part-of-a-panel", { shape: [128, 160, 128] }, { tile: [128, 160, 64] }),
  wgmmaCase(
    "part-of-a-panel-f16",
    { shape: [192, 208, 64], order: "tn", result: "f16" },
    { tile: [192, 104, 64], workgroup: [128, 3, 1] },
  ),
  wgmmaCase("relu-of-a", { shape: [256, 64, 384], reluOfA: true }, { blocks: 1 }),
  wgmmaCase("relu-of-a-waiting", { shape: [128, 64, 192], reluOfA: true }, { wait: 0, depth: 2 }),
  wgmmaCase(
    "relu-of-a-nt",
    { shape: [256, 72, 256], order: "nt", dtype: "bf16", reluOfA: true },
    { tile: [256, 72, 64], depth: 2 },
  ),
  wgmmaCase("relu-of-a-and-relu", { shape: [384, 128, 128], result: "f16", reluOfA: true }, { blocks: 2, stores: "warp" }),
  wgmmaCase("bf16", { shape: [192, 128, 192], dtype: "bf16" }, { tile: [192, 128, 64], workgroup: [128, 3, 1], depth: 2 }),
];
