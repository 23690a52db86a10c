import { expect, test } from "vitest";
import { registerSource } from "../../../src/base/diag/index.ts";
import { InvariantError, verify } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";

const text = `kernel @k(scalar "n" %n.0: i32) block(32, 1, 1) cluster(1, 1, 1) {
  %1 = add %n.0, %n.0 : u32 loc("kernel.ts":1:9+5)
  exit
}`;

test("an op that is wrong is printed with a caret, and with the author's line", () => {
  registerSource("kernel.ts", "const m = n + n;\n");
  let error: unknown;
  try {
    verify(parseGraph(text));
  } catch (e) {
    error = e;
  }
  expect(error).toBeInstanceOf(InvariantError);
  expect((error as InvariantError).message.split("\n").slice(1)).toEqual([
    "  %1 = add %n.0, %n.0 : u32",
    "       ^^^",
    "  kernel.ts:1:9",
    "  1 | const m = n + n;",
    "    |         ^^^^^",
  ]);
});

test("a value of the same number from elsewhere is not the value", () => {
  const graph = parseGraph(text.replace(": u32", ": i32"));
  const [op, ...rest] = graph.body.ops;
  const foreign = { id: 0, type: "i32" as const };
  if (!op) throw new Error("no op");
  const wrong = { ...op, operands: { a: foreign, b: foreign } } as typeof op;
  expect(() => verify(graph)).not.toThrow();
  expect(() => verify({ ...graph, body: { params: graph.body.params, ops: [wrong, ...rest] } })).toThrow(
    /no definition before it/,
  );
});
