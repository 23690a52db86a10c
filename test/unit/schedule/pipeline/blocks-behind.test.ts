import { describe, expect, it } from "vitest";
import { Schedule, tensorCorePipeline } from "warpsmith/schedule";
import { programOf } from "../../../schedule/program-of.ts";
import { some } from "../../../support/amount.ts";

type Kind = "a result" | "two readers" | "reversed" | "transposed" | "read twice" | "plain";
const of: Readonly<Record<Kind, string>> = {
  "a result": "Math.max(R[vi][vj], 0)",
  "two readers": "C[vi][vj] * 2",
  reversed: "C[vi][63 - vj]",
  transposed: "C[vj][vi]",
  "read twice": "C[vi][vj] + C[vj][vi]",
  plain: "C[vi][vj] * 2",
};
const stores = (name: string, to: string, what: string): string => `
  for (const [i, j] of grid(64, 64)) block("${name}", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { ${to}[vi][vj] = ${what}; });`;

/** A product, and what a block computes of it. */
const made = (kind: Kind) =>
  programOf(`import { f32 } from "warpsmith";
import { alloc, block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const p = program({ A: [64, 64], B: [64, 64], R: [64, 64], D: [64, 64], E: [64, 64] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, R: Buffer<"f32", 2>, D: Buffer<"f32", 2>, E: Buffer<"f32", 2>) {
  const C = ${kind === "a result" ? "R" : 'alloc("f32", [64, 64], "global")'};
  for (const [i, j, r] of grid(64, 64, 64))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
      init(() => { C[vi][vj] = 0; });
      C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
    });${stores("after", "D", of[kind])}${kind === "two readers" ? stores("also", "E", "C[vi][vj] + 1") : ""}
});`);
const wmma = { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1 } as const;
const wgmma = { instruction: "wgmma", tile: [64, 64, 64], workgroup: [128, 1, 1], depth: 2 } as const;

const refused: readonly (readonly [Kind, RegExp])[] = [
  [
    "a result",
    /W5626.*'after' cannot be computed of what 'matmul' sums up.*it reads R, which 'matmul' makes and which is a result/s,
  ],
  ["two readers", /W5626.*C is read by 'after' and by 'also'/s],
  ["reversed", /W5626.*it reads C\[vi\]\[63 - vj\]/s],
  ["read twice", /W5626.*it reads C\[vj\]\[vi\], and each element of C is taken at one place/s],
];
describe.each([
  ["wmma", wmma],
  ["wgmma", wgmma],
] as const)("what cannot be computed of a product on its way, %s", (_, options) => {
  it.each(refused)("%s", (kind, why) => expect(() => tensorCorePipeline(made(kind), options)).toThrow(why));
  it.each(some(["transposed", "plain"] as const, 0))("%s is taken", (kind) =>
    expect(
      tensorCorePipeline(made(kind), options)
        .schedule.getBlocks()
        .map((b) => b.name),
    ).not.toContain("after"),
  );
});

describe("reverseComputeInline says which", () => {
  const steps: readonly (readonly [Kind, RegExp])[] = [
    ["a result", /W5540.*R, which it reads, is a result of the program/s],
    ["two readers", /W5524.*C is used elsewhere, too, by 'also'/s],
    ["reversed", /W5540.*it reads C\[vi\]\[63 - vj\], and each element of C is taken at one place/s],
    ["read twice", /W5540.*it reads C\[vj\]\[vi\], and each/s],
  ];
  it.each(steps)("%s", (kind, why) => {
    const s = new Schedule(made(kind));
    if (kind !== "a result") s.cacheWrite(s.getBlock("matmul"), 0, "local");
    expect(() => s.reverseComputeInline(s.getBlock("after"))).toThrow(why);
  });
});
