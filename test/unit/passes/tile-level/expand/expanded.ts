import { expect } from "vitest";
import { type Graph, isAggregate, type Op, opSpec, typeName, verify, walkOps } from "../../../../../src/ir/index.ts";
import { parseGraph } from "../../../../../src/ir/parse.ts";
import { interpret } from "../../../../support/ir-interpreter.ts";
import { withoutTileLevel } from "../../../../support/machine-level.ts";

export const tensor = 'view<"global i32 [4:8, 8:1] align 16">';
/** A row of one, and an element of a row. */
export const row = 'view<"global i32 [8:1] align 16">';
export const place = 'view<"global i32 [] align 16">';

/** Two tensors of four rows of eight i32: `x` at byte 0, `y` at byte 128. Constants 0 to 3 are %10 to %13. */
const kernel = (body: string): string => `
kernel @k(tensor "x" %0: ptr.global, tensor "y" %1: ptr.global, scalar "n" %2: i32, scalar "c" %3: pred) block(128, 1, 1) cluster(1, 1, 1) {
  shared 0 "a" bytes=32768 align=1024
  shared 1 "b" bytes=32768 align=1024
  %10 = const {value = 0} : i32
  %11 = const {value = 1} : i32
  %12 = const {value = 2} : i32
  %13 = const {value = 3} : i32
  %x.20 = view.tensor %0, extents=[], strides=[] : ${tensor}
  %y.21 = view.tensor %1, extents=[], strides=[] : ${tensor}
  ${body}
  exit
}`;
/** Stores `value` in element `column` of a row; takes up one number for a value. */
export const store = (id: number, view: string, column: string, value: string): string =>
  `%${id} = view.at ${view}, indices=[${column}] : ${place}
  view.store %${id}, values=[${value}] {cache = ""}`;

/** The kernel of that body without its tile level; both are sound. */
export function expanded(body: string): Graph {
  const graph = parseGraph(kernel(body));
  verify(graph);
  const made = withoutTileLevel(graph);
  verify(made);
  walkOps(made.body, (op) => {
    expect(opSpec(op.name).level).not.toBe("tile");
    for (const { type } of [...op.results, ...op.regions.flatMap((r) => r.params)]) expect(isAggregate(type)).toBe(false);
  });
  return made;
}

export function opsOf(graph: Graph, name: string): Op[] {
  const found: Op[] = [];
  walkOps(graph.body, (op) => void (op.name === name && found.push(op)));
  return found;
}
/** The types of what each op of that name gives: of a loop, what it carries. */
export const given = (graph: Graph, name: string): string[][] =>
  opsOf(graph, name).map((op) => op.results.map((r) => typeName(r.type)));

/** The rows and columns that were written, and what: `x[row, column]` or `y[row, column]`. */
export function writes(graph: Graph, n: number, c = true): Record<string, number> {
  const [before, after] = [
    interpret({ ...graph, body: { params: graph.body.params, ops: opsOf(graph, "exit").slice(-1) } }, [0n, 128n, n, c]),
    interpret(graph, [0n, 128n, n, c]),
  ].map((hex) => Buffer.from(hex, "hex")) as [Buffer, Buffer];
  const out: Record<string, number> = {};
  for (let at = 0; at < 256; at += 4) {
    const value = after.readInt32LE(at);
    if (value === before.readInt32LE(at)) continue;
    const word = (at % 128) / 4;
    out[`${at < 128 ? "x" : "y"}[${Math.floor(word / 8)}, ${word % 8}]`] = value;
  }
  return out;
}
