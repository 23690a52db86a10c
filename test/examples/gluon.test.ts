import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Device, openDevice, WarpsmithError } from "warpsmith";
import type { Order } from "../../examples/gluon/04-tma/order.ts";
import type { CaseRun, Lesson, LessonCase } from "../../examples/lesson.ts";
import { rotating } from "../support/amount.ts";

const gluon = join(import.meta.dirname, "../../examples/gluon");
const { lessons } = (await import(/* @vite-ignore */ join(gluon, "lessons.ts"))) as { readonly lessons: readonly Lesson[] };
const { runOn } = (await import(/* @vite-ignore */ join(gluon, "../lesson.ts"))) as {
  readonly runOn: (gpu: { readonly kind: "emulator" }, c: LessonCase) => CaseRun;
};
const { orders } = (await import(/* @vite-ignore */ join(gluon, "04-tma/orders.ts"))) as { readonly orders: readonly Order[] };

/** The first case of each kernel. */
const firsts = (cases: readonly LessonCase[]): readonly LessonCase[] => [
  ...new Map(cases.toReversed().map((c) => [c.kernel, c])).values(),
];
const named = (cases: (of: readonly LessonCase[]) => readonly LessonCase[]) =>
  lessons.flatMap(({ name, cases: all }) =>
    cases(all).map((c) => {
      const here = runOn({ kind: "emulator" }, c);
      return [`${name} ${c.kernel} ${here.parameters}`, here] as const;
    }),
  );
const under =
  (check: "normal" | "strict") =>
  async (_: string, c: CaseRun): Promise<void> => {
    await using gpu = await openDevice("emulator", { check });
    await c.run(gpu);
  };

/** Of each lesson one kernel, the one that the emulator runs soonest: `strict` sees what `normal` sees and more. */
const soonest = [
  ...["01-intro memcpy ", "02-layouts affine ", "03-async-copy memcpy ", "04-tma add ", "05-wgmma blocked "],
  ...["07-persistence pipelined ", "08-warp-specialization add ", "13-im2col ", "14-multi-cta softmax "],
];

/** Of these `npm test` takes those whose parts other tests have least. */
const isQuick = (name: string): boolean => /^(?:04|08|14)-/.test(name);

describe("the lessons on the emulator, check strict", () => {
  const always = named(firsts).filter(([name]) => soonest.some((start) => name.startsWith(start)));
  const isOne = (name: string): boolean => always.some(([known]) => known === name);
  it("of each lesson there is one", () =>
    expect(new Set(always.map(([name]) => name.split(" ", 1)[0]))).toEqual(new Set(lessons.map(({ name }) => name))));
  it.each(always.filter(([name]) => isQuick(name)))("%s", under("strict"));
  it.each(named((all) => all).filter(([name]) => !isOne(name) || !isQuick(name)))("%s", rotating, under("strict"));
});
describe("the lessons on the emulator, check normal", () => {
  it.each(named(firsts))("%s", rotating, under("normal"));
});

describe("lesson 04 says what the checks report", () => {
  const readme = readFileSync(join(gluon, "04-tma/README.md"), "utf8");
  const verdict = async (run: Order["run"], fenced: boolean, check: "normal" | "strict"): Promise<string> => {
    await using gpu = await openDevice("emulator", { check });
    try {
      await run(gpu, fenced);
      return "silent";
    } catch (error) {
      if (!(error instanceof WarpsmithError)) throw error;
      return error.code;
    }
  };
  it.each(orders.map((order) => [order.name, order] as const))("%s", async (name, { run }) => {
    const cells = [];
    for (const fenced of [true, false])
      for (const check of ["normal", "strict"] as const) cells.push(await verdict(run, fenced, check));
    expect(readme).toContain(`| \`${name}\` | ${cells.join(" | ")} |`);
  });
});

it.each(["normal", "strict"] as const)("lesson 04 says what the check %s reports of a message", async (check) => {
  const { sendMessage } = (await import(/* @vite-ignore */ join(gluon, "04-tma/main.ts"))) as {
    sendMessage(gpu: Device, early: boolean): Promise<void>;
  };
  const readme = readFileSync(join(gluon, "04-tma/README.md"), "utf8");
  await using gpu = await openDevice("emulator", { check });
  await sendMessage(gpu, false);
  expect(readme).toContain("| written | silent | silent |");
  await expect(sendMessage(gpu, true)).rejects.toThrow("W9206");
  expect(readme).toContain("| read | W9206 | W9206 |");
});

describe.each(["02-layouts", "05-wgmma"])("the drawings of lesson %s", async (lesson) => {
  const { pictures } = (await import(/* @vite-ignore */ join(gluon, lesson, "pictures.ts"))) as {
    readonly pictures: Readonly<Record<string, () => string>>;
  };
  const readme = readFileSync(join(gluon, lesson, "README.md"), "utf8");
  it.each(Object.entries(pictures))("%s is current, and shown", (name, draw) => {
    expect(readFileSync(join(gluon, lesson, name), "utf8")).toBe(draw());
    expect(readme).toContain(`](${name})`);
  });
});

it("lesson 02 says what its layouts cost", rotating, async () => {
  const { costs } = (await import(/* @vite-ignore */ join(gluon, "02-layouts/cost.ts"))) as { readonly costs: () => string[] };
  const readme = readFileSync(join(gluon, "02-layouts/README.md"), "utf8");
  for (const row of costs()) expect(readme).toContain(row);
});

it("lesson 13 says which pixels its loads take", async () => {
  const from = async (file: string) =>
    (await import(/* @vite-ignore */ join(gluon, "13-im2col", file))) as Record<string, unknown>;
  const windows = (await from("load.ts")).windows as Readonly<Record<string, unknown>>;
  const placesText = (await from("places.ts")).placesText as (window: unknown) => string;
  const readme = readFileSync(join(gluon, "13-im2col/README.md"), "utf8");
  for (const [name, window] of Object.entries(windows))
    expect(readme).toMatch(new RegExp(`\\| \`${name}\` \\| .* \\| \`${placesText(window)}\` \\|`));
});
