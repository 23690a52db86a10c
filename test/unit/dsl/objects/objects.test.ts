import { expect, test } from "vitest";
import { header, sameAsJavaScript } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";

/** One side of a branch or an iteration assigns the variable, another changes what it holds. `docs/language/objects-and-arrays.md`. */
const kept: readonly (readonly [what: string, body: string])[] = [
  ["if and else", "if (n % 2 === 0) s = { a: i32(5), b: n * 2 }; else s.b += 10;"],
  ["the other way round", "if (n > 3) s.b += 10; else s = { a: i32(5), b: n * 2 };"],
  ["both on one side", "if (n > 3) { s = { a: n, b: i32(1) }; s.b += n; } else { s.b += 1; s.a = 7; }"],
  ["an alias", "const first = s; if (n > 3) s = { a: i32(5), b: n }; else s.b += 10; out(4, first.b); out(5, first.a);"],
  ["the alias is changed", "const first = s; if (n > 3) s = { a: i32(5), b: n }; else first.b += 10; out(4, first.b);"],
  [
    "an older object is taken and changed",
    "const other = { a: n, b: i32(4) }; if (n > 3) { s = other; other.b += 1; } out(4, other.b);",
  ],
  ["switch", "switch (n) { case 1: s = { a: n, b: i32(2) }; break; case 4: s.b += 10; break; default: s.a = n; }"],
  ["nested", "if (n > 1) { if (n > 3) s = { a: n, b: i32(3) }; else s.b += 10; s.a += 1; } else s.b += 2;"],
  ["an inner function", "const f = (k) => { if (k > 3) s = { a: k, b: i32(8) }; else s.b += k; }; f(n); s.a += 1; f(n + 2);"],
  ["a ternary", "const r = n > 3 ? (s = { a: n, b: i32(8) }) : ((s.b += 10), s); out(4, r.a);"],
  ["&&", "n > 3 && (s = { a: n, b: i32(9) }); n > 5 || (s.b += 1);"],
  [
    "an early return of the object",
    "const f = () => { if (n > 3) { s.b += 10; return s; } s = { a: n, b: i32(6) }; return s; }; const r = f(); out(4, r.b);",
  ],
  [
    "early returns of several",
    "const f = () => { for (const i of staticRange(3)) { if (n === i) return s; s.b += 1; if (n === i + 3) return { a: i32(i), b: s.b }; } return { a: n, b: n }; }; const r = f(); out(4, r.a); out(5, r.b);",
  ],
  [
    "a return from a loop",
    "const f = () => { for (const i of range(9)) { s.b += i; if (i > n) return s; } return { a: n, b: n }; }; out(4, f().b);",
  ],
  [
    "a new object returned from a loop",
    "const f = () => { for (const i of range(9)) { const r = { a: i, b: s.b }; s.b += i; if (i > n) { r.b += 1; return r; } } return s; }; const r = f(); out(4, r.a); out(5, r.b);",
  ],
  ["continue", "for (const i of range(n)) { if (i % 3 === 0) { s = { a: i, b: s.b }; continue; } s.b += i; }"],
  ["break", "for (const i of range(9)) { s.b += i; if (i > n) { s = { a: i, b: s.b + 1 }; break; } }"],
  ["while", "let i = i32(0); while (i < n) { i++; if (i % 2 === 0) s = { a: i, b: s.b }; else s.b += i; }"],
  ["do", "let i = i32(0); do { i++; if (i % 2 === 0) s = { a: i, b: s.b }; else s.b += i; } while (i < n);"],
  ["unrolled", "for (const i of staticRange(3)) { if (n > i) s = { a: i32(i), b: s.b }; else s.b += i; }"],
  ["a field that holds an object", "const t = { q: s }; if (n > 3) t.q = { a: n, b: n }; else t.q.b += 10; out(4, t.q.b);"],
  [
    "the same in a loop",
    "const t = { q: { a: n, b: i32(0) } }; for (const i of range(n)) { if (i % 2 === 0) t.q = { a: i, b: n }; } out(4, t.q.a); out(5, t.q.b);",
  ],
  [
    "two variables of one new object",
    "let p = s, q = s; if (n > 3) { const o = { a: n, b: i32(1) }; p = o; q = o; } else { p.b += 3; } out(4, p.b); out(5, q.b);",
  ],
  ["after an exit of the thread", "if (n > 5) { out(6, 1); return; } else { s = { a: n, b: i32(3) }; } s.b += 1;"],
];

const start = "let s = { a: i32(1), b: n };";
const end = "out(0, s.a); out(1, s.b);";
const some = [[0], [1], [2], [3], [4], [5], [7]];

test.each(kept)("fields: %s", (_, body) => {
  sameAsJavaScript(`(n) => { ${start} ${body} ${end} }`, some);
});

test.each<readonly [string, string]>([
  ["elements", "let v = [n, i32(2)]; if (n > 3) v = v.map((x) => x + 1); else v[0] += 5; out(0, v[0]); out(1, v[1]);"],
  [
    "elements of elements",
    "let v = [[n, 1], [2, n]]; if (n > 3) v = [[n, n], v[0]]; else v[1][0] += n; out(0, v[0][0]); out(1, v[1][0]);",
  ],
  [
    "nested fields",
    "let s = { q: { k: n }, v: [n] }; if (n > 3) s = { q: { k: i32(1) }, v: [i32(2)] }; else { s.q.k += 10; s.v[0] = 4; } out(0, s.q.k); out(1, s.v[0]);",
  ],
  [
    "methods",
    "class P { constructor(x) { this.x = x; } add(d) { this.x += d; return this; } } let p = new P(n); if (n > 3) p = new P(n * 2).add(1); else p.add(10); out(0, p.x);",
  ],
  [
    "a method that gives back an older object",
    "class P { constructor(x) { this.x = x; } best(o) { return o.x > this.x ? o : this; } } const p = new P(n), q = new P(i32(3)); if (n > 1) { q.x += 2; } out(0, p.best(q).x);",
  ],
  ["an element is not made where it is read", "const v = [{ k: n }]; if (n > 3) { const e = v.at(0); e.k = 9; } out(0, v[0].k);"],
  ["a function that gives back what it has kept", "const o = { k: n }; const f = () => o; if (n > 3) f().k = 9; out(0, o.k);"],
])("%s", (_, body) => {
  sameAsJavaScript(`(n) => { ${body} }`, some);
});

test.each([
  ["W2068", "(n) => { let p = { x: n }; const q = p; if (n > 2) p = { x: 1 }; out(0, p === q ? 1 : 0); }"],
  ["W2068", "(n) => { let p = { x: n }; const q = p; for (const i of range(n)) { out(0, p === q ? 1 : 0); p = { x: i }; } }"],
  ["W2068", "(n) => { let p = { x: n }; const v = [p]; if (n > 2) p = { x: 1 }; out(0, v.includes(p) ? 1 : 0); }"],
  ["W2020", "(n) => { const t = {}; if (n > 2) t.f = n; out(0, Object.keys(t).length); }"],
  ["W2020", "(n) => { const t = {}; if (n > 2) t.f = n; for (const k in t) out(0, 3); }"],
  ["W2020", "(n) => { const t = {}; if (n > 2) t.f = n; const c = { ...t }; out(0, 3); }"],
  ["W2050", "(n) => { const f = { k: i32(1) }; let s = f; for (const i of range(n)) { out(0, f.k); s.k = 5; s = { k: i }; } }"],
  ["W2050", "(n) => { const f = { k: 1 }; let s = f; for (const i of range(n)) { out(0, f.k); s.k = 5; s = { k: i }; } }"],
  [
    "W2050",
    "(n) => { const f = { k: n }; let s = f, t = { k: i32(0) }; for (const i of range(n)) { [s, t] = [t, s]; s.k += 1; } out(0, f.k); }",
  ],
  [
    "W2051",
    "(n) => { let p = { k: n }, q = { k: n }; for (const i of range(n)) { p.k += 1; out(0, q.k); const e = { k: i }; p = e; q = e; } }",
  ],
  [
    "W2051",
    "(n) => { let p = { q: { k: n } }, r = { q: { k: n } }; for (const i of range(n)) { p.q.k += 1; out(0, r.q.k); const e = { k: i }; p = { q: e }; r = { q: e }; } }",
  ],
  [
    "W2051",
    "(n) => { const o = { q: { k: n } }; let s = { k: n }; for (const i of range(n)) { s.k += 1; const e = { k: i }; if (i > 1) o.q = e; s = e; } }",
  ],
])("%s: %s", (code, body) => {
  expect(() => traceSource(`${header}export const f = kernel({}, ${body});`, ["i32"])).toThrow(expect.objectContaining({ code }));
});

test.each<readonly [string, string]>([
  ["a return in a callback of forEach", "let t = i32(0); [1, 2, 3].forEach((x) => { if (n === x) return; t += x; }); out(0, t);"],
  [
    "a return with a value in a callback of map",
    "const v = [n, 4].map((e) => { if (e > 2) return e * 2; return e; }); out(0, v[0]); out(1, v[1]);",
  ],
  ["a return in a callback of reduce", "out(0, [1, n, 3].reduce((a, e) => { if (e > 2) return a + e; return a; }, i32(0)));"],
  [
    "a return in a callback of Array.from",
    "const v = Array.from({ length: 3 }, (_, i) => { if (n > i) return n; return i32(i); }); out(0, v[0] + v[2]);",
  ],
  [
    "named fields of arrays",
    "const a = [n, 2]; a.extra = i32(5); const c = [2, n]; c.extra = i32(7); let b = a; if (n > 2) b = c; out(0, b.extra); out(1, b[0]);",
  ],
])("%s", (_, body) => {
  sameAsJavaScript(`(n) => { ${body} }`, some);
});

test.each([
  ["W2022", "const a = [n, 2]; a.extra = i32(5); let b = a; if (n > 2) b = [2, n]; out(0, b[0]);"],
  ["W2020", 'const o = {}; if (n > 2) o.k = n; out(0, Object.hasOwn(o, "k") ? 1 : 2);'],
  ["W2069", "const it = [1, 2, 3].values(); if (n > 2) it.next(); out(0, it.next().value);"],
  ["W2069", "const it = [1, 2, 3].values(); if (n > 2) for (const v of it) out(0, v);"],
  ["W2069", "const it = [1, 2, 3].values(); if (n > 2) { const [a] = it; out(0, a); }"],
  ["W2069", "const v = [1]; const push = v.push.bind(v); if (n > 2) push(2); out(0, v.length);"],
  ["W2069", "const v = [1]; if (n > 2) Reflect.apply(v.push, v, [3]); out(0, v.length);"],
  ["W2069", "const v = [1]; if (n > 2) [5, 6].forEach(v.push, v); out(0, v.length);"],
  ["W2069", 'const o = { k: 1 }; if (n > 2) Reflect.set(o, "k", 7); out(0, o.k);'],
  ["W2069", 'const o = { k: 1 }; if (n > 2) Object.defineProperty(o, "k", { value: 7 }); out(0, o.k);'],
  ["W2069", "const o = { k: 1 }; if (n > 2) Object.freeze(o); else o.k = 5; out(0, o.k);"],
  ["W2069", "const d = new Date(0); if (n > 2) d.setTime(5); out(0, d.getTime());"],
  ["W2069", "const a = new Int32Array(2); if (n > 2) new DataView(a.buffer).setInt32(0, 7); out(0, a[0]);"],
  ["W2069", "const a = new Int32Array(2); if (n > 2) new Int32Array(a.buffer)[0] = 7; out(0, a[0]);"],
  ["W2070", "const a = Object.freeze({ k: n }); if (n > 2) a.k = 4; out(0, a.k);"],
  ["W2070", "const a = Object.freeze([n]); a[0] = 4; out(0, a[0]);"],
  [
    "W2025",
    "let s = { k: n }; for (let i = 0; i < 14; i++) s = { k: n, a: s, b: s }; for (const i of range(n)) s = { k: n + i, a: s.a, b: s.b };",
  ],
])("%s: %s", (code, body) => {
  expect(() => traceSource(`${header}export const f = kernel({}, (n) => { ${body} });`, ["i32"])).toThrow(
    expect.objectContaining({ code }),
  );
});

test("what only reads may be called under a condition", () => {
  sameAsJavaScript(
    "(n) => { const t = new Int32Array([4, 5]), o = { k: 2 }, d = new Date(7), r = [1, 2]; if (n > 2) { out(0, t.at(1)); out(1, JSON.stringify(o).length); out(2, d.getTime()); for (const v of r) out(3, v); for (const v of r.values()) out(4, v); out(5, Object.getOwnPropertyNames(o).length); } }",
    some,
  );
});
