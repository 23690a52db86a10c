import { expect, test } from "vitest";
import { WarpsmithError } from "../../../src/base/diag/index.ts";
import { transformSource } from "../../../src/transform/index.ts";

/** Code, a file with `kernel` imported, and the text that the caret shows. */
const cases: readonly (readonly [code: string, source: string, caret: string])[] = [
  ["W1001", `export const k = kernel({}, () => { const = 3; });`, "="],
  ["W1002", `export const k = kernel({}, async () => {});`, "async"],
  ["W1002", `function f() { "use kernel"; const g = async () => 3; }`, "async"],
  ["W1002", `async function f() { "use kernel"; await g(); } declare function g(): void;`, "async"],
  ["W1003", `function* f() { "use kernel"; yield 1; }`, "*"],
  ["W1004", `export const k = kernel({}, () => { try { f(); } catch { } }); function f() {}`, "try"],
  ["W1005", `export const k = kernel({}, () => { eval("1"); });`, `eval("1")`],
  ["W1006", `export const k = kernel({}, () => { var x = 1; });`, "var x = 1"],
  ["W1006", `export const k = kernel({}, () => { for (var x of [1]); });`, "var x"],
  ["W1007", `export const k = kernel({}, (a, b, c) => { if (a < b < c) a(); });`, "a < b < c"],
  ["W1008", `let n = 0; export const k = kernel({}, () => { n = 1; });`, "n"],
  ["W1008", `let n = 0; export const k = kernel({}, () => { n++; });`, "n"],
  ["W1008", `function make() { let n = 0; return kernel({}, () => { [n] = [1]; }); }`, "n"],
  ["W1008", `let n = 0; export const k = kernel({}, () => { for (n of [1]); });`, "n"],
  ["W1008", `let n = 0; export const k = kernel({}, () => { const f = () => { n += 1; }; f(); });`, "n"],
  ["W1008", `export const k = kernel({}, () => { notDeclared = 1; });`, "notDeclared"],
  ["W1009", `let n = 0; n = 2; export const k = kernel({}, (x) => { x(n); });`, "n"],
  ["W1009", `function make(n: number) { n++; return kernel({}, (x) => { x({ n }); }); }`, "n"],
  ["W1010", `function f() { "use kernel"; return arguments.length; }`, "arguments"],
  ["W1011", `export const k = kernel({}, function () { this.x(); });`, "this"],
  ["W1011", `class C { @kernel({}) static m() { if (1) return () => this; } }`, "this"],
  ["W1012", `class B { m() {} } class C extends B { m() { "use kernel"; super.m(); } }`, "super"],
  ["W1012", `export const k = kernel({}, () => { class A {} class B extends A {} new B(); });`, "extends A"],
  ["W1013", `export const k = kernel({}, () => { import("x"); });`, `import("x")`],
  ["W1014", `export const k = kernel({}, (r) => { using x = r; });`, "using x = r"],
  ["W1015", `class C { #n = 1; m() { "use kernel"; return this.#n; } }`, "#n"],
  ["W1016", `export const k = kernel({}, (f) => { f({ get x() { return 1; } }); });`, "get x() { return 1; }"],
  ["W1017", `export const k = kernel({}, (f) => { for (let i = 0; i < 4; i++) { f(() => i); if (f) i++; } });`, "i"],
  ["W1018", `export const k = kernel({}, (f) => { const g = () => later; if (f) return; const later = 1; g(); });`, "later"],
  [
    "W1018",
    `export const k = kernel({}, (f) => { g(); if (f) return; let later = 1; function g() { return later; } });`,
    "later",
  ],
  ["W1019", `export const k = kernel({}, (n) => { switch (n) { case 0: let x = 1; n(x); break; case 1: x = 2; } });`, "x"],
  ["W1020", `function f(a: number, b = () => a) { "use kernel"; const g = () => { a = 1; }; g(); return b; }`, "a"],
  ["W1021", `export const k = kernel({}, function () { return new.target; });`, "new.target"],
  ["W1021", `export const k = kernel({}, (a) => { (a?.b)(); });`, "(a?.b)()"],
  ["W1022", `export const k = kernel({}, (a) => { delete a; });`, "delete a"],
];

function refusal(source: string): WarpsmithError {
  try {
    transformSource(`import { kernel } from "warpsmith";\n${source}`, { fileName: "case.ts" });
  } catch (error) {
    if (error instanceof WarpsmithError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

test.each(cases)("%s: %s", (code, source, caret) => {
  const error = refusal(source);
  expect(error.code).toBe(code);
  const [span] = error.spans;
  expect(span?.line).toBe(2);
  expect(source.slice((span?.column ?? 0) - 1, (span?.column ?? 0) - 1 + (span?.length ?? 0))).toBe(caret);
  expect(error.message).toContain("case.ts:2:");
  expect(error.fix.length).toBeGreaterThan(10);
});

/** What looks like one of these and is none. */
const accepted: readonly string[] = [
  `let n = 0; const k = kernel({}, (x) => { x(n); });`,
  `let n = 0; n = 1; const k = kernel({ smem: () => n }, (x) => { x(1); });`,
  `let n = 0; n = 1; const k = explicit(() => n);`,
  `async function main() { try { await main(); } finally { } } const k = kernel({}, (x) => { x(1); });`,
  `const k = kernel({}, (f) => { const o = { m() { return this; } }; f(function () { return this; }, o); });`,
  `const k = kernel({}, (f) => { for (let i = 0; i < 4; i++) { f(() => i); } for (const j of [1]) f(() => j); });`,
  `const k = kernel({}, (f) => { g(); if (f) return; const later = 1; h(); function g() {} function h() { return later; } });`,
  `const k = kernel({}, (a, b, c) => { if (a < b === c < b) a(); });`,
];

test.each(accepted)("accepts %s", (source) => {
  expect(transformSource(`import { kernel, explicit } from "warpsmith";\n${source}`, { fileName: "case.ts" }).code).not.toBe("");
});
