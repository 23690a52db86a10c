import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { sameAsJavaScript } from "../../../dsl/differential.ts";
import { randomFrom } from "../../../layouts/random.ts";
import { randomOnes, some } from "../../../support/amount.ts";

/** Static values of every kind, true and false ones. */
const values = [
  ...["null", "undefined", '""', '"x"', "0", "6", "NaN", "0n", "2n", "true", "false"],
  ...["{}", "[1]", "[]", '{ name: "" }.name', "(() => 1)"],
];
const conditions = ["n > 2", "n", "m < 0", "n === m"];
const sets = [0, 2, 5].flatMap((n) => [-1, 0, 5].map((m) => [n, m]));

/** Decides by an expression in every way that there is. */
const decided = (x: string): string => `(n, m) => {
  if (${x}) out(0, 1); else out(0, 2);
  out(1, (${x}) ? 1 : 2);
  out(2, !(${x}) ? 1 : 2);
  const kept = ${x};
  if (kept) out(3, 1); else out(3, 2);
  let k = i32(0);
  while ((${x}) && k < 3) k++;
  out(4, k);
  const f = () => ${x};
  out(5, (f() && n > -9) || m > 9 ? 1 : 2);
}`;

/** Whether it compiles. What no number is both of is refused where it stands (W2004), and what asks for a value where several of them are possible (W2022). */
function same(body: string): boolean {
  try {
    sameAsJavaScript(body, sets);
    return true;
  } catch (error) {
    if (!(error instanceof WarpsmithError) || !["W2004", "W2022"].includes(error.code)) throw error;
    return false;
  }
}

describe("the truth of what is one of several values", () => {
  it.each(["&&", "||"])("c %s v", (op) => {
    const all = values.flatMap((v) => conditions.map((c) => `(${c}) ${op} ${v}`));
    // 13 of 64 and not 16, which would be the same condition each time.
    for (const x of some(all, 13)) same(decided(x));
  });

  it("c ? v : w", () => {
    const all = values.flatMap((v) => values.map((w) => `n > 2 ? ${v} : ${w}`));
    for (const x of some(all, 43)) same(decided(x));
  });

  it("of nested expressions", { timeout: 120_000 }, () => {
    const { places, seed } = randomOnes(4000, 5);
    expect(places.length).toBeGreaterThan(0);
    let compiled = 0;
    for (const place of places) {
      const { below } = randomFrom(seed * 65_536 + place);
      const pick = (of: readonly string[]): string => of[below(of.length)] ?? "";
      const expression = (depth: number): string => {
        if (depth === 0) return below(3) === 0 ? pick(conditions) : pick(values);
        const [a, b] = [expression(depth - 1), expression(depth - 1)];
        const text = [`(${a}) && (${b})`, `(${a}) || (${b})`, `!(${a})`, `(${pick(conditions)}) ? (${a}) : (${b})`];
        return pick(text);
      };
      if (same(decided(expression(1 + below(3))))) compiled++;
    }
    expect(compiled).toBeGreaterThan(places.length / 2);
  });
});
