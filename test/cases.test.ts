import { describe, expect, it } from "vitest";
import { allCases } from "./cases/index.ts";
import { some } from "./support/amount.ts";
import { inBatches } from "./support/ptxas-batches.ts";
import { verifyAfterEachPass } from "./support/verify-after-each-pass.ts";

verifyAfterEachPass();

/** `CASES=scalars/f32 npx vitest run test/cases.test.ts` takes those whose names begin so. */
const wanted = process.env.CASES ?? "";

describe("cases compile and assemble", () => {
  const chosen = some(
    allCases.filter((c) => c.name.startsWith(wanted)),
    330,
  );
  const assembled = inBatches(chosen, (c) => c.compile().ptx);
  it.each(chosen.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const made = assembled(c);
    if (!made) return;
    expect(made.ok, made.log).toBe(true);
    expect(made.warnings).toEqual([]);
    expect(made.spills, made.log).toBe(0);
  });
  it("have names of their own", () => {
    const names = allCases.map((c) => c.name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});
