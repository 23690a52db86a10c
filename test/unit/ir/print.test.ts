import fc from "fast-check";
import { expect, test } from "vitest";
import { printGraph, verify } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { ofProperty } from "../../support/amount.ts";
import { graphArbitrary } from "../../support/ir-arbitrary.ts";

test("what is printed reads back as the same text", () => {
  fc.assert(
    fc.property(graphArbitrary, fc.boolean(), (graph, spans) => {
      verify(graph);
      const text = printGraph(graph, { spans });
      const back = parseGraph(text);
      verify(back);
      expect(printGraph(back, { spans })).toBe(text);
    }),
    ofProperty(1200, 30),
  );
});
