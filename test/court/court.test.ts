/** Each public bug is named by default on the first schedule, its mended twin is silent and right; and the page says what was said. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Warning } from "warpsmith";
import { isReport, mistaken, outcome } from "../hazards/verdict.ts";
import { rotating } from "../support/amount.ts";
import { assemble, noPtxas } from "../support/ptxas.ts";
import type { CourtCase } from "./court-case.ts";
import { courtPage, type Said } from "./court-page.ts";
import { court } from "./index.ts";

/** `COURT=clusters/ npx vitest run test/court` */
const { COURT: wanted = "" } = process.env;

/** What `openDevice("emulator")` gives. */
const byDefault = { check: "normal", schedule: "eager" } as const;

const said = new Map<string, Said>();

/** What is wrong with what was said of the broken one. */
async function problemOf(bug: CourtCase): Promise<string | undefined> {
  const warnings: Warning[] = [];
  const error = await outcome(bug, true, byDefault, warnings);
  if (error !== undefined && !isReport(error)) return String(error);
  if (error) {
    said.set(bug.name, { code: error.code, kind: "error" });
    return bug.marks.strictOnly ? `an error instead of a warning:\n${error.message}` : mistaken(bug, error);
  }
  if (warnings.length === 0) return "nothing is said";
  if (!bug.marks.strictOnly) return `a warning instead of an error:\n${warnings[0]?.message}`;
  const right = warnings.find((warning) => mistaken(bug, warning) === undefined);
  if (!right) return warnings.map((warning) => mistaken(bug, warning)).join("\n\n");
  said.set(bug.name, { code: right.code, kind: "warning" });
  return undefined;
}

const chosen = court.filter(({ name }) => name.startsWith(wanted));

describe.each(chosen.map((bug) => [bug.name, bug] as const))("%s", (_, bug) => {
  it("is named by default", async () => {
    const problem = await problemOf(bug);
    if (problem !== undefined) throw new Error(problem);
  });
  it("has a twin of which nothing is said", rotating, async () => {
    const warnings: Warning[] = [];
    expect(await outcome(bug, false, byDefault, warnings, true)).toBe(undefined);
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });
});

describe("the court", () => {
  it("has sixty cases and more, with names of their own, each of a public report", () => {
    expect(court.length).toBeGreaterThanOrEqual(60);
    expect(new Set(court.map(({ name }) => name)).size).toBe(court.length);
    for (const { links } of court)
      for (const link of links) expect(link).toMatch(/^https:\/\/github\.com\/[^/]+\/[^/]+\/(issues|pull)\/\d+$/);
  });
  it.skipIf(wanted !== "")("docs/court.md says what was said; UPDATE=1 renews it", () => {
    const file = join(import.meta.dirname, "../../docs/court.md");
    const page = courtPage(court, said);
    if (process.env.UPDATE === "1") writeFileSync(file, page);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(page);
  });
  it
    .skipIf(noPtxas !== undefined)
    .each(chosen.flatMap((bug) => bug.ptx.map((text, i) => [`${bug.name} ${i === 0 ? "broken" : "mended"}`, text] as const)))(
    "%s assembles",
    (_, text) => {
      const made = assemble(text);
      expect(made?.ok, made?.log).toBe(true);
    },
  );
});
