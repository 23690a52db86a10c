import { describe, expect, it } from "vitest";
import { type Program, programKernel } from "warpsmith/schedule";
import { lowerProgram } from "../../../src/schedule/lower/lower-program.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import { some } from "../../support/amount.ts";
import { agree } from "./agree.ts";
import { over, product } from "./register-maps-programs.ts";

const ptxOf = (program: Program): string => programKernel(program).compile(...specsOf(program)).ptx;
const count = (text: string, what: RegExp): number => text.match(new RegExp(what, "g"))?.length ?? 0;

const relu = product({ map: over("R[g * 64 + i][j] = Math.max(C[g * 64 + i][j], 0);") });

const programs: Readonly<Record<string, () => Program>> = {
  relu: () => relu,
  "relu, as f16": () => product({ result: "f16", map: over("R[g * 64 + i][j] = f16(Math.max(C[g * 64 + i][j], 0));") }),
  "as bf16": () => product({ result: "bf16", map: over("R[g * 64 + i][j] = bf16(C[g * 64 + i][j]);") }),
  "a constant more": () => product({ map: over("R[g * 64 + i][j] = C[g * 64 + i][j] + 1.5;") }),
  "a matrix more, relu": () =>
    product({
      shapes: "M: [128, 64]",
      more: 'M: Buffer<"f16", 2>',
      map: over("R[g * 64 + i][j] = Math.max(C[g * 64 + i][j] + f32(M[g * 64 + i][j]), 0);"),
    }),
  "a part of a larger matrix, turned": () =>
    product({
      shapes: "M: [2, 96, 160]",
      more: 'M: Buffer<"f32", 3>',
      map: over("R[g * 64 + i][j] = C[g * 64 + i][j] * M[g][j + 8][i + 3];"),
    }),
  "vectors by row and by column, and one number": () =>
    product({
      shapes: "U: [128], V: [64], W: [3, 4]",
      more: 'U: Buffer<"f32", 1>, V: Buffer<"f16", 1>, W: Buffer<"f32", 2>',
      map: over("R[g * 64 + i][j] = C[g * 64 + i][j] * U[g * 64 + i] + f32(V[j]) + W[g][2];"),
    }),
  "vectors of 96 and of 64 elements, one of them in shared memory": () =>
    product({
      columns: 96,
      shapes: "U: [128], V: [96]",
      more: 'U: Buffer<"f32", 1>, V: Buffer<"f32", 1>',
      alloc: 'const Us = alloc("f32", [128], "shared"); for (const x of bind("threadIdx.x", 128)) Us[x] = U[x];',
      map: over("R[g * 64 + i][j] = C[g * 64 + i][j] * V[j] + Us[g * 64 + i];", 96),
    }),
  "a choice that loads": () =>
    product({
      shapes: "M: [128, 64]",
      more: 'M: Buffer<"f32", 2>',
      map: over("R[g * 64 + i][j] = C[g * 64 + i][j] > 0 ? M[g * 64 + i][j] : C[g * 64 + i][j] / 2;"),
    }),
  "in place, by loops that are split": () =>
    product({
      map: `for (const [i, j, k] of grid(64, 4, 16)) C[g * 64 + i][j * 16 + k] = Math.max(C[g * 64 + i][j * 16 + k], 0);
    for (const j of unrolled(8)) for (const i of grid(64)) for (const k of vectorized(8)) R[g * 64 + i][j * 8 + k] = C[g * 64 + i][j * 8 + k] * 2;`,
    }),
  "one after the other, through registers that nothing else touches": () =>
    product({
      alloc: 'const S = alloc("f32", [128, 64], "wgmma.accumulator");',
      map: `${over("S[g * 64 + i][j] = Math.abs(C[g * 64 + i][j]);")}
    ${over("R[g * 64 + i][j] = S[g * 64 + i][j] + C[g * 64 + i][j];")}`,
    }),
  "stored by loops, in the types of the result": () =>
    product({ result: "f16", map: "", store: over("Z[g * 64 + i][j] = f16(Math.max(C[g * 64 + i][j], 0));") }),
  "added to what the result was": () => product({ map: "", store: over("Z[g * 64 + i][j] += C[g * 64 + i][j];") }),
  "two stores, of half of the columns each": () =>
    product({
      map: over("R[g * 64 + i][j] = C[g * 64 + i][j];"),
      store:
        'for (const h of grid(2)) intrinsic("wgmma_store_f32_64x32", R.region([g * 64, 64], [h * 32, 32]), Z.region([g * 64, 64], [h * 32, 32]));',
    }),
};

describe("a map of registers does what it says", () => {
  it.each(some(Object.keys(programs), 2))("%s", async (name) => {
    const program = programs[name]?.() ?? relu;
    const { remarks, program: lowered } = lowerProgram(program, specsOf(program));
    expect(remarks).toEqual([]);
    expect(lowered.buffers.filter((b) => b.scope === "shared").map((b) => b.name)).toEqual(
      program.buffers.filter((b) => b.scope === "shared").map((b) => b.name),
    );
    await agree(program);
  });
});

describe("what is no map of registers goes through shared memory, and a remark says why", () => {
  const cases: readonly (readonly [string, RegExp, () => Program])[] = [
    [
      "another element",
      /neither its rows nor its columns/,
      () => product({ columns: 8, map: over("R[g * 64 + i][j] = C[g * 64 + i][7 - j];", 8) }),
    ],
    [
      "a column further on",
      /it goes over 64 × 8 elements, and intrinsics take 64 × 16/,
      () =>
        product({
          columns: 16,
          map: "for (const [i, j] of grid(64, 8)) R[g * 64 + i][j] = C[g * 64 + i][j + 8];\n    for (const [i, j] of grid(64, 8)) R[g * 64 + i][j + 8] = C[g * 64 + i][j];",
        }),
    ],
    [
      "the value of a loop",
      /depends on `j`/,
      () => product({ columns: 8, map: over("R[g * 64 + i][j] = C[g * 64 + i][j] + f32(j);", 8) }),
    ],
    [
      "half of the rows",
      /32 rows/,
      () =>
        product({
          columns: 8,
          map: "for (const h of grid(2)) { for (const [i, j] of grid(32, 8)) R[g * 64 + h * 32 + i][j] = C[g * 64 + h * 32 + i][j]; for (const [i, j] of grid(32, 8)) R[g * 64 + h * 32 + i][j] += 1; }",
        }),
    ],
  ];
  it.each(cases)("%s", (_, why, make) => {
    const program = make();
    expect(lowerProgram(program, specsOf(program)).remarks.join()).toMatch(why);
  });
  it.each(some(cases, 0))("%s, and is right", (_name, _why, make) => agree(make(), ["normal"]));
});

it("a relu is as many instructions as there are registers", () => {
  expect(count(ptxOf(relu), /max\.NaN\.f32/)).toBe(32);
});
