import { describe, expect, it } from "vitest";
import "../../../src/schedule/intrinsics/index.ts";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import type { Expr, Program, Var } from "../../../src/schedule/ir/types.ts";
import { loweringStages, programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import { rotating, some } from "../../support/amount.ts";
import { agree } from "./agree.ts";
import { matmul, over, rest, sum, times, tutorial } from "./programs.ts";

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
  it.each(some([64, 128], 1))("at %i", (size) => agree(tutorial(size)));
  it("with rows that are padded", rotating, () => agree(tutorial(64, { padding: 16 })));
  it.each([
    ["none of its blocks an intrinsic", []],
    ["the loads intrinsics", ["wmma_load_a", "wmma_load_b"]],
    ["all but the product", ["wmma_fill", "wmma_load_a", "wmma_load_b", "wmma_store"]],
    ["the product alone", ["wmma_sync"]],
  ])("with %s", rotating, (_, tensorized) => agree(tutorial(64, { tensorized })));
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
