import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import "../../../src/schedule/intrinsics/index.ts";
import { intrinsicOf } from "../../../src/schedule/intrinsics/index.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import type { Expr, Program, Var } from "../../../src/schedule/ir/types.ts";
import { loweringStages, programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/stages.ts";
import { matmul, over, rest, sum, times, tutorial } from "./programs.ts";

const devices: Device[] = [];
beforeAll(async () => {
  for (const check of ["normal", "strict"] as const) devices.push(await openDevice("emulator", { check }));
});
afterAll(async () => {
  for (const gpu of devices) await gpu[Symbol.asyncDispose]();
});

/** Small whole numbers, so that no sum rounds. */
const numbers = (n: number, seed: number): number[] =>
  Array.from({ length: n }, (_, i) => ((i * 7 + seed * 13 + (i >> 3)) % 7) - 3);

/** Runs the program in order, and as a kernel on both devices, and compares all its tensors. */
export async function agree(program: Program): Promise<void> {
  const specs = specsOf(program);
  const data: (readonly number[])[] = specs.map(({ shape }, n) =>
    numbers(
      shape.reduce((a, b) => a * b, 1),
      n,
    ),
  );
  const wanted = Object.fromEntries(program.params.map((b, n) => [b.name, Float32Array.from(data[n] ?? [])]));
  interpret(program, wanted, { intrinsics: (name) => intrinsicOf(name).description });
  const kernel = programKernel(program);
  for (const gpu of devices) {
    const tensors = specs.map(({ dtype, shape }, n) => gpu.tensor(dtype, shape, (data[n] ?? []) as readonly never[]));
    kernel.launch({}, ...tensors);
    for (const [n, { name }] of program.params.entries())
      expect(Array.from((await tensors[n]?.read()) as Float32Array), name).toEqual(Array.from(wanted[name] ?? []));
    for (const tensor of tensors) tensor.dispose();
  }
}
const ptxOf = (program: Program): string => programKernel(program).compile(...specsOf(program)).ptx;
const count = (text: string, what: RegExp): number => text.match(new RegExp(what, "g"))?.length ?? 0;

const ijk = (...[i, j, k]: readonly Var[]) => [i, j, k] as unknown as readonly [Expr, Expr, Expr];

describe("a matmul runs", () => {
  it("as plain loops, in one thread", () =>
    agree(
      matmul(
        [8, 8, 8],
        [
          ["i", 8],
          ["j", 8],
          ["k", 8],
        ],
        ijk,
      ),
    ));
  it("in blocks", () =>
    agree(
      matmul(
        [8, 8, 8],
        [
          ["i", 8, "blockIdx.x"],
          ["j", 8, "blockIdx.y"],
          ["k", 8],
        ],
        ijk,
      ),
    ));
  it("in blocks of threads", () =>
    agree(
      matmul(
        [16, 16, 16],
        [
          ["bi", 4, "blockIdx.x"],
          ["bj", 4, "blockIdx.y"],
          ["t", 16, "threadIdx.x"],
          ["k", 16],
        ],
        (...v) => {
          const [bi, bj, t, k] = v as [Var, Var, Var, Var];
          return [sum(times(bi, 4), over(t, 4)), sum(times(bj, 4), rest(t, 4)), k];
        },
      ),
    ));
  it("with its loops the other way round", () =>
    agree(
      matmul(
        [8, 8, 8],
        [
          ["k", 8],
          ["j", 8, "threadIdx.x"],
          ["i", 8],
        ],
        (...[k, j, i]) => ijk(i as Var, j as Var, k as Var),
      ),
    ));
});

describe("the program of the tutorial runs", () => {
  it.each([64, 128])("at %i", (size) => agree(tutorial(size)));
  it("with rows that are padded", () => agree(tutorial(64, { padding: 16 })));
  it.each([
    ["none of its blocks an intrinsic", []],
    ["the loads intrinsics", ["wmma_load_a", "wmma_load_b"]],
    ["all but the product", ["wmma_fill", "wmma_load_a", "wmma_load_b", "wmma_store"]],
    ["the product alone", ["wmma_sync"]],
  ])("with %s", (_, tensorized) => agree(tutorial(64, { tensorized })));
});

describe("its PTX", () => {
  const ptx = (): string => ptxOf(tutorial(256));
  it("moves 16 bytes at a time", () => {
    expect(count(ptx(), /ld\.global\.v4\.b32/)).toBe(2);
    expect(count(ptx(), /st\.shared\.v4\.b32/)).toBe(2);
    expect(count(ptx(), /ld\.global(?!\.v4)/)).toBe(0);
  });
  it("has the products and no more", () => {
    expect(count(ptx(), /wmma\.mma/)).toBe(8);
    expect(count(ptx(), /wmma\.load/)).toBe(8);
    expect(count(ptx(), /wmma\.store/)).toBe(4);
    expect(ptx()).not.toContain(".local");
  });
  it("has two barriers for each step", () => {
    expect(count(ptx(), /bar\.sync/)).toBe(2);
    expect(count(ptx(), /bar\.warp\.sync/)).toBe(0);
  });
});

it("each pass leaves a program that prints", () => {
  const stages = loweringStages(tutorial(64));
  expect(stages.map((s) => s.name)).toContain("insert-barriers");
  const last = stages.at(-1);
  expect(last && printProgram(last.program)).toContain('effect("syncThreads")');
});
