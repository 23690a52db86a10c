import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ofProperty } from "../../../../support/amount.ts";
import { checkViews, counted } from "../../../../support/check-views.ts";
import { viewArgumentsArbitrary, viewGraphArbitrary } from "../../../../support/view-graphs.ts";

const runs = fc.array(viewArgumentsArbitrary, { minLength: 2, maxLength: 2 });

describe("views that loops and branches carry", { timeout: 300_000 }, () => {
  test("lie where each of them is said to lie, and what is known of them holds", () => {
    fc.assert(fc.property(viewGraphArbitrary, runs, fc.nat(127), checkViews), ofProperty(4000, 50));
    // One in five is refused; fifty graphs of two runs each are far from a half. There is something to compare.
    expect(counted.refused).toBeLessThan(counted.runs / 2);
    expect(counted.touched).toBeGreaterThan(5 * counted.runs);
  });
});
