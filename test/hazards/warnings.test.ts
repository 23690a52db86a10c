/** Under `normal` with warnings each pair fails as without them, and what `strict` reports beside that is a warning. */
import { describe, expect, it } from "vitest";
import type { Warning } from "warpsmith";
import { some } from "../support/amount.ts";
import type { Hazard } from "./hazard.ts";
import { hazards } from "./index.ts";
import type { Setting } from "./schedule.ts";
import { isReport, mistaken, outcome } from "./verdict.ts";

/** `HAZARDS=mbarrier/ npx vitest run test/hazards/warnings.test.ts` */
const { HAZARDS: wanted = "" } = process.env;

const normal: Setting = { check: "normal", schedule: "eager" };

/** The manual allows these: what `strict` says of them is advice. */
const allowed: ReadonlySet<string> = new Set(["proxies/fence-of-the-reader", "maps/store-outside"]);

/** Pairs of which one half is tolerated; of the others few are asked. */
const isTolerated = ({ marks, practice }: Hazard): boolean => marks.strictOnly || practice !== undefined;
const named = hazards.filter(({ name, marks }) => name.startsWith(wanted) && !marks.refused);
const chosen = [
  ...named.filter(isTolerated),
  ...some(
    named.filter((hazard) => !isTolerated(hazard)),
    4,
  ),
];

const codeOf = (error: unknown): string | undefined => (isReport(error) ? error.code : undefined);

async function run(hazard: Hazard, broken: boolean): Promise<{ readonly error: unknown; readonly warnings: readonly Warning[] }> {
  const warnings: Warning[] = [];
  const error = await outcome(hazard, broken, normal, warnings);
  return { error, warnings };
}

describe.each(chosen.map((hazard) => [hazard.name, hazard] as const))("%s", (_, hazard) => {
  const { marks, practice } = hazard;
  it("broken: an error as without warnings, or a warning at its line", async () => {
    const { error, warnings } = await run(hazard, true);
    expect(codeOf(error)).toBe(codeOf(await outcome(hazard, true, normal)));
    if (!marks.strictOnly || !hazard.always) return;
    expect(error).toBe(undefined);
    if (allowed.has(hazard.name)) expect(warnings).toEqual([]);
    else expect(warnings.map((warning) => mistaken(hazard, warning))).toContain(undefined);
  });
  it("mended: neither, but for what practice does", async () => {
    const { error, warnings } = await run(hazard, false);
    expect(error).toBe(undefined);
    const codes = [...new Set(warnings.map(({ code }) => code))];
    expect(codes, warnings.map(String).join("\n")).toEqual(practice === undefined ? [] : [practice]);
  });
});
