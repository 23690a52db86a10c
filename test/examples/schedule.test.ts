import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import type { CaseRun, Lesson, LessonCase } from "../../examples/lesson.ts";
import { sameProgram } from "../../src/schedule/ir/same.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";
import { programOf } from "../schedule/program-of.ts";
import { rotating } from "../support/amount.ts";

const examples = join(import.meta.dirname, "../../examples");
const { lessons } = (await import(/* @vite-ignore */ join(examples, "schedule/lessons.ts"))) as {
  readonly lessons: readonly Lesson[];
};
const { runOn } = (await import(/* @vite-ignore */ join(examples, "lesson.ts"))) as {
  readonly runOn: (gpu: { readonly kind: "emulator" }, c: LessonCase) => CaseRun;
};

const cases = lessons.flatMap(({ name, cases: all }) =>
  all.map((c) => [`${name}, ${c.kernel}`, runOn({ kind: "emulator" }, c)] as const),
);

describe("the lessons of schedules on the emulator, check strict", () => {
  const run = async (_: string, c: CaseRun): Promise<void> => {
    await using gpu = await openDevice("emulator", { check: "strict" });
    await c.run(gpu);
  };
  /** Steps on the way, and those that the later ones go on from. */
  const isOne = (name: string): boolean => /, (5|8|16) /.test(name);
  it.each(cases.filter(([name]) => isOne(name)))("%s", run);
  it.each(cases.filter(([name]) => !isOne(name)))("%s", rotating, run);
});

const { steps, tensorize, tutorialSplits } = (await import(/* @vite-ignore */ join(examples, "schedule/tensorir/steps.ts"))) as {
  readonly steps: readonly string[];
  readonly tutorialSplits: unknown;
  tensorize(n: number, splits: unknown, last: string): Schedule;
};

/** The programs that the tutorial prints, at its own size. */
describe("the tutorial of tensor cores prints", () => {
  it.each(steps)("%s", async (step) => {
    const schedule = tensorize(1024, tutorialSplits, step);
    const text = schedule.print();
    await expect(text).toMatchFileSnapshot(
      join(import.meta.dirname, `../goldens/schedules/tensorir/${step.replaceAll(" ", "-")}.txt`),
    );
  });
  it.each(steps)("%s, and what is printed is the same program", rotating, (step) => {
    const schedule = tensorize(1024, tutorialSplits, step);
    expect(sameProgram(programOf(schedule.print()), schedule.program)).toBe(true);
  });
});
