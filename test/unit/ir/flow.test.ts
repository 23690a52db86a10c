import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  deciders,
  endsThread,
  flowEdges,
  type Graph,
  isAcc,
  isLoop,
  keepFlow,
  type Op,
  opNames,
  opSpec,
  type Region,
  sources,
  type Value,
  verify,
  walkOps,
  withParts,
  yielded,
} from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { ofProperty } from "../../support/amount.ts";
import { graphArbitrary } from "../../support/ir-arbitrary.ts";

const graphOf = (body: string): Graph => {
  const text = `kernel @k(scalar "p" %0: pred, scalar "n" %1: i32, scalar "x" %2: f32) block(32, 1, 1) cluster(1, 1, 1) {\n${body}\n  exit\n}`;
  const graph = parseGraph(text);
  verify(graph);
  return graph;
};
const firstWithRegions = ({ body }: Graph): Op => {
  const op = body.ops.find(({ regions }) => regions.length > 0);
  if (!op) throw new Error("no op with regions");
  return op;
};
const ids = (values: readonly Value[]): string => values.map(({ id }) => `%${id}`).join(" ");
const edgesOf = (op: Op): readonly string[] => {
  const name = (region: Region | undefined): string =>
    region ? (opSpec(op.name).regions?.[op.regions.indexOf(region)] ?? "?") : "op";
  return flowEdges(op)
    .map((e) => `${name(e.from)} ${ids(e.values)} -> ${name(e.to)} ${ids(e.targets)}${e.back ? " again" : ""}`)
    .sort();
};

const branch = `  %3, %4 = if %0 : i32, f32 yes {
    yield values=[%1, %2]
  } no {
    %5 = const {value=7} : i32
    yield values=[%5, %2]
  }`;
const counted = `  %3, %4 = for %1, %1, %1, carried=[%1, %2] : i32, f32 body (%5: i32, %6: i32, %7: f32) {
    yield values=[%5, %2]
  }`;
const loop = `  %3 = while carried=[%1, %2] : f32 test (%4: i32, %5: f32) {
    %6 = cmp %4, %1 {is="lt"} : pred
    condition %6, values=[%5]
  } body (%7: f32) {
    yield values=[%1, %7]
  }`;

describe("the edges of", () => {
  test("if: into each side, and out of each", () => {
    expect(edgesOf(firstWithRegions(graphOf(branch)))).toEqual([
      "no %5 %2 -> op %3 %4",
      "op  -> no ",
      "op  -> yes ",
      "yes %1 %2 -> op %3 %4",
    ]);
  });
  test("for: past the body, in, round and out; the index comes by none", () => {
    expect(edgesOf(firstWithRegions(graphOf(counted)))).toEqual([
      "body %5 %2 -> body %6 %7 again",
      "body %5 %2 -> op %3 %4",
      "op %1 %2 -> body %6 %7",
      "op %1 %2 -> op %3 %4",
    ]);
  });
  test("while: in to the test, from there on or out, and from the body back", () => {
    expect(edgesOf(firstWithRegions(graphOf(loop)))).toEqual([
      "body %1 %7 -> test %4 %5 again",
      "op %1 %2 -> test %4 %5",
      "test %5 -> body %7",
      "test %5 -> op %3",
    ]);
  });
  test("a region that ends the thread: none out", () => {
    const op = firstWithRegions(graphOf(branch.replace("yield values=[%1, %2]", "exit")));
    expect(edgesOf(op)).toEqual(["no %5 %2 -> op %3 %4", "op  -> no ", "op  -> yes "]);
    expect(op.regions.map(endsThread)).toEqual([true, false]);
    expect(op.regions.map((r) => ids(yielded(r)))).toEqual(["", "%5 %2"]);
  });
});

test("what decides: an operand that is not carried, or the test", () => {
  expect([branch, counted, loop].map((text) => ids(deciders(firstWithRegions(graphOf(text)))))).toEqual(["%0", "%1 %1 %1", "%6"]);
  expect([branch, counted, loop].map((text) => isLoop(firstWithRegions(graphOf(text))))).toEqual([false, true, true]);
});

test("the sources of results and parameters", () => {
  const sourcesIn = (text: string): readonly string[] => {
    const op = firstWithRegions(graphOf(text));
    return [...op.results, ...op.regions.flatMap((r) => r.params)].map((v) => `%${v.id}: ${ids(sources(op, v))}`);
  };
  expect(sourcesIn(branch)).toEqual(["%3: %1 %5", "%4: %2 %2"]);
  expect(sourcesIn(counted)).toEqual(["%3: %1 %5", "%4: %2 %2", "%5: ", "%6: %1 %5", "%7: %2 %2"]);
  expect(sourcesIn(loop)).toEqual(["%3: %5", "%4: %1 %1", "%5: %2 %7", "%7: %5"]);
});

/** Every list of values that has to do with an op, after the places where a receiver has one of these are gone. */
function without(text: string, ...gone: readonly number[]): readonly string[] {
  const op = keepFlow(firstWithRegions(graphOf(text)), (received) => !received.some(({ id }) => gone.includes(id)));
  const { carried = [] } = op.operands as { readonly carried?: readonly Value[] };
  return [carried, op.results, ...op.regions.flatMap((r) => [r.params, yielded(r)])].map(ids);
}

test("a place of a channel goes from all that send and all that receive, and the index stays", () => {
  expect(without(branch, 3)).toEqual(["", "%4", "", "%2", "", "%2"]);
  expect(without(counted, 6)).toEqual(["%2", "%4", "%5 %7", "%2"]);
  expect(without(counted, 3, 7)).toEqual(["", "", "%5", ""]);
  expect(without(loop, 4)).toEqual(["%2", "%3", "%5", "%5", "%7", "%7"]);
  expect(without(loop, 3)).toEqual(["%1 %2", "", "%4 %5", "", "", "%1 %7"]);
  expect(without(branch.replace("yield values=[%1, %2]", "exit"), 3)).toEqual(["", "%4", "", "", "", "%2"]);
});

test("only ops with regions have a flow", () => {
  for (const name of opNames) expect([name, opSpec(name).flow !== undefined]).toEqual([name, opSpec(name).regions !== undefined]);
});

const opsWithRegions = (graph: Graph): readonly Op[] => {
  const found: Op[] = [];
  walkOps(graph.body, (op) => void (op.regions.length > 0 && found.push(op)));
  return found;
};
const eachGraph = (check: (graph: Graph) => void): void => fc.assert(fc.property(graphArbitrary, check), ofProperty(400, 20));

describe("in random graphs", () => {
  test("an edge brings to each target a value of its type, and every value that a region yields or an op carries goes somewhere", () => {
    eachGraph((graph) => {
      for (const op of opsWithRegions(graph)) {
        const edges = flowEdges(op);
        for (const { values, targets } of edges) expect(values.map((v) => v.type)).toEqual(targets.map((v) => v.type));
        const sent = new Set(edges.flatMap((e) => e.values));
        for (const region of op.regions) for (const v of yielded(region)) expect(sent).toContain(v);
        const reached = new Set(edges.flatMap((e) => e.targets));
        const open = op.results.filter((v) => !reached.has(v));
        expect(open.length === 0 || op.regions.some(endsThread)).toBe(true);
      }
    });
  });

  test("what is left of an op without the places that nothing reads is right, too", () => {
    eachGraph((graph) => {
      const used = new Set<Value>();
      walkOps(graph.body, (op) => {
        for (const v of Object.values(op.operands).flat() as readonly (Value | undefined)[]) if (v) used.add(v);
      });
      const lean = (region: Region): Region => ({
        params: region.params,
        ops: region.ops.map((op) => {
          const trimmed = keepFlow(op, (received) => received.some((v) => used.has(v) || isAcc(v.type)));
          expect(keepFlow(op, () => true)).toBe(op);
          return trimmed.regions.length === 0 ? trimmed : withParts(trimmed, { regions: trimmed.regions.map(lean) });
        }),
      });
      verify({ ...graph, body: lean(graph.body) });
    });
  });
});
