// Registers of a thread that are first stored under a condition or in a loop.
import { describe, expect, it } from "vitest";
import { type LoopRef, Schedule } from "warpsmith/schedule";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import { programOf } from "../../schedule/program-of.ts";
import { rotating } from "../../support/amount.ts";
import { agree } from "./agree.ts";

/** A program of X [64] and Z [64] with `t`, so many elements in registers. */
const withLocal = (elements: number, body: string, dtype = "f32"): Program =>
  programOf(`import { alloc, bind, block, type Buffer, grid, init, program, reduce, spatial, where } from "warpsmith/schedule";
export const p = program({ X: [64], Z: [64] }, function p(X: Buffer<"${dtype}", 1>, Z: Buffer<"${dtype}", 1>) {
  const t = alloc("${dtype}", [${elements}], "local");
  ${body}
});`);

const sum = 'block("sum", { vk: reduce(k) }, ({ vk }) => { init(() => { t[0] = 0; }); t[0] += X[vk]; });';

describe("a sum in registers with its init", () => {
  it("is right in one thread", () => agree(withLocal(1, `for (const k of grid(64)) ${sum} Z[0] = t[0];`)));
  it("is right in integers", () => agree(withLocal(1, `for (const k of grid(64)) ${sum} Z[0] = t[0];`, "i32")));
  it("is right where all threads make it and use it", () =>
    agree(
      withLocal(
        1,
        `for (const k of grid(64)) ${sum}
  for (const i of bind("threadIdx.x", 64)) block("use", { vi: spatial(i) }, ({ vi }) => { Z[vi] = X[vi] - t[0]; });`,
      ),
    ));
  it("is right in each thread, over two loops", () =>
    agree(
      withLocal(
        1,
        `for (const i of bind("threadIdx.x", 16)) {
    for (const [j, k] of grid(2, 2)) block("sum", { vi: spatial(i), vj: reduce(j), vk: reduce(k) }, ({ vi, vj, vk }) => { init(() => { t[0] = 0; }); t[0] += X[vi * 4 + vj * 2 + vk]; });
    block("use", { vi: spatial(i) }, ({ vi }) => { Z[vi] = t[0]; });
  }`,
      ),
    ));
  it("begins anew in each iteration of a loop around", () =>
    agree(
      withLocal(
        1,
        `for (const i of grid(16)) {
    for (const k of grid(4)) block("sum", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => { init(() => { t[0] = 0; }); t[0] += X[vi * 4 + vk]; });
    block("use", { vi: spatial(i) }, ({ vi }) => { Z[vi] = t[0]; });
  }`,
      ),
    ));
});

describe("registers that conditions fill", () => {
  it("are right under the same ones, at another place", () =>
    agree(
      withLocal(
        32,
        `for (const i of bind("threadIdx.x", 32)) block("a", { vi: spatial(i) }, ({ vi }) => { t[vi] = X[vi] * 2; });
  for (const i of bind("threadIdx.x", 64)) block("b", { vi: spatial(i) }, ({ vi }) => { Z[vi] = X[vi]; });
  for (const i of bind("threadIdx.x", 32)) block("c", { vi: spatial(i) }, ({ vi }) => { Z[vi] = t[vi] + 1; });`,
      ),
    ));
  const copy = (write: string, read: string, value = "t[vi] + 1"): Program =>
    withLocal(
      64,
      `for (const i of bind("threadIdx.x", 64)) {
    block("a", { vi: spatial(i) }, ({ vi }) => { where(${write}); t[vi] = X[vi] * 2; });
    block("c", { vi: spatial(i) }, ({ vi }) => { where(${read}); Z[vi] = ${value}; });
  }`,
    );
  it("are right under a narrower one", () => agree(copy("vi * 2 < 100", "vi < 40 && vi % 3 === 0")));
  it("are right where a choice reads them", () => agree(copy("vi < 40", "vi < 64", "vi < 40 ? t[vi] : 7")));
  it("are right under one that asks data", () => agree(copy("X[vi] > 0", "X[vi] > 0 && X[vi] < 3")));
  it("are refused under a wider one", () =>
    expect(() => compiled(copy("vi < 40", "vi < 41"))).toThrow(/`t`.*has stored before, where threadIdx.x is 40/));
  it("are right where the one of a loop follows that of the other", () =>
    agree(
      withLocal(
        1,
        `for (const k of grid(64)) {
    block("a", { vk: spatial(k) }, ({ vk }) => { where(vk === 3); t[0] = X[vk]; });
    block("c", { vk: spatial(k) }, ({ vk }) => { where(vk >= 3); Z[vk] = t[0]; });
  }`,
      ),
    ));
  it("are right from one iteration to the next", () =>
    agree(
      withLocal(
        1,
        `for (const k of grid(64)) {
    block("use", { vk: spatial(k) }, ({ vk }) => { where(vk > 0); Z[vk] = t[0]; });
    block("keep", { vk: spatial(k) }, ({ vk }) => { t[0] = X[vk]; });
  }`,
      ),
    ));
  it("are right after the loop that fills them", () =>
    agree(withLocal(1, "for (const k of grid(64)) t[0] = X[k]; Z[0] = t[0];")));
});

const compiled = (p: Program) => programKernel(p).compile(...specsOf(p));

describe("what nothing has stored is refused", () => {
  const refused = (p: Program, why: RegExp): void => {
    expect(() => compiled(p)).toThrow(expect.objectContaining({ code: "W5609" }));
    expect(() => compiled(p)).toThrow(why);
  };
  it("where nothing does", () => refused(withLocal(64, "for (const i of grid(64)) Z[i] = t[i] + X[i];"), /before\.\n/));
  it("where nothing does, under a condition that asks data", () =>
    refused(
      withLocal(1, 'for (const i of grid(64)) block("a", { vi: spatial(i) }, ({ vi }) => { where(X[vi] > 5); Z[vi] = t[0]; });'),
      /before\.\n/,
    ));
  it("in a sum without its init", () =>
    refused(
      withLocal(1, 'for (const k of grid(64)) block("sum", { vk: reduce(k) }, ({ vk }) => { t[0] += X[vk]; }); Z[0] = t[0];'),
      /before\.\n/,
    ));
  it("where a later statement stores it", () =>
    refused(withLocal(1, "for (const k of grid(64)) { Z[k] = t[0]; t[0] = X[k]; }"), /before\.\n/));
  it("in threads that did not come to the store", () =>
    refused(
      withLocal(
        64,
        `for (const i of bind("threadIdx.x", 32)) for (const k of grid(2)) block("sum", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => { init(() => { t[vi] = 0; }); t[vi] += X[vi * 2 + vk]; });
  for (const i of bind("threadIdx.x", 64)) block("use", { vi: spatial(i) }, ({ vi }) => { Z[vi] = t[vi]; });`,
      ),
      /before, where threadIdx\.x is 32\.\n/,
    ));
});

describe("schedules of a product that leave its init where it is", () => {
  const product = programOf(`import { f32 } from "warpsmith";
import { block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const matmul = program({ A: [16, 16], B: [16, 16], C: [16, 16] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(16, 16, 16))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => { init(() => { C[vi][vj] = 0; }); C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]); });
});`);
  it("are right with the sum in registers", async () => {
    const s = new Schedule(product);
    const block = s.getBlock("matmul");
    const write = s.cacheWrite(block, "C", "local");
    const [i, j] = s.getLoops(block) as [LoopRef, LoopRef];
    s.reverseComputeAt(write, j);
    s.bind(i, "threadIdx.y");
    s.bind(j, "threadIdx.x");
    await agree(s.program);
  });
  it("are right with four sums of a thread in registers", async () => {
    const s = new Schedule(product);
    const block = s.getBlock("matmul");
    const write = s.cacheWrite(block, "C", "local");
    const [i, j, k] = s.getLoops(block) as [LoopRef, LoopRef, LoopRef];
    const [j0, j1] = s.split(j, [null, 4]) as [LoopRef, LoopRef];
    s.reorder(k, j1);
    s.reverseComputeAt(write, j0);
    s.unroll(j1);
    const rest = s.getLoops(write).at(-1);
    if (rest) s.unroll(rest);
    s.bind(i, "threadIdx.y");
    s.bind(j0, "threadIdx.x");
    await agree(s.program);
  });
  it("are right with partial sums in registers", rotating, async () => {
    const s = new Schedule(product);
    const block = s.getBlock("matmul");
    const k = s.getLoops(block)[2] as LoopRef;
    const [, inner] = s.split(k, [null, 4]) as [LoopRef, LoopRef];
    const { partial } = s.rfactor(inner, 2);
    s.setScope("C_rf", "local");
    for (const b of [partial, block]) {
      const [first] = s.getLoops(b);
      if (first) s.bind(first, "threadIdx.x");
    }
    await agree(s.program);
  });
});
