import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import type { WarpsmithError } from "../../../../src/base/diag/index.ts";
import type { Program } from "../../../../src/emulator/program/program.ts";
import { Reports } from "../../../../src/emulator/run/reports.ts";

/** Each instruction in a line of its own. */
const program = {
  name: "k",
  placeOf: (at: number) => [{ file: "k.ptx", line: at + 1, column: 1, length: 1 }],
} as unknown as Program;

const causesOf = (error: WarpsmithError | undefined): readonly WarpsmithError[] =>
  error?.cause instanceof AggregateError ? (error.cause.errors as WarpsmithError[]) : [];

describe("many reports of one launch", () => {
  const unwritten = (reports: Reports, at: number): void =>
    reports.add("W9209", { who: "thread 0", what: `${at}`, ended: [], kernel: "k", why: "which nothing has written" }, at);

  it("are counted, and the first are told", () => {
    const reports = new Reports(program, "ignore");
    for (let again = 0; again < 3; again++) for (let at = 0; at < 40; at++) unwritten(reports, at);
    const error = reports.error();
    expect(error?.sentence).toMatch(/\n {2}39 more: W9209 at k\.ptx:2, .*, …$/);
    expect(causesOf(error)).toHaveLength(15);
  });

  it("are printed by Node as they are written, without what holds them", () => {
    const reports = new Reports(program, "ignore");
    for (let at = 0; at < 3; at++) unwritten(reports, at);
    const printed = inspect(reports.error());
    for (const line of ["k.ptx:1:1", "k.ptx:2:1", "k.ptx:3:1"]) expect(printed).toContain(line);
    expect(printed).not.toMatch(/AggregateError|\[errors\]|reports\.(ts|js)/);
  });

  it("are counted no further than anybody wants to know", () => {
    const reports = new Reports(program, "ignore");
    for (let at = 0; at < 5000; at++) unwritten(reports, at);
    expect(reports.error()?.sentence).toMatch(/\n {2}at least 999 more: /);
  });

  it("are counted where they are warnings, too", () => {
    const reports = new Reports(program, "warn");
    const args = { kernel: "k", who: "warp 0", barrier: "barrier 1 of its block", why: "it arrives again" };
    for (let at = 0; at < 40; at++) reports.tolerate("W9226", args, at);
    const warnings = reports.warnings();
    expect(warnings).toHaveLength(16);
    expect(warnings.at(-1)?.sentence).toMatch(/\n {2}24 more in this launch$/);
  });

  it("do not hide what explains them, however late it comes", () => {
    const reports = new Reports(program, "ignore");
    for (let at = 0; at < 40; at++) unwritten(reports, at);
    reports.add("W9218", { kernel: "k", register: "%r1" }, 100);
    expect(reports.error()?.code).toBe("W9218");
    expect(causesOf(reports.error())).toHaveLength(15);
  });

  const unwrittenSums = kernel({ block: 32, grid: 4 }, function unwrittenSums(x: Tensor<"i32", 2>, y: Tensor<"i32", 1>) {
    const at = threadIdx.x;
    let sum = 0;
    sum += x[0]![at]!;
    sum += x[1]![at]!;
    sum += x[2]![at]!;
    sum += x[3]![at]!;
    sum += x[4]![at]!;
    sum += x[5]![at]!;
    sum += x[6]![at]!;
    sum += x[7]![at]!;
    sum += x[8]![at]!;
    sum += x[9]![at]!;
    sum += x[10]![at]!;
    sum += x[11]![at]!;
    sum += x[12]![at]!;
    sum += x[13]![at]!;
    sum += x[14]![at]!;
    sum += x[15]![at]!;
    sum += x[16]![at]!;
    sum += x[17]![at]!;
    y.at(at).atomic("add", sum + 1);
  });

  it("leave the launch to come to its end", async () => {
    await using gpu = await openDevice("emulator", { check: "normal", threads: 1 });
    using x = gpu.empty("i32", [18, 32]),
      y = gpu.zeros("i32", [32]);
    unwrittenSums.launch({}, x, y);
    await expect(y.read()).rejects.toThrow(/W9209[\s\S]* 17 more: /);
    expect(await y.read()).toEqual(new Int32Array(32).fill(4));
  });
});
