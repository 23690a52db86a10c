import { describe, expect, test } from "vitest";
import { int, intOf } from "../../../src/schedule/ir/build.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import { simplify } from "../../../src/schedule/ir/simplify.ts";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { statements } from "../../../src/schedule/ir/walk.ts";
import { swizzled } from "../../../src/schedule/primitives/swizzle-blocks.ts";
import { Schedule } from "../../../src/schedule/schedule.ts";
import { programOf } from "../../schedule/program-of.ts";

const matmul = programOf(`import { block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const matmul = program({ X: [12, 40], Y: [8, 40], Z: [12, 8] }, function matmul(X: Buffer<"f32", 2>, Y: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(12, 8, 40))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => { Z[vi][vj] = 0; });
      Z[vi][vj] += X[vi][vk] * Y[vj][vk];
    });
});`);

function result(p: Program): readonly number[] {
  const X = Float32Array.from({ length: 480 }, (_, i) => (i % 7) - 3);
  const Y = Float32Array.from({ length: 320 }, (_, i) => (i % 5) - 2);
  const Z = new Float32Array(96);
  interpret(p, { X, Y, Z });
  return [...Z];
}

/** The product with its K loop outside, and copies of both operands under it. */
function tiled(scope: "shared" | "local" = "shared") {
  const s = new Schedule(matmul);
  const block = s.getBlock("matmul");
  const [i, j, k] = s.getLoops(block);
  if (!i || !j || !k) throw new Error("the product has three loops");
  const [outer, inner] = s.split(k, [null, 8]);
  if (!outer || !inner) throw new Error("a loop was split in two");
  s.reorder(outer, i, j, inner);
  const copies = ["X", "Y"].map((name) => s.cacheRead(block, name, scope));
  for (const copy of copies) s.computeAt(copy, outer);
  return { s, outer, copies, block };
}

const effects = (p: Program): readonly string[] =>
  [...statements(p.body)].flatMap((x) => (x.kind === "effect" ? [`${x.op}(${x.args.map(intOf).join()})`] : []));
const shapes = (p: Program): Readonly<Record<string, readonly (number | undefined)[]>> =>
  Object.fromEntries(p.buffers.map((b) => [b.name, b.shape.map(intOf)]));

describe("pipeline", () => {
  test("versions what is in flight, and writes out the first and last iterations", () => {
    const { s, outer } = tiled();
    s.pipeline(outer, { stages: [0, 0, 2] });
    expect(shapes(s.program)).toEqual({ X_shared: [3, 12, 8], Y_shared: [3, 8, 8] });
    expect(s.getBlocks().map((b) => b.name)).toContain("matmul_epilogue_1");
    expect(result(s.program)).toEqual(result(matmul));
  });

  test("needs a version less where the products come before the copies of their time", () => {
    const { s, outer } = tiled();
    s.pipeline(outer, { stages: [0, 0, 2], order: [1, 2, 0] });
    expect(shapes(s.program)).toEqual({ X_shared: [2, 12, 8], Y_shared: [2, 8, 8] });
    expect(result(s.program)).toEqual(result(matmul));
  });

  test("lets groups of asynchronous copies stay in flight, fewer at the end", () => {
    const { s, outer, copies } = tiled();
    for (const copy of copies) s.annotate(copy, { async: true });
    s.pipeline(outer, { stages: [0, 0, 2] });
    expect(effects(s.program)).toEqual([
      "asyncCommit()",
      "asyncCommit()",
      "asyncCommit()",
      "asyncWait(2)",
      "asyncWait(1)",
      "asyncWait(0)",
    ]);
    expect(result(s.program)).toEqual(result(matmul));
  });

  test("predicates what has no iteration left where nothing is to stand behind the loop", () => {
    const { s, outer, copies } = tiled();
    for (const copy of copies) s.annotate(copy, { async: true });
    s.pipeline(outer, { stages: [0, 0, 2], epilogue: "predicated" });
    expect(effects(s.program)).toEqual(["asyncCommit()", "asyncCommit()", "asyncCommit()", "asyncWait(2)"]);
    expect(printProgram(s.program)).toContain("where(k_0 + 2 < 5)");
    expect(result(s.program)).toEqual(result(matmul));
  });

  test("loads the next tile to registers before the products and stores it after them, with one tile in shared memory", () => {
    const { s, outer, copies } = tiled();
    for (const [n, copy] of copies.entries()) s.computeAt(s.cacheRead(copy, n === 0 ? "X" : "Y", "local"), outer);
    s.pipeline(outer, { stages: [0, 0, 0, 0, 1], order: [0, 3, 1, 4, 2] });
    expect(shapes(s.program)).toMatchObject({ X_shared: [12, 8], Y_shared: [8, 8], X_local: [12, 8], Y_local: [8, 8] });
    expect(result(s.program)).toEqual(result(matmul));
  });
});

test("swizzled blocks take each tile once, whatever the width", () => {
  for (const [rows, columns] of [
    [1, 1],
    [4, 6],
    [5, 7],
    [7, 3],
    [8, 8],
  ] as const)
    for (let width = 1; width <= 9; width++) {
      const seen = new Set<string>();
      for (let id = 0; id < rows * columns; id++) {
        const { y, x } = swizzled(int(id), rows, columns, width);
        const at = [y, x].map((e) => {
          const short = simplify(e, new Map());
          return intOf(short) ?? Number.NaN;
        });
        seen.add(at.join());
        expect(at[0]).toBeLessThan(rows);
        expect(at[1]).toBeLessThan(columns);
      }
      expect(seen.size).toBe(rows * columns);
    }
});

test("pad reaches multiples, and copies back what belongs to the result", () => {
  const s = new Schedule(matmul);
  const copies = s.pad(s.getBlock("matmul"), [16, 16, 16]);
  expect(copies.map((b) => b.name)).toEqual(["X_pad", "Y_pad", "Z_back"]);
  expect(shapes(s.program)).toEqual({ X_pad: [16, 48], Y_pad: [16, 48], Z_pad: [16, 16] });
  expect(result(s.program)).toEqual(result(matmul));
});

test("rfactor sums up parts and then the parts", () => {
  const s = new Schedule(matmul);
  const [, , k] = s.getLoops(s.getBlock("matmul"));
  const [outer] = k ? s.split(k, [null, 8]) : [];
  if (!outer) throw new Error("there is a loop");
  const { partial, final, loops } = s.rfactor(outer);
  expect([partial.name, final.name, loops.length]).toEqual(["matmul_rf", "matmul", 3]);
  expect(shapes(s.program)).toEqual({ Z_rf: [5, 12, 8] });
  expect(result(s.program)).toEqual(result(matmul));
});

test("stages, diff and page say what each step changed and where it was written", () => {
  const { s } = tiled();
  const stages = s.stages();
  expect(stages.map((x) => x.step)).toEqual([
    "program",
    "split(k, [null, 8])",
    "reorder(k_0, i, j, k_1)",
    'cacheRead("matmul", "X", "shared")',
    'cacheRead("matmul", "Y", "shared")',
    'computeAt("X_shared", k_0)',
    'computeAt("Y_shared", k_0)',
  ]);
  expect(stages[1]?.place?.file).toMatch(/rewrites\.test\.ts$/);
  expect(s.diff()).toMatch(/==== split\(k, \[null, 8\]\) \/\/ .*rewrites\.test\.ts:\d+ ====/);
  expect(s.diff()).toContain("+   for (const [i, j, k_0, k_1] of grid(12, 8, 5, 8))");
  const page = s.html();
  expect(page).toContain("<title>Steps of matmul</title>");
  expect(page).toContain("cacheRead(");
  expect(page).not.toMatch(/<(script|link|img)[^>]+(src|href)=/);
});

test("a trace of every kind of argument is replayed", () => {
  const { s, outer } = tiled();
  s.pipeline(outer, { stages: [0, 0, 1], order: [0, 1, 2], epilogue: "predicated" });
  s.storageAlign("X_shared", 8);
  s.packShared();
  const again = Schedule.replay(matmul, JSON.parse(JSON.stringify(s.trace())));
  expect(printProgram(again.program)).toBe(printProgram(s.program));
});
