import { describe, expect, it } from "vitest";
import { assemble } from "../ptxas.ts";
import type { Hazard } from "./hazard.ts";
import { hazards } from "./index.ts";
import { nameOf, type Schedule, type Setting } from "./schedule.ts";
import { isExpected, judgeBroken, judgeMended } from "./verdict.ts";

/** `HAZARDS=mbarrier/ SCHEDULES=eager,lazy,1,2 CHECKS=off npx vitest run test/hazards/hazards.test.ts` */
const { HAZARDS: wanted = "", SCHEDULES: schedules = "eager,lazy,1", CHECKS: checks = "normal,strict" } = process.env;

// test/cases.test.ts compiles enough with the graph checked after every pass.
delete process.env.WARPSMITH_VERIFY;

const scheduleOf = (text: string): Schedule => (text === "eager" || text === "lazy" || text === "torn" ? text : Number(text));
const settings = checks
  .split(",")
  .flatMap((check) => schedules.split(",").map((s): Setting => ({ check: check as Setting["check"], schedule: scheduleOf(s) })));

/** What does not depend on the schedule, and what is slow, runs once. */
const settingsOf = (hazard: Hazard): readonly Setting[] =>
  hazard.marks.refused || hazard.stepBudget !== undefined ? settings.slice(0, 1) : settings;

const chosen = hazards.filter((h) => h.name.startsWith(wanted));

describe.each(chosen.map((h) => [h.name, h] as const))("%s", (_, hazard) => {
  it("broken: reported", async () => {
    const seen: string[] = [];
    const wrong: string[] = [];
    for (const setting of settingsOf(hazard)) {
      const { reported, problem } = await judgeBroken(hazard, setting);
      const expected = isExpected(hazard, setting);
      if (problem !== undefined) wrong.push(`${nameOf(setting)}: ${problem}`);
      if (reported) seen.push(nameOf(setting));
      if (reported && !expected && setting.check !== "off") wrong.push(`${nameOf(setting)}: reported, and it is tolerated`);
      if (!reported && expected && hazard.always) wrong.push(`${nameOf(setting)}: not reported`);
    }
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
    if (checks !== "off") expect(seen).not.toEqual([]);
  });
  it("mended: silent and right", async () => {
    const wrong: string[] = [];
    for (const setting of settingsOf(hazard)) {
      const problem = await judgeMended(hazard, setting);
      if (problem !== undefined) wrong.push(`${nameOf(setting)}: ${problem}`);
    }
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
  });
});

describe("the pairs", () => {
  it("have names of their own", () => {
    const names = hazards.map((h) => h.name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
  it.each(chosen.flatMap((h) => h.ptx.map((text, i) => [`${h.name} ${i === 0 ? "broken" : "mended"}`, text] as const)))(
    "%s assembles",
    (_, text) => {
      const made = assemble(text);
      if (made) expect(made.ok, made.log).toBe(true);
    },
  );
});
