import { expect, test } from "vitest";
import { WarpsmithError } from "../../../src/base/diag/index.ts";
import { operandList } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";

function errorOf(text: string): WarpsmithError {
  try {
    parseGraph(text, { file: "k.ir" });
  } catch (error) {
    if (error instanceof WarpsmithError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const head = "kernel @k() block(1, 1, 1) cluster(1, 1, 1) {\n";

test("an error says where it is, in lines and columns of the text", () => {
  expect(errorOf(`${head}  ; a comment\n  bar.sync {id = 0, count = }\n  exit\n}`).spans).toEqual([
    { file: "k.ir", line: 3, column: 29, length: 1 },
  ]);
  expect(errorOf(`${head}  exit\n`).spans).toEqual([{ file: "k.ir", line: 3, column: 1, length: 19 }]);
  expect(errorOf(`${head}  %1 = neg %0 : i32\n}`).spans).toEqual([{ file: "k.ir", line: 2, column: 12, length: 2 }]);
  expect(errorOf(`${head}  exit #\n}`).spans).toEqual([{ file: "k.ir", line: 2, column: 8, length: 1 }]);
  expect(errorOf('kernel @"a\\q"()').spans).toEqual([{ file: "k.ir", line: 1, column: 9, length: 5 }]);
});

test("ops have their place in the text as their span where the text has a name, unless they say where they are from", () => {
  const text = `${head}  bar.sync {id = 0, count = 0}\n  exit loc("a.ts":7:8+9)\n}`;
  expect(parseGraph(text, { file: "k.ir" }).body.ops.map((op) => op.spans)).toEqual([
    [{ file: "k.ir", line: 2, column: 3, length: 8 }],
    [{ file: "a.ts", line: 7, column: 8, length: 9 }],
  ]);
  expect(parseGraph(text).body.ops[0]?.spans).toEqual([]);
});

test("uses and definitions are one object", () => {
  const graph = parseGraph(`${head}  %1 = const {value = 1} : i32\n  %2 = neg %1 : i32\n  exit\n}`);
  const [first, second] = graph.body.ops;
  expect(second && operandList(second)[0]).toBe(first?.results[0]);
});

test("a long text is read in good time", () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `  %${i} = const {value = ${i}} : i32\n`);
  expect(parseGraph(`${head}${lines.join("")}  exit\n}`, { file: "k.ir" }).body.ops.length).toBe(5001);
});
