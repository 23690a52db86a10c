import { describe, expect, it } from "vitest";
import { Schedule } from "warpsmith/schedule";
import { parametersOf, type WarpsmithError } from "../../../src/base/diag/index.ts";
import { programOf } from "../../schedule/program-of.ts";

const doubled = programOf(`import { block, type Buffer, grid, program, spatial } from "warpsmith/schedule";
export const p = program({ X: [8, 8], Z: [8, 8] }, function doubled(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j] of grid(8, 8)) block("b", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { Z[vi][vj] = X[vi][vj] * 2; });
});`);

const start = () => {
  const sch = new Schedule(doubled);
  const block = sch.getBlock("b");
  const [i, j] = sch.getLoops(block);
  return { sch, block, i, j };
};
type Start = ReturnType<typeof start>;
const refusal = (run: (given: Start) => unknown): { readonly code: string; readonly text: string; readonly steps: number } => {
  const given = start();
  const before = given.sch.applied.length;
  try {
    run(given);
  } catch (e) {
    const { code, message } = e as WarpsmithError;
    return { code, text: message.split("\n")[0] ?? "", steps: given.sch.applied.length - before };
  }
  throw new Error("nothing was refused");
};

/** Methods that look at the whole program, or at nothing. */
const free = new Set(["constructor", "print", "kernel", "stages", "diff", "html", "trace", "getBlocks", "packShared"]);
const stepNames = Object.getOwnPropertyNames(Schedule.prototype).filter(
  (n) => !free.has(n) && typeof Object.getOwnPropertyDescriptor(Schedule.prototype, n)?.value === "function",
);

describe("what a step does not take is W5521 before anything is rewritten", () => {
  it.each(stepNames)("%s of nothing", (name) => {
    const options = name === "peel" ? {} : { stages: [0] };
    const found = refusal(({ sch }) => {
      const step = (sch as never as Record<string, (...a: unknown[]) => unknown>)[name];
      return step && Reflect.apply(step, sch, parametersOf(step).names.length === 1 ? [undefined] : [undefined, options]);
    });
    expect(found.code).toBe("W5521");
    expect(found.text).toMatch(/as its first argument, not undefined/);
    expect(found.steps).toBe(0);
  });
  it.each<readonly [string, (given: Start) => unknown, RegExp]>([
    [
      "a number for a list",
      ({ sch, i }) => sch.split(i as never, 16 as never),
      /split\(…\) takes a list of numbers.* second argument, not 16/,
    ],
    ["a name for a loop", ({ sch }) => sch.split("i" as never, [null, 4]), /takes a loop as its first argument, not "i"/],
    ["a block for a loop", ({ sch, block }) => sch.bind(block as never, "threadIdx.x"), /takes a loop .* not the block 'b'/],
    ["a list of loops for loops", ({ sch, i, j }) => sch.fuse([i, j] as never), /not a list of the loop 'i' and others/],
    [
      "a third loop of two",
      ({ sch, i, j }) => sch.reorder(j as never, i as never, undefined as never),
      /third argument, not undefined/,
    ],
    ["no loop to go to", ({ sch, block }) => sch.computeAt(block, undefined as never), /takes a loop as its second argument/],
    [
      "half an index",
      ({ sch, i }) => sch.bind(i as never, "threadIdx" as never),
      /takes an index of threads or blocks .* not "threadIdx"/,
    ],
    [
      "a scope of others",
      ({ sch, block }) => sch.cacheRead(block, "X", "smem" as never),
      /takes a scope as its third argument, not "smem"/,
    ],
    [
      "one stage for all",
      ({ sch, i }) => sch.pipeline(i as never, { stages: 2 } as never),
      /stage for each statement .* not \{ stages: 2 \}/,
    ],
    ["no annotations", ({ sch, block }) => sch.annotate(block, undefined as never), /takes annotations as its second argument/],
    ["a function for a program", () => new Schedule((() => {}) as never), /new Schedule\(…\) takes a program, not a function/],
  ])("%s", (_, run, text) => {
    const found = refusal(run);
    expect(found.code).toBe("W5521");
    expect(found.text).toMatch(text);
    expect(found.steps).toBe(0);
  });
});
