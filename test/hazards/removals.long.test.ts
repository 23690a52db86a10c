// Kernels with one piece of their synchronisation taken out at a time: what must be said of each.
import { rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { copies, type Launch, type Taken } from "./families/family.ts";
import { families } from "./families/index.ts";
import { type Said, saidOf, settings } from "./said.ts";
import { nameOf } from "./schedule.ts";

afterAll(() => rmSync(copies, { recursive: true }));

/** Under one of the settings it is said as the table says, and nothing under any before. */
async function expectOnce({ settings, judge }: Taken, launch: Launch): Promise<void> {
  for (const setting of settings) {
    const said = await saidOf(launch, setting);
    if (said) return expect(judge(setting, said)).toBe(undefined);
  }
  throw new Error(`nothing was said under ${settings.length} timings`);
}

const longest = 120_000;

describe.each(families.map((family) => [family.name, family] as const))("%s", (_, { lines, wholes, taken }) => {
  it.each(lines.map((one) => [one.file, one] as const))(
    "what synchronises in %s.ts is in the table, line by line",
    (_, { missing }) => expect(missing()).toEqual([]),
  );

  it.each(wholes.map((one) => [one.title, one] as const))(
    "%s: nothing is said as it is",
    { timeout: longest },
    async (_, { load }) => {
      const launch = await load();
      for (const setting of settings) expect(await saidOf(launch, setting), nameOf(setting)).toBe(undefined);
    },
  );

  it.each(taken.map((one) => [one.title, one] as const))("%s", { timeout: longest }, async (_, one) => {
    const launch = await one.load();
    if (one.someSchedule) return await expectOnce(one, launch);
    const said: (Said | undefined)[] = [];
    for (const setting of one.settings) said.push(await saidOf(launch, setting));
    if (process.env.UPDATE && one.renew) return one.renew(said);
    const wrong = one.settings.flatMap((setting, i) => one.judge(setting, said[i]) ?? []);
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
  });
});
