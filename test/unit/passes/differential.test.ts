import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Graph, printGraph, verify } from "../../../src/ir/index.ts";
import { passes, runPasses } from "../../../src/passes/index.ts";
import { ofProperty } from "../../support/amount.ts";
import { argumentsArbitrary, graphArbitrary } from "../../support/ir-arbitrary.ts";
import { interpret } from "../../support/ir-interpreter.ts";

const unique = passes.filter((p, i) => passes.findIndex((q) => q.name === p.name) === i);

/** The kernel leaves the same bytes in memory before and after. */
function same(change: (graph: Graph) => Graph, asked = ofProperty(400, 12)): void {
  fc.assert(
    fc.property(graphArbitrary, argumentsArbitrary, (graph, args) => {
      const changed = change(graph);
      verify(changed);
      expect(interpret(changed, args), `${printGraph(graph)}\n--- became ---\n${printGraph(changed)}`).toBe(
        interpret(graph, args),
      );
    }),
    asked,
  );
}

describe("a pass changes no result", { timeout: 300_000 }, () => {
  for (const pass of unique) test(pass.name, () => same(pass.run));
  test("fold, then each other pass", () => {
    const fold = unique.find((p) => p.name === "fold");
    for (const pass of unique)
      if (fold && pass !== fold) same((graph) => runPasses(graph, { verify: true }, [fold, pass, fold]), ofProperty(100, 3));
  });
  test("all of them in order", () => same((graph) => runPasses(graph, { verify: true })));
});
