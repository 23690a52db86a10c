import { describe, it } from "vitest";
import { type TensorCorePipelineOptions, tensorCorePipeline } from "warpsmith/schedule";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { agree } from "../agree.ts";
import { eachPassComputesTheSame } from "./each-pass.ts";
import { products } from "./products.ts";

const { adding, transposed, ofBf16, ofI8, batched, fused } = products;
const small: TensorCorePipelineOptions = {
  tile: [32, 32, 16],
  workgroup: [64, 2, 1],
  depth: 3,
  storeStage: 1,
  copies: "tma",
  promoteC: "registers",
};

describe("each pass computes the same", () => {
  const cases: readonly (readonly [string, Program, TensorCorePipelineOptions])[] = [
    ["C = A @ Bᵀ, f16 → f32", transposed([64, 32, 64]), small],
    ["padded, sums in registers", transposed([48, 80, 40]), { ...small, depth: 2, pad: true }],
  ];
  for (const [name, program, options] of cases) eachPassComputesTheSame(name, tensorCorePipeline(program, options));
});

describe("products that it takes", () => {
  it.each<readonly [string, Program, TensorCorePipelineOptions]>([
    ["C += A @ B, f16 → f16", adding([64, 64, 64]), small],
    ["C += A @ B through shared memory", adding([64, 32, 48]), { ...small, promoteC: "shared" }],
    ["bf16 → f32", ofBf16([64, 32, 32]), { ...small, promoteC: "shared" }],
    ["i8 → i32", ofI8([32, 32, 64]), { ...small, tile: [32, 32, 32] }],
    ["a batch, Aᵀ @ B", batched(2, [32, 32, 32]), small],
    ["two warpgroups that multiply", adding([128, 64, 64]), { ...small, tile: [64, 64, 32], workgroup: [64, 4, 1] }],
    ["one tile of K", transposed([32, 32, 16]), small],
    ["one stage", adding([32, 32, 64]), { ...small, depth: 1 }],
    ["rows of tiles in turn", transposed([96, 64, 32]), { ...small, swizzle: 2 }],
    ["rows without padding", transposed([32, 32, 32]), { ...small, padding: 0 }],
    ["shapes that are padded, through shared memory", transposed([24, 40, 24]), { ...small, promoteC: "shared", pad: true }],
    ["relu(A @ B + E), padded", fused([40, 24, 48], "matrix and relu"), { ...small, pad: true }],
  ])("%s", async (_, program, options) => {
    await agree(tensorCorePipeline(program, options).schedule.program);
  });
});
