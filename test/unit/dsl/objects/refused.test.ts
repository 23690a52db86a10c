import { expect, test } from "vitest";
import { header } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";

/** What would not mean what the same JavaScript means, and the error that says so. */
const cases: readonly (readonly [code: string, body: string])[] = [
  ["W2050", "(n) => { let o = { x: n }; const q = o; if (n > 2) { o = { x: 1 }; } o.x += 1; out(0, q.x); }"],
  ["W2050", "(n) => { let o = { x: n }; const q = o; if (n > 2) { o = { x: 1 }; } q.x += 1; out(0, o.x); }"],
  ["W2050", "(n) => { const o = { x: n }; const p = n > 2 ? o : { x: 0 }; p.x += 1; out(0, o.x); }"],
  ["W2050", "(n) => { let m = [[n], [2]]; if (n > 2) m[0] = m[1]; m[0][0] += 1; out(0, m[1][0]); }"],
  [
    "W2050",
    "(n) => { const g = (a, b) => { if (n > 2) return a; return b; }; const a = { v: n }, b = { v: 1 }; g(a, b).v += 1; out(0, a.v); }",
  ],
  ["W2050", "(n) => { let o = { x: n }; const q = o; for (const k of range(n)) o = { x: o.x + k }; o.x += 9; out(0, q.x); }"],
  [
    "W2050",
    "(n) => { let p = { x: n }; const q = p; for (const k of range(n)) { p.x += 1; if (k === 2) p = { x: 5 }; } out(0, q.x); }",
  ],
  [
    "W2050",
    "(n) => { let p = { x: n }; const q = p; for (const k of range(n)) { out(1, q.x); p.x += 1; if (k === 2) p = { x: 5 }; } }",
  ],
  [
    "W2051",
    "(n) => { let p = { x: n }, q = { x: i32(1) }; for (const k of range(n)) { p.x += 1; if (k === 2) p = q; } out(0, p.x); }",
  ],
  ["W2049", "(n) => { const t = new Int32Array(2); if (n > 2) t[0] = 5; out(0, t[0]); }"],
  ["W2049", "(n) => { const t = new Int32Array(2); if (n > 2) t.fill(5); out(0, t[0]); }"],
  ["W2020", '(n) => { const o = {}; if (n > 2) o.x = 1; out(0, "x" in o); }'],
  ["W2024", "(n) => { const s = new Set(); if (n > 2) s.add(1); out(0, s.size); }"],
];

test.each(cases)("%s: %s", (code, body) => {
  expect(() => traceSource(`${header}export const f = kernel({}, ${body});`, ["i32"])).toThrow(expect.objectContaining({ code }));
});
