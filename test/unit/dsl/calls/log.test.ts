import { describe, expect, test, vi } from "vitest";
import { assert } from "../../../../src/dsl/control/assert.ts";
import { header } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";

const sites = (body: string) =>
  traceSource(`${header}export const f = kernel({}, ${body});`, ["i32", "f32"], { assert }, { debug: true }).graph.logs;

describe("console.log", () => {
  const prints = (body: string, ...parts: string[]) => test(body, () => expect(sites(body)[0]?.parts).toEqual(parts));
  prints("(n) => { console.log('n is', n); }", "n is ", "");
  prints("(n, x) => { console.log(n, x); }", "", " ", "");
  prints("(n, x) => { console.log(`at ${n}: ${x}!`); }", "at ", ": ", "!");
  prints("(n) => { console.log('%d of %s', n, 'many', 7); }", "", " of many 7");
  prints("(n) => { console.log('100%', n); }", "100% ", "");
  prints("(n) => { console.log([1, n], { a: n }); }", "[ 1, ", " ] { a: ", " }");
  prints("(n) => { console.log('a' + n + 'b'); }", "a", "b");
  prints("() => { console.log('plain', 1.5, true); }", "plain 1.5 true");
  test("a console that someone has put in place of the first one, or a method of it", () => {
    const body = "(n) => { console.log('n is', n); }";
    const spy = vi.spyOn(console, "log").mockImplementation(() => {});
    expect(sites(body)[0]?.parts).toEqual(["n is ", ""]);
    spy.mockRestore();
    vi.stubGlobal("console", { ...console, log: () => {} });
    expect(sites(body)[0]?.parts).toEqual(["n is ", ""]);
    vi.unstubAllGlobals();
  });
  test("types are those found at the end", () => {
    expect(sites("(n, x) => { let s = 0; for (const i of range(n)) { console.log(s); s += x; } }")[0]?.types).toEqual(["f32"]);
  });
});

describe("assert", () => {
  test("staged: compiled in with debug", () => {
    const text = `${header}export const f = kernel({}, (n) => { assert(n > 2, "n is small"); });`;
    expect(traceSource(text, ["i32"], { assert }, { debug: true }).graph.logs).toMatchObject([
      { kind: "assert", parts: ["n is small (", " > ", " is false)"], types: ["i32", "i32"] },
    ]);
    expect(traceSource(text, ["i32"], { assert }).graph.logs).toEqual([]);
  });
  test("static: checked while tracing", () => {
    expect(() => sites("(n) => { assert(1 > 2, 'never'); }")).toThrow("W2045  The assertion does not hold: never");
  });
});
