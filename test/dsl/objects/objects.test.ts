import { expect, test } from "vitest";
import { seeds } from "../../support/amount.ts";
import { randomProgram } from "./generate.ts";
import { judge } from "./judge.ts";
import { programText, smallerPrograms } from "./program.ts";
import { runGraph } from "./run-graph.ts";

test("random programs over objects do what plain JavaScript does, or are refused", { timeout: 120_000 }, async () => {
  const taken = seeds(1, 300, 8);
  let agreed = 0;
  for (const seed of taken) {
    const program = randomProgram(seed);
    const verdict = await judge(program, runGraph);
    expect(verdict.kind, `seed ${seed}: ${JSON.stringify(verdict)}\n${programText(program)}`).toMatch(
      /^(agrees|refused|meaningless)$/,
    );
    if (verdict.kind === "agrees") agreed++;
  }
  // A tracer that refused everything would be right, too.
  expect(agreed).toBeGreaterThan(taken.length / 2);
});

test("what does something else is found, and made small", async () => {
  const program = randomProgram(1);
  const wrong = await judge(program, (p) => runGraph(p).map((row) => row.map((x) => x + 1)));
  expect(wrong.kind).toBe("differs");
  expect([...smallerPrograms(program)].length).toBeGreaterThan(10);
});
