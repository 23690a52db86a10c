/** Conditions on objects of the language: refused where the object is always there, JavaScript's own question where there may be none. */
import { expect, test } from "vitest";
import { tensorSpec } from "warpsmith";
import { codesOf } from "../../../dsl/codes-of.ts";

const always = [
  "if (x) y[0] = 1;",
  "if (x[i]) y[0] = 1;",
  "if (!x[i]) y[0] = 1;",
  "if (!!(x[i] as unknown)) y[0] = 1;",
  "if (x.at(i)) y[0] = 1;",
  "if (y.at(0)) y[0] = 1;",
  "while (x[i]) { y[0] = 1; }",
  "do { y[0] = 1; } while (x[i]);",
  "for (; y.at(i); ) y[0] = 1;",
  "y[0] = x[i] ? 1 : 2;",
  "x[i] ? y.at(0).store(1) : y.at(1).store(1);",
  "x[i] && y.at(0).store(1);",
  "x[i] || y.at(0).store(1);",
  "const both = x && i > 3; if (both) y[0] = 1;",
  "if (i > 3 && x[i]) y[0] = 1;",
  "if (i > 3 || (i < 2 && x[i])) y[0] = 1;",
  "if (Boolean(x[i])) y[0] = 1;",
  "const row = x[i]; if (row) y[0] = 1;",
  "const t = x; if (t) y[0] = 1;",
  "const row = x[i], same = row, again = same; y[0] = again ? 1 : 2;",
  "const s = sharedMemory.alloc('f32', [32]); if (s) y[0] = 1;",
  "const s = sharedMemory.alloc('f32', [32]); while (s.subview([0], [4])) y[0] = 1;",
  "const bars = new Mbarriers(1); if (bars) y[0] = 1;",
  "if (threadIdx) y[0] = 1;",
  "const inner = () => { if (x) y[0] = 1; }; inner();",
  "for (const row of [x[0], x[1]]) if (row[i] && x) y[0] = 1;",
  "const first = (m: Tensor<'f32', 2>) => (m[i] ? 1 : 2); y[0] = first(x);",
];

const asks = [
  "y[0] = i > 3 ? optional(x[i]) : optional();",
  "optional(x as never);",
  "if (bias) y[0] = bias[i];",
  "const same = bias; if (same) y[0] = same[i];",
  "if (options.bias && !options.none) y[0] = options.bias[i];",
  "const rows = [x[0], undefined]; for (const row of rows) if (row) y[0] = row[i];",
  "const rows = [x[0], undefined]; const row = rows[1]; if (row || rows[0]) y[0] = 1;",
  "const rows = [x[0]]; if (rows[0]) y[0] = 1;",
  "const tiles = new Map([['a', x[0]]]); if (tiles.get('b')) y[0] = 1; if (tiles.get('a')) y[0] = 2;",
  "let best = x[0]; if (options.none) best = undefined; if (best) y[0] = 1;",
  "const s = options.none ? undefined : sharedMemory.alloc('f32', [32]); if (s) y[0] = 1;",
  "const found = maybe(x, true); if (found) y[0] = 1; if (!maybe(x, false)) y[0] = 2;",
  "if (x[i] !== undefined) y[0] = 1;",
  "if (y[i]) y[0] = 1; while (y[i] && i < 3) y[0] = 1;",
  "const part = options.bias ?? x[0]; if (part) y[0] = 1;",
  "if (y.at(i).load() && !x[i][i]) y[0] = 1;",
  "const o = { row: x[0], none: null }; if (o.row && !o.none) y[0] = 1;",
];

const before = `
function optional(row?: Tensor<"f32", 1>) { "use kernel"; return row ? row[0] : 0; }
function maybe(x: Tensor<"f32", 2>, there: boolean) { "use kernel"; return there ? x[0] : undefined; }
type Options = { readonly bias?: Tensor<"f32", 1>; readonly none?: boolean };`;
const parameters = `x: Tensor<"f32", 2>, y: Tensor<"f32", 1>, bias: Tensor<"f32", 1> | null, options: Options`;
const [matrix, vector] = [tensorSpec("f32", [32, 32]), tensorSpec("f32", [32])];

async function codes(bodies: readonly string[]): Promise<readonly string[]> {
  const without = await codesOf({ before, parameters, bodies, args: [matrix, vector, null, { none: true }] });
  const given = await codesOf({ before, parameters, bodies, args: [matrix, vector, vector, { bias: vector, none: false }] });
  return bodies.map((body, n) => `${without[n]} ${given[n]}: ${body}`);
}

test("an object that is always there decides nothing", async () => {
  expect(await codes(always)).toEqual(always.map((body) => `W2058 W2058: ${body}`));
});

test("what may be absent is asked for as in JavaScript", async () => {
  expect(await codes(asks)).toEqual(asks.map((body) => `none none: ${body}`));
});
