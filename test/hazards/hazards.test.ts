import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assemble } from "../support/ptxas.ts";
import type { Hazard } from "./hazard.ts";
import { hazards } from "./index.ts";
import type { Schedule, Setting } from "./schedule.ts";
import { brokenProblems, mendedProblems } from "./verdict.ts";

/** `HAZARDS=mbarrier/ SCHEDULES=eager,lazy,torn,1,2 CHECKS=normal,strict npx vitest run test/hazards/hazards.test.ts` */
const { HAZARDS: wanted = "", SCHEDULES: schedules, CHECKS: checks = "normal,strict" } = process.env;

const scheduleOf = (text: string): Schedule => (text === "eager" || text === "lazy" || text === "torn" ? text : Number(text));

/** Few by default: `run.ts` does them all. */
const settings: readonly Setting[] =
  schedules === undefined
    ? [
        { check: "strict", schedule: "eager" },
        { check: "normal", schedule: 1 },
      ]
    : checks
        .split(",")
        .flatMap((check) =>
          schedules.split(",").map((s): Setting => ({ check: check as Setting["check"], schedule: scheduleOf(s) })),
        );

const chosen = hazards.filter((h) => h.name.startsWith(wanted));

/** What is excused depends on who comes first: some seeds take the lanes of a store one by one. */
const settingsOf = ({ practice }: Hazard): readonly Setting[] =>
  practice === undefined || schedules !== undefined
    ? settings
    : [...settings, ...[2, 3, 4, 5, 6, 7].map((schedule): Setting => ({ check: "normal", schedule }))];

describe.each(chosen.map((h) => [h.name, h] as const))("%s", (_, hazard) => {
  it("broken: reported", async () => {
    const problems = await brokenProblems(hazard, settingsOf(hazard));
    if (problems.length > 0) throw new Error(problems.join("\n\n"));
  });
  it("mended: silent and right", async () => {
    const problems = await mendedProblems(hazard, settingsOf(hazard));
    if (problems.length > 0) throw new Error(problems.join("\n\n"));
  });
});

describe("the pairs", () => {
  it("have names of their own", () => {
    const names = hazards.map((h) => h.name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
  it("are in the table, and the table names no others", () => {
    const table = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
    const rows = new Map([...table.matchAll(/^\| (\d+) \|(.*)$/gm)].map(([, n, rest]) => [Number(n), rest ?? ""]));
    expect([...rows.keys()]).toEqual(Array.from({ length: 74 }, (_, i) => i + 1));
    const named = [...rows].flatMap(([n, rest]) => [...rest.matchAll(/`([a-z0-9-]+\/[a-z0-9-]+)`/g)].map((m) => `${n} ${m[1]}`));
    const there = hazards.flatMap((h) => h.classes.map((n) => `${n} ${h.name}`));
    expect(named.sort()).toEqual(there.sort());
  });
  it.each(chosen.flatMap((h) => h.ptx.map((text, i) => [`${h.name} ${i === 0 ? "broken" : "mended"}`, text] as const)))(
    "%s assembles",
    (_, text) => {
      const made = assemble(text);
      if (made) expect(made.ok, made.log).toBe(true);
    },
  );
});
