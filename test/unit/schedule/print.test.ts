import { expect, test } from "vitest";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import { sameProgram } from "../../../src/schedule/ir/same.ts";
import { programOf } from "../../schedule/program-of.ts";

/** What is printed as it is written here. */
const texts = {
  "everything that stands in a program": `import { f16, f32 } from "warpsmith";
import { alloc, annotate, bind, block, type Buffer, effect, floorDiv, grid, init, intrinsic, program, reduce, serial, spatial, unrolled, vectorized, where } from "warpsmith/schedule";

export const all = program({ X: [64, "N"], Z: [64, "N"] }, function all(X: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
  const tile = alloc("f16", [64, 64], "shared", { padding: 8, swizzle: "128B" });
  const sum = alloc("f32", [64, X.shape[1]], "global");
  for (const bx of bind("blockIdx.x", 8))
    for (const tx of bind("threadIdx.x", 8)) {
      for (const i of unrolled(4))
        for (const j of vectorized(2))
          block("copy", { vi: spatial(64, bx * 8 + tx), vj: spatial(64, (i * 2 + j) * 8) }, ({ vi, vj }) => {
            where(vi + vj < 64 && vj !== 3 || !(vi > 5));
            annotate({ order: [1, 2], note: "a \\"b\\"", deep: true });
            tile[vi][vj] = vi < 3 ? X[vi][vj] : 0;
          });
      effect("syncThreads");
      for (const k of serial(4, { pipeline: 3 }))
        intrinsic("load", tile.region([0, 16], [k * 16, 16]), sum.region([0, 16], [0, 16]));
    }
  for (const [i, k] of grid(64, X.shape[1]))
    block("sum", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => {
      init(() => {
        sum[vi][0] = -0.1;
      });
      sum[vi][0] += f32(X[vi][vk]) * 0.5;
      if (f32(X[vi][vk]) * 0.5 > 1) {
        Z[vi][vk] = f32(f16(2 ** sum[vi][0])) - (1 - sum[vi][0]);
      } else {
        Z[vi][floorDiv(vk, 2)] = Math.max(sum[vi][0], 0) / (vi < 2 ? f32(1) : 3);
      }
    });
});
`,
  "without blocks": `import { type Buffer, grid, program } from "warpsmith/schedule";

export const zero = program({ X: [16] }, function zero(X: Buffer<"f32", 1>) {
  for (const i of grid(16))
    X[i] = 0;
});
`,
};

test.each(Object.entries(texts))("%s", (_, text) => {
  const p = programOf(text);
  expect(printProgram(p)).toBe(text);
  expect(sameProgram(p, programOf(printProgram(p)))).toBe(true);
});

test("names are the author's, with a number where another in scope has them, or the language", () => {
  const p = programOf(`import { grid, program, type Buffer } from "warpsmith/schedule";
export const p = program({ X: [4, 4] }, function p(X: Buffer<"f32", 2>) {
  const both = (i: number) => { for (const k of grid(4)) X[i][k] = 1; };
  for (const k of grid(4)) both(k);
  for (const bind of grid(4)) both(bind);
});`);
  expect(printProgram(p, { form: "function" })).toBe(`function p(X: Buffer<"f32", 2>) {
  for (const [k, k1] of grid(4, 4))
    X[k][k1] = 1;
  for (const [bind1, k] of grid(4, 4))
    X[bind1][k] = 1;
}
`);
});

test("another number, kind of loop or order is another program", () => {
  const make = (body: string) =>
    programOf(`import { grid, program, unrolled, type Buffer } from "warpsmith/schedule";
export const p = program({ X: [4], Y: [4] }, function p(X: Buffer<"f32", 1>, Y: Buffer<"f32", 1>) { ${body} });`);
  const base = "for (const i of grid(4)) { X[i] = 0; Y[i] = X[i] - 1; }";
  const others = [
    base.replace("X[i] = 0", "X[i] = -0"),
    base.replace("grid", "unrolled"),
    base.replace("- 1", "- 2"),
    base.replace("X[i] - 1", "1 - X[i]"),
    base.replace("= X[i] -", "= Y[i] -"),
  ];
  expect(sameProgram(make(base), make(base.replaceAll("[i]", "[j]").replace("const i", "const j")))).toBe(true);
  expect(others.map((other) => sameProgram(make(base), make(other)))).toEqual(others.map(() => false));
});
