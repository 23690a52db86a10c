// Products of matrices through the pipeline for the tensor cores.
import { type TensorCorePipelineOptions, tensorCorePipeline } from "warpsmith/schedule";
import { programOf } from "../schedule/program-of.ts";
import { type Case, defineCase, input, output, whenAsked } from "./case.ts";
import { integers } from "./numbers.ts";

type Shape = readonly [m: number, n: number, k: number];

/** What a case multiplies. `add`: to what C holds; `transposed`: B is [n, k]; `sum`: of C. */
interface Product {
  readonly shape: Shape;
  readonly sum: "f16" | "f32";
  readonly add?: boolean;
  readonly transposed?: boolean;
  /** relu(A @ B + E) instead of A @ B. */
  readonly fused?: boolean;
}

function textOf({ shape: [m, n, k], sum, add, transposed, fused }: Product): string {
  const [left, right] = ["A[vi][vk]", transposed ? "B[vj][vk]" : "B[vk][vj]"].map((e) => (sum === "f32" ? `f32(${e})` : e));
  const to = fused ? "T" : "C";
  return `import { f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program(
  { A: [${m}, ${k}], B: [${transposed ? `${n}, ${k}` : `${k}, ${n}`}]${fused ? `, E: [${m}, ${n}]` : ""}, C: [${m}, ${n}] },
  function product(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>${fused ? ', E: Buffer<"f32", 2>' : ""}, C: Buffer<"${sum}", 2>) {
    ${fused ? `const T = alloc("${sum}", [${m}, ${n}], "global");` : ""}
    for (const [i, j, r] of grid(${m}, ${n}, ${k}))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        ${add ? "" : `init(() => { ${to}[vi][vj] = 0; });`}
        ${to}[vi][vj] += ${left} * ${right};
      });
    ${
      fused
        ? `for (const [i, j] of grid(${m}, ${n}))
      block("after", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { C[vi][vj] = Math.max(T[vi][vj] + E[vi][vj], 0); });`
        : ""
    }
  },
);
`;
}

function pipelineCase(name: string, product: Product, options: Partial<TensorCorePipelineOptions> = {}): Case {
  const all: TensorCorePipelineOptions = { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1, ...options };
  const kernel = whenAsked(() => tensorCorePipeline(programOf(textOf(product)), all).schedule.kernel());
  return defineCase(`schedules/pipeline-${name}`, kernel, () => {
    const { shape, sum, add, transposed, fused } = product;
    const [m, n, k] = shape;
    const [a, b, c] = [integers(m * k, -3, 3, 1), integers(k * n, -3, 3, 2), integers(m * n, -8, 8, 3)];
    const at = (row: number, col: number): number => b[transposed ? col * k + row : row * n + col] ?? 0;
    const wanted = Array.from({ length: m * n }, (_, i) => {
      const [row, col] = [Math.floor(i / n), i % n];
      let value = add || fused ? (c[i] ?? 0) : 0;
      for (let r = 0; r < k; r++) value += (a[row * k + r] ?? 0) * at(r, col);
      return fused ? Math.max(value, 0) : value;
    });
    const operands = [input("f16", [m, k], a), input("f16", transposed ? [n, k] : [k, n], b)];
    const result = output(sum, [m, n], wanted, add ? { initial: c } : undefined);
    return { args: [...operands, ...(fused ? [input("f32", [m, n], c)] : []), result] };
  });
}

const mma = { instruction: "mma.sync", tile: [32, 32, 32] } as const;

export const schedulePipelineCases: readonly Case[] = [
  pipelineCase("adding", { shape: [64, 64, 64], sum: "f16", add: true }),
  pipelineCase(
    "transposed",
    { shape: [96, 64, 96], sum: "f32", transposed: true },
    { promoteC: "registers", swizzle: 2, depth: 4 },
  ),
  pipelineCase("peeled", { shape: [64, 64, 128], sum: "f32" }, { tile: [64, 64, 32], epilogue: "peeled" }),
  pipelineCase("fused", { shape: [64, 32, 64], sum: "f32", fused: true }),
  pipelineCase("mma-adding", { shape: [64, 64, 160], sum: "f16", add: true }, mma),
  pipelineCase(
    "mma-transposed",
    { shape: [96, 64, 256], sum: "f32", transposed: true },
    { ...mma, promoteC: "registers", swizzle: 2, depth: 4 },
  ),
  pipelineCase(
    "mma-predicated",
    { shape: [64, 64, 256], sum: "f32" },
    { ...mma, tile: [64, 64, 64], promoteC: "registers", epilogue: "predicated" },
  ),
  pipelineCase("mma-inline", { shape: [32, 64, 160], sum: "f32" }, { ...mma, doubleBuffer: false }),
  pipelineCase("mma-fused", { shape: [64, 32, 128], sum: "f32", fused: true }, mma),
  pipelineCase("mma-ragged", { shape: [40, 24, 150], sum: "f32" }, { ...mma, pad: true }),
  pipelineCase("ahead", { shape: [64, 64, 160], sum: "f32" }, { tile: [32, 32, 32], doubleBuffer: true, epilogue: "peeled" }),
  pipelineCase("ragged", { shape: [40, 24, 20], sum: "f32" }, { pad: true, depth: 2 }),
];
