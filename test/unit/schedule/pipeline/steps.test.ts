import { describe, expect, it } from "vitest";
import { Schedule } from "warpsmith/schedule";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { programOf } from "../../../schedule/program-of.ts";
import { agree } from "../agree.ts";

const head =
  'import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";\nexport const p = program(';
/** Z (+)= X @ Yᵀ, [8, 12]. */
const product = (init: string): Program =>
  programOf(`${head}{ X: [8, 16], Y: [12, 16], Z: [8, 12] }, function p(X: Buffer<"f32", 2>, Y: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(8, 12, 16))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      ${init}
      Z[vi][vj] += X[vi][vk] * Y[vj][vk];
    });
});`);
const code = (run: () => unknown): unknown => {
  try {
    run();
  } catch (e) {
    return (e as { code?: unknown }).code;
  }
  return undefined;
};
function three(p: Program) {
  const s = new Schedule(p);
  const block = s.getBlock("matmul");
  const [i, j, k] = s.getLoops(block);
  if (!i || !j || !k) throw new Error("the product has three loops");
  return { s, block, i, j, k };
}

describe("cacheWrite in a loop", () => {
  it("copies what one iteration adds to in and out", async () => {
    const { s, block, i } = three(product(""));
    const out = s.cacheWrite(block, "Z", "shared", i);
    expect(out.name).toBe("Z_shared");
    expect(s.getLoops(s.getBlock("Z_shared_in"))[0]?.variable).toBe(i.variable);
    await agree(s.program);
  });
  it("copies out what one iteration makes", async () => {
    const { s, block, j } = three(product("init(() => { Z[vi][vj] = 0; });"));
    s.cacheWrite(block, "Z", "shared", j);
    expect(s.getBlocks().map((b) => b.name)).toEqual(["matmul", "Z_shared"]);
    await agree(s.program);
  });
  it("may stand inside of one that stands already", async () => {
    const { s, block, i, j } = three(product(""));
    s.cacheWrite(block, "Z", "shared", i);
    s.cacheWrite(block, "Z_shared", "local", j);
    await agree(s.program);
  });
  it("is refused where sums are not complete", () => {
    const { s, block, i, j, k } = three(product("init(() => { Z[vi][vj] = 0; });"));
    s.reorder(k, i, j);
    expect(code(() => s.cacheWrite(block, "Z", "local", k))).toBe("W5524");
  });
  it("is refused in a loop of another block", () => {
    const { s, block, i } = three(product(""));
    const copy = s.cacheRead(block, "X", "local");
    const [other] = s.getLoops(copy);
    if (!other) throw new Error("a copy has loops");
    expect(code(() => s.cacheWrite(block, "Z", "local", other))).toBe("W5523");
    expect(i.name).toBe("i");
  });
});

describe("dropLoop", () => {
  it("takes away a loop of one iteration", async () => {
    const { s, block, i } = three(product(""));
    const [one, rest] = s.split(i, [1, null]);
    if (!one || !rest) throw new Error("a loop was split in two");
    s.dropLoop(one);
    expect(s.getLoops(block)).toHaveLength(3);
    await agree(s.program);
    expect(code(() => s.dropLoop(rest))).toBe("W5525");
  });
});

describe("reverseComputeInline of a reader of a part", () => {
  const part = (rows: number) =>
    programOf(`${head}{ X: [8, 12], Z: [${rows}, 12] }, function p(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  const T = alloc("f32", [8, 12], "shared");
  for (const [i, j] of grid(8, 12)) block("make", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { T[vi][vj] = X[vi][vj] * 2; });
  for (const [i, j] of grid(${rows}, 12)) block("take", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { Z[vi][vj] = T[vi][vj] + 1; });
});`);
  it.each([5, 8])("%i of 8 rows", async (rows) => {
    const s = new Schedule(part(rows));
    s.reverseComputeInline(s.getBlock("take"));
    expect(s.getBlocks().map((b) => b.name)).toEqual(["make"]);
    expect(s.print().includes("where(")).toBe(rows < 8);
    await agree(s.program);
  });
});
