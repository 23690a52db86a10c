import { expect, test } from "vitest";
import { InvariantError } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { passes, runPasses } from "../../../src/passes/index.ts";

const graph = parseGraph(`kernel @k(scalar "n" %0: i32) block(32, 1, 1) cluster(1, 1, 1) {
  %1 = add %0, %0 : i32
  exit
}`);
const level = "machine" as const;
const breaking = { name: "breaking", level, run: () => ({ ...graph, body: { params: graph.body.params, ops: [] } }) };

test("every pass is seen, in order", () => {
  const seen: string[] = [];
  runPasses(graph, { verify: true, onPass: (name, _, at) => seen.push(`${name} ${at}`) });
  expect(seen).toEqual(passes.map((p) => `${p.name} ${p.level}`));
});

test("what a pass has broken is seen before it is refused", () => {
  const seen: unknown[] = [];
  const run = () => runPasses(graph, { verify: true, onPass: (...given) => seen.push(given) }, [breaking]);
  expect(run).toThrow(/after the pass 'breaking'/);
  expect(seen).toEqual([["breaking", expect.objectContaining({ name: "k" }), level]]);
});

test("a pass that breaks an invariant is named", () => {
  const run = () => runPasses(graph, { verify: true }, [breaking]);
  expect(run).toThrow(/after the pass 'breaking'/);
  expect(run).toThrow(expect.objectContaining({ cause: expect.any(InvariantError) }));
});

test("what goes out is checked always; which pass it was, only where it is asked", () => {
  const idle = { name: "idle", level, run: (g: typeof graph) => g };
  const between = { name: "mending", level, run: () => graph };
  expect(() => runPasses(graph, { verify: false }, [breaking, idle])).toThrow(/after the pass 'idle'/);
  expect(() => runPasses(graph, { verify: false }, [breaking, between])).not.toThrow();
  expect(() => runPasses(graph, { verify: true }, [breaking, between])).toThrow(/after the pass 'breaking'/);
});

test("a graph that is wrong from the start is refused", () => {
  expect(() => runPasses(breaking.run(), { verify: true })).toThrow(InvariantError);
});

test("a pass does not change the graph that it is given", () => {
  const before = structuredClone(graph);
  runPasses(graph, { verify: true });
  expect(graph).toEqual(before);
});
