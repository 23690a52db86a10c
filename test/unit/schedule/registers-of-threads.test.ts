// What threads keep in registers of their own, and blocks in memory of their own, they read themselves.
import { describe, expect, it } from "vitest";
import { Schedule } from "warpsmith/schedule";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import { doubleBuffered } from "../../schedule/double-buffered.ts";
import { programOf } from "../../schedule/program-of.ts";
import { some } from "../../support/amount.ts";
import { agree } from "./agree.ts";

const code = (run: () => unknown): unknown => {
  try {
    run();
    return undefined;
  } catch (e) {
    return (e as { code?: unknown }).code;
  }
};

describe("the next tile in registers while this one is computed", () => {
  it.each(some(["before", "after"] as const, 0))("is right where its copies are bound %s they overlap", async (bound) => {
    const { program } = doubleBuffered(bound);
    expect(program.buffers.map((b) => `${b.name} ${b.scope}`)).toEqual(["Y_shared shared", "Y_local local"]);
    await agree(program);
  });
  it("is refused where a thread would read what others have in their registers", () => {
    expect(code(() => doubleBuffered("before", { into: [32, "threadIdx.x"], from: [16, "threadIdx.x"] }))).toBe("W5527");
  });
});

const twice = (scope: string, write: string, read: string): Program =>
  programOf(`import { alloc, bind, block, type Buffer, grid, program, spatial } from "warpsmith/schedule";
export const p = program({ X: [64], Z: [64] }, function p(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const T = alloc("f32", [64], "${scope}");
  for (const i of ${write}) block("make", { vi: spatial(i) }, ({ vi }) => { T[vi] = X[vi] * 2; });
  for (const i of ${read}) block("take", { vi: spatial(i) }, ({ vi }) => { Z[vi] = T[63 - vi] + T[vi]; });
});`);
const lower = (p: Program) => code(() => programKernel(p).compile(...specsOf(p)));

describe("a buffer that one loop fills and another one reads elsewhere", () => {
  const [threads, blocks, serial] = ['bind("threadIdx.x", 64)', 'bind("blockIdx.x", 64)', "grid(64)"];
  it("is refused in registers of threads", () => expect(lower(twice("local", threads, threads))).toBe("W5580"));
  it("is refused in registers of blocks", () => expect(lower(twice("local", blocks, blocks))).toBe("W5580"));
  it("is refused in shared memory of blocks", () => expect(lower(twice("shared", blocks, blocks))).toBe("W5580"));
  it("is refused where only what reads it is bound", () => expect(lower(twice("shared", blocks, serial))).toBe("W5580"));
  it("is right in shared memory of threads", () => agree(twice("shared", threads, threads)));
  it("is right where all blocks fill it", () => agree(twice("shared", serial, blocks)));
  it("is refused at the step that binds the second loop", () => {
    const s = new Schedule(twice("local", "grid(64)", "grid(64)"));
    const [make, take] = ["make", "take"].map((name) => s.getLoops(s.getBlock(name))[0]);
    if (!make || !take) throw new Error("each block has a loop");
    s.bind(make, "threadIdx.x");
    expect(code(() => s.bind(take, "threadIdx.x"))).toBe("W5527");
  });
});

describe("global memory", () => {
  const sums = (first: string, second: string): Program =>
    programOf(`import { bind, block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const p = program({ X: [8, 8], S: [8], Z: [8] }, function p(X: Buffer<"f32", 2>, S: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  for (const i of ${first}) for (const k of grid(8)) block("sum", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => { S[vi] += X[vi][vk]; });
  for (const i of ${second}) block("scale", { vi: spatial(i) }, ({ vi }) => { Z[vi] = S[vi] * 2; });
});`);
  const [blocks, serial] = ['bind("blockIdx.x", 8)', "grid(8)"];
  it("is refused where blocks read what others write", () => expect(lower(sums(blocks, serial))).toBe("W5580"));
  it("is refused where each block would add to the same", () => expect(lower(sums(serial, blocks))).toBe("W5580"));
  it("is right where each block reads what it has written", () => agree(sums(blocks, blocks)));
});

describe("elements of shared memory that several threads store", () => {
  const through = (place: string): Program =>
    programOf(`import { alloc, bind, block, type Buffer, grid, program, spatial } from "warpsmith/schedule";
export const p = program({ X: [34], Z: [32] }, function p(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const T = alloc("f32", [34], "shared");
  for (const i of bind("threadIdx.x", 32)) {
    for (const h of grid(3)) block("make", { vi: spatial(34, i + h) }, ({ vi }) => { T[${place}] = X[vi] * 2; });
    block("take", { vi: spatial(i) }, ({ vi }) => { Z[vi] = T[${place}]; });
  }
});`);
  it("are right where they store the same", () => agree(through("vi"), ["normal"]));
  it("are refused where they store something else", () => expect(lower(through("0"))).toBe("W5580"));
  it("are refused at the step that binds the loop", () => {
    const s = new Schedule(
      programOf(`import { block, type Buffer, grid, program, spatial } from "warpsmith/schedule";
export const p = program({ X: [32, 8], Z: [32, 8] }, function p(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j] of grid(32, 8)) block("take", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { Z[vi][vj] = X[vi][vj]; });
});`),
    );
    const take = s.getBlock("take");
    const copy = s.cacheRead(take, "X", "shared");
    const [i] = s.getLoops(take);
    if (!i) throw new Error("the block has loops");
    s.computeAt(copy, i);
    s.multiBuffer("X_shared", i, 1);
    expect(code(() => s.bind(i, "threadIdx.x"))).toBe("W5527");
  });
  it("are refused where a loop has more iterations than threads come there", () =>
    expect(
      lower(
        programOf(`import { bind, program, type Buffer } from "warpsmith/schedule";
export const p = program({ X: [8], Z: [8] }, function p(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  for (const o of bind("threadIdx.x", 1)) for (const i of bind("threadIdx.x", 8)) Z[i] = X[i];
});`),
      ),
    ).toBe("W5580"));
});

describe("registers that all threads fill", () => {
  it("are filled with what the first thread has stored", () =>
    agree(
      programOf(`import { alloc, bind, program, type Buffer } from "warpsmith/schedule";
export const p = program({ X: [64], Z: [64] }, function p(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const S = alloc("f32", [1], "shared");
  const T = alloc("f32", [1], "local");
  S[0] = X[3];
  T[0] = S[0];
  S[0] = X[4];
  for (const i of bind("threadIdx.x", 64)) Z[i] = T[0] + S[0];
});`),
    ));
});

it("a copy that nothing waits for is refused", () =>
  expect(
    lower(
      programOf(`import { alloc, annotate, bind, block, program, spatial, type Buffer } from "warpsmith/schedule";
export const p = program({ X: [32], Z: [32] }, function p(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const S = alloc("f32", [32], "shared");
  for (const i of bind("threadIdx.x", 32)) block("in", { vi: spatial(i) }, ({ vi }) => { annotate({ async: true }); S[vi] = X[vi]; });
  for (const i of bind("threadIdx.x", 32)) Z[i] = S[i];
});`),
    ),
  ).toBe("W5604"));

describe("threads that store in one place under a condition", () => {
  const under = (condition: string): Program =>
    programOf(`import { alloc, bind, block, type Buffer, grid, program, spatial, where } from "warpsmith/schedule";
export const p = program({ X: [64], Z: [64] }, function p(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const T = alloc("f32", [1], "shared");
  for (const i of bind("threadIdx.x", 64))
    block("make", { vi: spatial(i), vt: spatial(1, 0) }, ({ vi, vt }) => { where(${condition}); T[vt] = X[vi]; });
  for (const i of bind("threadIdx.x", 64)) block("take", { vi: spatial(i) }, ({ vi }) => { Z[vi] = T[0]; });
});`);
  it.each(["i < 63", "i + 1 < 64 && i < 60", "i % 2 === 0"])("%s: is refused, as it holds in several of them", (condition) =>
    expect(lower(under(condition))).toBe("W5580"),
  );
  it.each(["i === 5", "i < 1", "i < 64 && 62 < i"])("%s: is right, as it holds in one", (condition) => agree(under(condition)));
});
