import { describe, expect, it } from "vitest";
import { type Graph, verify } from "../../../../../src/ir/index.ts";
import { parseGraph } from "../../../../../src/ir/parse.ts";
import { freshIds } from "../../../../../src/passes/rewrite/rewrite.ts";
import { rotating } from "../../../../support/amount.ts";
import { callsDuring } from "../../../../support/calls.ts";
import { withoutTileLevel } from "../../../../support/machine-level.ts";

const view = 'view<"global i32 [64:64, 64:1] align 16">';
const tile = 'tile<"f32 64x8 wgmma">';
const carried = [view, view, view, tile];
const types = carried.join(", ");

/** Ops as text, and the values that they give: of the types that are carried. */
interface Made {
  readonly text: string;
  readonly given: readonly string[];
}
type Body = (held: readonly string[]) => Made;
type Fresh = (count: number) => string[];

const params = (names: readonly string[]): string => names.map((v, i) => `${v}: ${carried[i]}`).join(", ");
const list = (names: readonly string[]): string => names.join(", ");

/** What stands around a body, by kind. */
const kinds: Readonly<Record<string, (fresh: Fresh, held: readonly string[], body: Body) => Made>> = {
  for: (fresh, held, body) => {
    const [given, got, index] = [fresh(4), fresh(4), fresh(1)];
    const { text, given: made } = body(got);
    const head = `${list(given)} = for %10, %2, %11, carried=[${list(held)}] : ${types} body (${index}: i32, ${params(got)}) {`;
    return { text: `${head}\n${text}yield values=[${list(made)}]\n}\n`, given };
  },
  while: (fresh, held, body) => {
    const [given, tested, got, test] = [fresh(4), fresh(4), fresh(4), fresh(1)];
    const { text, given: made } = body(got);
    const head = `${list(given)} = while carried=[${list(held)}] : ${types} test (${params(tested)}) {`;
    const ends = `${test} = cmp %2, %10 {is = "lt"} : pred\ncondition ${test}, values=[${list(tested)}]`;
    return { text: `${head}\n${ends}\n} body (${params(got)}) {\n${text}yield values=[${list(made)}]\n}\n`, given };
  },
  if: (fresh, held, body) => {
    const given = fresh(4);
    const { text, given: made } = body(held);
    const no = `} no {\nyield values=[${list(held)}]\n}`;
    return { text: `${list(given)} = if %3 : ${types} yes {\n${text}yield values=[${list(made)}]\n${no}\n`, given };
  },
};

/** So many of that kind in each other: the innermost moves one view on, swaps two, and computes a tile. */
function nest(kind: string, depth: number): string {
  let next = 100;
  const fresh: Fresh = (count) => Array.from({ length: count }, () => `%${next++}`);
  const innermost: Body = ([a, b, c, t]) => {
    const [moved = "", made = "", ...elements] = fresh(6);
    const text = `${moved} = view.subview ${a}, offsets=[%10, %2] : ${view}
${list(elements)} = tile.elements ${t} : f32, f32, f32, f32
${made} = tile.from values=[${list(elements.toReversed())}] : ${tile}\n`;
    return { text, given: [moved, c ?? "", b ?? "", made] };
  };
  const write = (level: number): Body => (level === 0 ? innermost : (held) => around(held, write(level - 1)));
  const around = (held: readonly string[], body: Body): Made => kinds[kind]?.(fresh, held, body) ?? { text: "", given: held };
  return `kernel @k(tensor "x" %0: ptr.global, tensor "y" %1: ptr.global, scalar "n" %2: i32, scalar "c" %3: pred) block(128, 1, 1) cluster(1, 1, 1) {
%10 = const {value = 0} : i32
%11 = const {value = 1} : i32
%20 = view.tensor %0, extents=[], strides=[] : ${view}
%21 = view.tensor %1, extents=[], strides=[] : ${view}
%22 = tile.zero : ${tile}
${write(depth)(["%20", "%20", "%21", "%22"]).text}exit
}`;
}

const graphOf = (kind: string, depth: number): Graph => {
  const graph = parseGraph(nest(kind, depth));
  verify(graph);
  return graph;
};

/** How many values it makes to take a nest apart. */
const made = (kind: string, depth: number): number => {
  const graph = graphOf(kind, depth);
  const ids = freshIds(graph);
  const first = ids.next;
  withoutTileLevel(graph, ids);
  return ids.next - first;
};

/** How many calls it takes to take a nest apart. That they are counted slows down the whole process. */
const calls = (kind: string, depth: number, of: RegExp): number => {
  const graph = graphOf(kind, depth);
  return callsDuring(() => void withoutTileLevel(graph), of);
};

describe.each(Object.keys(kinds))("'%s' in each other, however deep", (kind) => {
  it("is taken apart once: each level makes what the one before it did", () => {
    const [four = 0, eight = 0, twelve = 0] = [4, 8, 12].map((depth) => made(kind, depth));
    expect(eight).toBeGreaterThan(four);
    expect(twelve - eight).toBe(eight - four);
  });

  it("is taken apart once: each level costs what the one before it did", rotating, () => {
    const [four = 0, eight = 0, sixteen = 0] = [4, 8, 16].map((depth) =>
      calls(kind, depth, /\/(?:src|\.unbundled)\/passes\/.*\/expand/),
    );
    expect(eight).toBeGreaterThan(four);
    expect((sixteen - eight) / (eight - four)).toBeLessThan(2.5);
  });

  /** What a loop carries may depend on all loops within: what is known of it is looked for from end to end once for each. */
  it("costs at most the square of the depth with what must be known", rotating, () => {
    const [eight = 0, sixteen = 0] = [8, 16].map((depth) => calls(kind, depth, /\/(?:src|\.unbundled)\/(?:passes|ir|layout)\//));
    expect(eight).toBeGreaterThan(0);
    expect(sixteen / eight).toBeLessThan(4.5);
  });
});
