import { describe, expect, it } from "vitest";
import { allCases } from "./cases/index.ts";
import { some } from "./support/amount.ts";
import { assemble } from "./support/ptxas.ts";

/** `CASES=scalars/f32 npx vitest run test/cases.test.ts` takes those whose names begin so. */
const wanted = process.env.CASES ?? "";

describe("cases compile and assemble", () => {
  it.each(
    some(
      allCases.filter((c) => c.name.startsWith(wanted)),
      330,
    ).map((c) => [c.name, c] as const),
  )("%s", (_, c) => {
    const { ptx } = c.compile();
    const made = assemble(ptx);
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
