import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rotating, some } from "../support/amount.ts";
import { assemble, noPtxas } from "../support/ptxas.ts";
import type { Hazard } from "./hazard.ts";
import { hazards } from "./index.ts";
import type { Schedule, Setting } from "./schedule.ts";
import { brokenProblems, mendedProblems } from "./verdict.ts";

/** `HAZARDS=mbarrier/ SCHEDULES=eager,lazy,torn,1,2 CHECKS=normal,strict npx vitest run test/hazards/hazards.test.ts` */
const { HAZARDS: wanted = "", SCHEDULES: schedules, CHECKS: checks = "normal,strict" } = process.env;

const scheduleOf = (text: string): Schedule => (text === "eager" || text === "lazy" || text === "torn" ? text : Number(text));

const chosen = hazards.filter((h) => h.name.startsWith(wanted));

const first: Setting = { check: "strict", schedule: "eager" };
const second: Setting = { check: "normal", schedule: 1 };
const seeded = [2, 3, 4, 5, 6, 7].map((schedule): Setting => ({ check: "normal", schedule }));

/** Those of which the first setting tells all are asked in turns under the second. */
const secondOf = new Set(
  some(
    chosen.filter((h) => h.always && h.practice === undefined && !h.marks.strictOnly),
    10,
  ),
);
const needsSecond = (h: Hazard): boolean => !h.always || h.practice !== undefined || h.marks.strictOnly || secondOf.has(h);

/** Few by default: `run.ts` does them all. What is excused depends on who comes first: some seeds take the lanes of a store one by one. */
function settingsOf(hazard: Hazard): readonly Setting[] {
  if (schedules !== undefined)
    return checks
      .split(",")
      .flatMap((check) => schedules.split(",").map((s) => ({ check: check as Setting["check"], schedule: scheduleOf(s) })));
  const more = hazard.practice === undefined ? [] : some(seeded, 0);
  return [first, ...(needsSecond(hazard) ? [second] : []), ...more];
}

/** The first of each error: what is mended in the others is asked in turns. */
const firsts = new Set(new Map(chosen.toReversed().map((h) => [h.marks.main.codes[0], h])).values());

describe.each(chosen.map((h) => [h.name, h] as const))("%s", (_, hazard) => {
  it("broken: reported", async () => {
    const problems = await brokenProblems(hazard, settingsOf(hazard));
    if (problems.length > 0) throw new Error(problems.join("\n\n"));
  });
  it("mended: silent and right", firsts.has(hazard) ? {} : rotating, async () => {
    const problems = await mendedProblems(hazard, settingsOf(hazard));
    if (problems.length > 0) throw new Error(problems.join("\n\n"));
  });
});

describe("the pairs", () => {
  it("that are asked for are some", () => expect(chosen, `no pair begins with HAZARDS=${wanted}`).not.toEqual([]));
  it("have names of their own", () => {
    const names = hazards.map((h) => h.name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
  it("name an other side, which a deadlock has not", async () => {
    const found = hazards.find((h) => h.name === "mbarrier/phase-before");
    // The copy is there before any warp looks: all of them wait for the next phase.
    expect(found && (await brokenProblems(found, [{ check: "normal", schedule: 5 }]))).toEqual([]);
  });
  it("are in the table, and the table names no others", () => {
    const table = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
    const rows = new Map([...table.matchAll(/^\| (\d+) \|(.*)$/gm)].map(([, n, rest]) => [Number(n), rest ?? ""]));
    expect([...rows.keys()]).toEqual(Array.from({ length: 75 }, (_, i) => i + 1));
    const named = [...rows].flatMap(([n, rest]) => [...rest.matchAll(/`([a-z0-9-]+\/[a-z0-9-]+)`/g)].map((m) => `${n} ${m[1]}`));
    const there = hazards.flatMap((h) => h.classes.map((n) => `${n} ${h.name}`));
    expect(named.sort()).toEqual(there.sort());
  });
  // What does not assemble has run on the emulator all the same.
  it
    .skipIf(noPtxas !== undefined)
    .each(chosen.flatMap((h) => h.ptx.map((text, i) => [`${h.name} ${i === 0 ? "broken" : "mended"}`, text] as const)))(
    "%s assembles",
    (_, text) => {
      const made = assemble(text);
      expect(made?.ok, made?.log).toBe(true);
    },
  );
});
