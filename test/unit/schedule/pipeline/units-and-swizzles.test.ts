import { describe, expect, it } from "vitest";
import {
  type PipelineStage,
  Schedule,
  type TensorCorePipelineOptions,
  tensorCorePipeline,
  type WgmmaPipelineOptions,
} from "warpsmith/schedule";
import { programOf } from "../../../schedule/program-of.ts";
import { rotating } from "../../../support/amount.ts";
import { agree } from "../agree.ts";
import { products } from "./products.ts";

type Shape = readonly [m: number, n: number, k: number];
type Program = PipelineStage["program"];
const { transposed, batched, fused } = products;

/** D += A @ B, where what is added to is no part of the product. */
const addedTo = ([m, n, k]: Shape): Program =>
  programOf(`import { f32 } from "warpsmith";
import { alloc, block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const p = program({ A: [${m}, ${k}], B: [${k}, ${n}], D: [${m}, ${n}] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, D: Buffer<"f32", 2>) {
  const C = alloc("f32", [${m}, ${n}], "global");
  for (const [i, j, r] of grid(${m}, ${n}, ${k}))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
      init(() => { C[vi][vj] = 0; });
      C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
    });
  for (const [i, j] of grid(${m}, ${n}))
    block("after", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { D[vi][vj] = D[vi][vj] + C[vi][vj]; });
});`);

const wmma: TensorCorePipelineOptions = { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1 };
const mma: TensorCorePipelineOptions = { ...wmma, tile: [32, 32, 32], instruction: "mma.sync" };
const tma: TensorCorePipelineOptions = { ...wmma, copies: "tma" };
const wgmma: WgmmaPipelineOptions = { instruction: "wgmma", tile: [64, 64, 64], workgroup: [128, 1, 1], depth: 2 };
type Options = TensorCorePipelineOptions | WgmmaPipelineOptions;
const made = (p: Program, options: Options): Program => tensorCorePipeline(p, options).schedule.program;

describe("a batch, rows, columns or summands of one", () => {
  const one: readonly (readonly [string, Options, Program])[] = [
    ["columns, mma.sync", mma, transposed([32, 1, 32])],
    ["a batch, wmma", wmma, batched(1, [32, 32, 16])],
    ["a batch, wmma, padded", wmma, batched(1, [35, 37, 17])],
    ["a batch and rows, wmma, padded", wmma, batched(1, [1, 40, 24])],
    ["a batch and all else, wmma", wmma, batched(1, [1, 1, 1])],
    ["a batch, mma.sync, padded", mma, batched(1, [40, 40, 40])],
    ["a batch, copies by TMA, padded", tma, batched(1, [40, 24, 17])],
    ["a batch and columns, mma.sync", mma, batched(1, [32, 1, 33])],
    ["a batch, sums in registers, padded", { ...tma, promoteC: "registers" }, batched(1, [48, 32, 1])],
    ["rows, wmma", wmma, transposed([1, 32, 16])],
    ["summands, wmma", wmma, fused([32, 32, 1], "matrix and relu")],
    ["rows, wgmma", wgmma, transposed([1, 64, 64])],
    ["rows and columns, wgmma, with a block behind", wgmma, fused([1, 8, 64], "matrix")],
    ["columns, wgmma", wgmma, transposed([64, 1, 72])],
  ];
  it.each(one)("%s", rotating, (_, options, p) => agree(made(p, { ...options, pad: true })));
});

describe("rows of tiles that the swizzle does not divide, where a block adds to the result", () => {
  const cases: readonly (readonly [string, Options, Program])[] = [
    ["wmma", { ...wmma, swizzle: 2 }, addedTo([96, 64, 16])],
    ["fewer rows than the swizzle, wmma", { ...wmma, swizzle: 4 }, addedTo([64, 96, 16])],
    ["as many rows, wmma", { ...wmma, swizzle: 3 }, addedTo([96, 64, 16])],
    ["mma.sync, padded", { ...mma, swizzle: 2, pad: true }, addedTo([88, 56, 32])],
    ["copies by TMA, padded", { ...tma, swizzle: 2, pad: true }, addedTo([88, 56, 16])],
    ["wgmma", { ...wgmma, swizzle: 2 }, addedTo([192, 128, 64])],
  ];
  it.each(cases)("%s", rotating, (_, options, p) => agree(made(p, options)));
});

describe("loops that were changed before", () => {
  const after = (p: Program, change: (s: Schedule, loops: ReturnType<Schedule["getLoops"]>) => void): Program => {
    const s = new Schedule(p);
    change(s, s.getLoops(s.getBlock("matmul")));
    return s.program;
  };
  it("a batch of one that was taken away", rotating, () =>
    agree(
      made(
        after(batched(1, [32, 32, 32]), (s, [b]) => b && s.dropLoop(b)),
        wmma,
      ),
    ),
  );
  it("another order", rotating, () =>
    agree(
      made(
        after(transposed([32, 32, 32]), (s, [i, j, k]) => i && j && k && s.reorder(k, i, j)),
        wmma,
      ),
    ),
  );
  it.each<readonly [string, Options, (s: Schedule, loops: ReturnType<Schedule["getLoops"]>) => void, RegExp]>([
    ["split", wmma, (s, [i]) => i && void s.split(i, [null, 8]), /W5610.*no loop for its axis 'vi' alone/s],
    ["split", wgmma, (s, [, , k]) => k && void s.split(k, [null, 8]), /W5610.*no loop for its axis 'vk' alone/s],
    ["fused", wmma, (s, [i, j]) => i && j && void s.fuse(i, j), /W5610.*no loop for its axis 'vi' alone/s],
    ["bound", wmma, (s, [i]) => i && s.bind(i, "blockIdx.y"), /W5610.*'vi' that is blockIdx.y already/s],
  ])("%s is refused", (_, options, change, why) => {
    expect(() => made(after(transposed([64, 64, 64]), change), options)).toThrow(why);
  });
});
