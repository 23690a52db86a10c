import { describe, expect, it } from "vitest";
import { printProgram } from "warpsmith/schedule";
import { sameProgram } from "../../../src/schedule/ir/same.ts";
import { programOf } from "../../schedule/program-of.ts";
import { rotating } from "../../support/amount.ts";
import { agree } from "./agree.ts";
import { type Fused, fusedSchedule } from "./fused-products.ts";

const small = { shape: [256, 128, 192], tile: [128, 64], consumers: 2, stages: 3, blocks: 3 } as const;
const matrix = (type: string) => ({ M: { type, shape: [256, 128] } });
const vectors = { U: { type: "f32", shape: [256] }, V: { type: "f32", shape: [128] } };

const fusions: Readonly<Record<string, Fused>> = {
  "f32, vectors by row and column, stored by warps": {
    ...small,
    result: "f32",
    of: "c * U[vi] + V[vj]",
    inputs: vectors,
    store: "tma_store_warp",
  },
  "f32, as it is": { ...small, result: "f32", store: "tma_store" },
  "f16, relu": { ...small, result: "f16", of: "Math.max(c, 0)", store: "tma_store" },
  "bf16, a constant, stored by warps": { ...small, result: "bf16", of: "c + 3", store: "tma_store_warp" },
  "f16, a matrix and relu": {
    ...small,
    result: "f16",
    of: "Math.max(c + f32(M[vi][vj]), 0)",
    inputs: matrix("f16"),
    store: "tma_store",
  },
  "f32, a matrix, stored by threads": {
    ...small,
    result: "f32",
    of: "c + M[vi][vj]",
    inputs: matrix("f32"),
    store: "wgmma_store",
  },
  "f16, one warpgroup of 128 rows": { ...small, consumers: 1, result: "f16", of: "Math.max(c, 0)", store: "tma_store" },
  "f16, without roles": { ...small, consumers: 1, stages: 0, result: "f16", of: "Math.max(c - 1, 0)", store: "tma_store" },
  "f32, without roles, stored by warps": { ...small, consumers: 1, stages: 0, result: "f32", store: "tma_store_warp" },
};

describe("a product with something done to its result gives what its loops say", () => {
  it.each(Object.keys(fusions))("%s", { ...rotating, timeout: 120_000 }, async (name) => {
    const fused = fusions[name];
    if (!fused) throw new Error("no such fusion");
    const { program } = fusedSchedule(fused);
    const text = printProgram(program);
    const again = programOf(text);
    expect(sameProgram(program, again)).toBe(true);
    await agree(program);
  });
});
