import { expect, test } from "vitest";
import { printGraph } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { traceSource } from "../../dsl/trace-source.ts";

const source = (statement: string): string =>
  `import { kernel } from "warpsmith";\nexport const f = kernel({}, (n: i64, x: f32) => { ${statement} });`;

test("values in a text print as text, the others as Node prints a value", () => {
  const { graph } = traceSource(source("console.log(n, `${x} and ${n}`);"), ["i64", "f32"]);
  expect(graph.logs[0]).toMatchObject({
    parts: ["", " ", " and ", ""],
    types: ["i64", "f32", "i64"],
    forms: [undefined, "text", "text"],
  });
  const text = printGraph(graph);
  expect(text).toContain("(i64, f32 text, i64 text)");
  expect(parseGraph(text).logs[0]?.forms).toEqual([undefined, "text", "text"]);
});
