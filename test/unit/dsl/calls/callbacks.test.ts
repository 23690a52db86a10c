import { describe, expect, test } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { sameAsJavaScript } from "../../../dsl/differential.ts";
import { some } from "../../../support/amount.ts";

/** Functions that the transform has not seen, and JavaScript's own. */
const host = `
const three = (v) => (v === 3 ? 1 : 2);
const isNumber = (v) => typeof v === "number";
const all = (...given) => given.every((v) => typeof v === "number" || Array.isArray(v));
function first() { return typeof arguments[0] === "number"; }
const second = (_, v) => typeof v === "number";
`;
const callbacks = [
  ...["three", "isNumber", "all", "first", "second", "isNumber.bind(null)"],
  ...[
    "Boolean",
    "Number",
    "String",
    "Number.isInteger",
    "Number.isNaN",
    "Array.isArray",
    "Math.abs",
    "Math.trunc",
    "Object.is",
    "isFinite",
  ],
  ...["(v) => v", "(v) => v > 1", "(v) => [v]", "(v) => (v > 1 ? [v] : [])", "(v, i) => i"],
];
const lists = [
  "[n]",
  "[0 * n, n]",
  "[1, n]",
  "[1, 0]",
  '[n > 2 ? "ab" : "c"]',
  '[n > 2 ? "" : "x", 1]',
  "[n > 2 ? [1] : [1, 2]]",
];

/** What is done with the result of each method. */
const methods: Readonly<Record<string, (call: string) => string>> = {
  ...Object.fromEntries(
    ["map", "flatMap"].map((name) => [name, (call) => `const r = ${call}; out(0, r[0] ? 1 : 2); out(1, r.length);`]),
  ),
  ...Object.fromEntries(["filter", "sort", "toSorted"].map((name) => [name, (call) => `const r = ${call}; out(0, r.length);`])),
  ...Object.fromEntries(["some", "every"].map((name) => [name, (call) => `out(0, ${call} ? 1 : 2);`])),
  ...Object.fromEntries(["find", "findLast"].map((name) => [name, (call) => `out(0, ${call} === undefined ? 1 : 2);`])),
  ...Object.fromEntries(["findIndex", "findLastIndex"].map((name) => [name, (call) => `out(0, ${call});`])),
  ...Object.fromEntries(["reduce", "reduceRight"].map((name) => [name, (call) => `out(0, ${call} ? 1 : 2);`])),
};

/** Whether it compiles, and then does what JavaScript does; an error with a code is none of JavaScript's. */
function compiles(statement: string): boolean {
  try {
    sameAsJavaScript(`(n) => { ${statement} }`, [[0], [1], [3], [7]], host);
    return true;
  } catch (error) {
    if (!(error instanceof WarpsmithError)) throw error;
    return false;
  }
}

describe("methods of arrays that call what the tracer does not see into", () => {
  test.each(some(Object.keys(methods), 4))("%s", (name) => {
    let compiled = 0;
    const calls = lists.flatMap((list) => callbacks.map((callback) => `${list}.${name}(${callback})`));
    for (const call of some(calls, 8)) if (compiles(methods[name]?.(call) ?? "")) compiled++;
    expect(compiled).toBeGreaterThan(0);
  });

  test("Array.from, isArray, flat, concat, collections", () => {
    const mapped = lists.flatMap((list) => callbacks.map((callback) => `Array.from(${list}, ${callback})`));
    const calls = lists.flatMap((list) => [`${list}.flat()`, `[0].concat(${list})`, `[0].concat(${list}[0])`]);
    let compiled = 0;
    for (const call of [...some(mapped, 6), ...some(calls, 6)])
      if (compiles(`const r = ${call}; out(0, r[0] ? 1 : 2); out(1, r.length);`)) compiled++;
    for (const list of some(lists, 3)) if (compiles(`out(0, Array.isArray(${list}[0]) ? 1 : 2);`)) compiled++;
    for (const list of some(lists, 3)) if (compiles(`out(0, new Map([[1, ${list}[0]]]).get(1) ? 1 : 2);`)) compiled++;
    expect(compiled).toBeGreaterThan(8);
  });

  test("one of two functions as a callback, and called", () => {
    expect(compiles("const f = (v) => v + 1, g = (v) => v * 2; out(0, [1, 2].map(n > 2 ? f : g)[0]);")).toBe(false);
    expect(compiles("const f = (v) => v + 1, g = (v) => v * 2; const h = n > 2 ? f : g; out(0, h(n));")).toBe(false);
  });
});
