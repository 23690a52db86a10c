import { describe, test } from "vitest";
import { sameAsJavaScript } from "../../../dsl/differential.ts";

const some = [[0], [1], [2], [3], [5], [7], [12], [-4]];
const pairs = [0, 1, 3, 6].flatMap((a) => [-2, 0, 2, 5].map((b) => [a, b]));

describe("branches", () => {
  test("merge variables, and keep what is the same on both sides", () => {
    sameAsJavaScript("(n) => { let a = 1, b = 2; if (n > 2) { a = n; b = 2; } else a = n * 3; out(0, a); out(1, b); }", some);
  });
  test("else if, nested, with fields", () => {
    sameAsJavaScript(
      "(n) => { const o = { x: n, y: i32(0) }; if (n > 5) { o.x = 5; if (n > 10) o.y = 1; } else if (n > 2) { o.y = 7; } out(0, o.x); out(1, o.y); }",
      some,
    );
  });
  test("plain objects and arrays merge leaf by leaf", () => {
    sameAsJavaScript(
      "(n) => { let p = { x: 1, v: [n, 2] }; if (n > 2) p = { x: n, v: [3, n] }; out(0, p.x); out(1, p.v[0]); out(2, p.v[1]); }",
      some,
    );
  });
  test("a closure assigns an outer variable under a branch", () => {
    sameAsJavaScript("(n) => { let t = i32(1); const bump = (k) => { t = t + k; }; if (n > 2) bump(n); out(0, t); }", some);
  });
  test("an early return ends the thread", () => {
    sameAsJavaScript(
      "(n) => { out(0, 1); if (n > 2) return; out(1, n); if (n < 0) { out(2, 3); return; } else out(3, 1); out(4, n); }",
      some,
    );
  });
  test("both sides return", () => {
    sameAsJavaScript("(n) => { if (n > 2) { out(0, 1); return; } else { out(1, 2); return; } }", some);
  });
  test("what is only a truth value stays one inside others", () => {
    sameAsJavaScript(
      "(n, m) => { const no = n > 1; if (m > 0 && (n || no)) out(0, 1); if (n > 2 || (m && no)) out(1, 2); out(2, (n > 1 ? m || no : no) ? 3 : 4); let k = i32(0); while (k < 4 && (n || no)) k++; out(3, k); }",
      pairs,
    );
  });
  test("conditional expressions and short circuits", () => {
    sameAsJavaScript(
      "(n, m) => { out(0, n > 1 && m > 1 ? n : m); out(1, n && m); out(2, n || m); out(3, !n); out(4, n > 1 || m < 0); out(5, n > 2 ? m > 1 : m < 1); }",
      pairs,
    );
  });
  test("the right side of && may assign", () => {
    sameAsJavaScript(
      "(n, m) => { let k = 0; n > 1 && (k = m); let j = 3; n || (j = m + 1); out(0, k); out(1, j); const o = { v: n }; m > 0 && (o.v = 9); out(2, o.v); }",
      pairs,
    );
  });
  test("switch", () => {
    sameAsJavaScript(
      "(n) => { let r = 0; switch (n) { case 1: case 2: r = 10; break; case 3: if (n > 0) { r = 4; break; } r = 6; break; default: r = 7; } out(0, r); }",
      some,
    );
    sameAsJavaScript("(n) => { switch (n) { case 1: out(0, 1); break; case 5: return; default: out(1, 4); } out(2, n); }", some);
  });
  test("a switch evaluates its tests one after the other", () => {
    sameAsJavaScript(
      "(n, m) => { let s = 0; const g = (v) => { s += 1; return v; }; switch (n) { case g(3): s += 10; break; case g(m): case g(1): s += 20; break; default: s += 50; } switch (3) { case g(3): s += 100; break; case g(4): s += 200; } switch (1) { case g(m): s += 1000; break; case g(1): s += 2000; } out(0, s); }",
      pairs,
    );
  });
  test("a labelled block", () => {
    sameAsJavaScript(
      "(n) => { let r = 0; here: { if (n > 2) break here; r = 1; if (n > 1) break here; r = 2; } out(0, r); }",
      some,
    );
  });
});

describe("helpers", () => {
  test("return values under staged conditions", () => {
    sameAsJavaScript(
      "(n) => { const g = (a) => { if (a > 5) return 1; if (a > 2) return a; return -a; }; out(0, g(n)); out(1, g(n + 1)); }",
      some,
    );
  });
  test("return from the middle of loops", () => {
    sameAsJavaScript(
      "(n, m) => { const g = (a, b) => { for (const i of range(a)) { for (const j of range(b)) { if (i * j === 4) return i; } } return 77; }; out(0, g(n, m)); }",
      pairs,
    );
  });
  test("objects computed where they are returned", () => {
    sameAsJavaScript(
      "(n, m) => { const g = () => { for (const k of range(m)) { if (k * 2 > n) { const q = k * 5; if (k > 3) return { i: k * 2, s: [q + 1, n, 3] }; } } return { i: -1, s: [0, 0, 3] }; }; const r = g(); out(0, r.i); out(1, r.s[0]); const h = (x) => { if (x > 2) { const t = x * 3; if (m > 2) return { v: t }; x += 1; } return { v: x }; }; out(2, h(n).v); }",
      pairs,
    );
  });
  test("nothing returned, on some ways early", () => {
    sameAsJavaScript(
      "(n) => { const g = (a) => { if (a > 5) return; out(0, a); for (const i of staticRange(3)) { if (a === i) return; out(1 + i, a); } }; g(n); out(9, n); }",
      some,
    );
  });
});

describe("loops", () => {
  test("carry variables, fields, elements", () => {
    sameAsJavaScript(
      "(n) => { let s = 0, t = 1; for (const i of range(n)) { s += i; t = t * 2 - s; } out(0, s); out(1, t); }",
      some,
    );
    sameAsJavaScript(
      "(n) => { const o = { s: i32(0), k: 3 }; const a = [i32(0), i32(1)]; for (const i of range(n)) { o.s += o.k; a[1] += a[0]; a[0] = i; } out(0, o.s); out(1, a[0]); out(2, a[1]); }",
      some,
    );
  });
  test("values that trade places", () => {
    sameAsJavaScript(
      "(n) => { let a = 0, b = 1; for (const i of range(n)) { [a, b] = [b, a + b]; } out(0, a); out(1, b); }",
      some,
    );
  });
  test("a field that is written before it is read", () => {
    sameAsJavaScript("(n) => { const o = { last: 9 }; for (const i of range(n)) o.last = i; out(0, o.last); }", some);
    sameAsJavaScript(
      "(n) => { const o = { last: 9 }; for (const i of range(n)) { if (i === 2) o.last = i; out(1, o.last); } out(0, o.last); }",
      some,
    );
  });
  test("break and continue", () => {
    sameAsJavaScript(
      "(n) => { let s = 0; for (const i of range(n)) { if (i === 1) continue; if (i > 4) break; s += i; } out(0, s); }",
      some,
    );
    sameAsJavaScript(
      "(n) => { let s = 0; for (const i of range(n, 0, -1)) { s = s * 2 + i + 1; if (s > 90) break; } out(0, s); }",
      some,
    );
    sameAsJavaScript(
      "(n, m) => { let s = 0; outer: for (const i of range(n)) { for (const j of range(n)) { if (j === m) continue outer; if (i === 4) break outer; s += i + j; } s += 100; } out(0, s); }",
      pairs,
    );
  });
  test("return from the kernel inside a loop", () => {
    sameAsJavaScript("(n) => { for (const i of range(n)) { out(0, i); if (i === 2) return; } out(1, n); }", some);
    sameAsJavaScript("(n) => { for (const i of range(n)) { out(0, i); return; } out(1, n); }", some);
  });
  test("while, do, C-style for on the GPU", () => {
    sameAsJavaScript("(n) => { let k = n; while (k > 0) { k = k - 2; if (k === 1) break; } out(0, k); }", some);
    sameAsJavaScript(
      "(n) => { let k = n, c = 0; do { k = k - 2; c++; if (c === 2) continue; if (k < -9) break; } while (k > 0); out(0, k); out(1, c); }",
      some,
    );
    sameAsJavaScript(
      "(n) => { let s = 0; for (let i = i32(0), j = n; i < j; i++, j--) { if (i === 1) continue; s += i * j; } out(0, s); }",
      some,
    );
    sameAsJavaScript("(n) => { let i = i32(0), s = 0; while (i++ < n) s += i; out(0, s); out(1, i); }", some);
    sameAsJavaScript("(n) => { let k = n; while (bool(true)) { k -= 3; if (k < 0) break; } out(0, k); }", some);
  });
  test("loops at trace time", () => {
    sameAsJavaScript(
      "(n) => { let s = 0; for (let i = 0; i < 4; i++) { if (i === 2) continue; if (n === i) break; s += n * i; } out(0, s); }",
      some,
    );
    sameAsJavaScript("(n) => { let i = 0; do { out(i, n); i++; if (i === n) break; } while (i < 3); out(5, i); }", some);
    sameAsJavaScript(
      "(n) => { const fs = []; for (let i = 0; i < 3; i++) fs.push(() => n * i); let k = 0; for (const f of fs) out(k++, f()); }",
      some,
    );
    sameAsJavaScript(
      "(n) => { let r = -1; for (const [k, v] of Object.entries({ a: 4, b: 7 })) { if (n > v) continue; r = v; if (n > 2) break; } out(0, r); }",
      some,
    );
  });
  test("a static loop that threads leave, its counter changed after that", () => {
    const loops = [
      "let k = 0; while (k < 5) { if (n === k) break; out(k, n); k++; } out(8, k);",
      "let k = 0; do { if (n === k) break; out(k, n); k++; } while (k < 5); out(8, k);",
      "let k = 0; while (k < 6) { if (n === k) { out(7, n); k++; continue; } if (n === k + 3) break; out(k, n); k++; } out(8, k);",
      "let k = 0, s = 0; outer: while (k < 4) { for (const i of range(n)) { if (i === k + 2) break outer; s += i; } k++; } out(8, k); out(9, s);",
      "const g = () => { let k = 0; while (k < 5) { if (n === k) return k * 10; k++; } return 99; }; out(8, g());",
      "let k = 0; const step = () => { k++; }; while (k < 5) { if (n === k) break; step(); } out(8, k);",
      "const o = { k: 0 }; while (o.k < 5) { if (n === o.k) break; o.k++; } out(8, o.k);",
      "let more = true, k = 0; while (more) { if (n === k) break; k++; more = k < 5; } out(8, k);",
      "let k = 0, found; while (k < 4) { if (n === k) { found = k * 3; break; } k++; } out(8, k);",
    ];
    for (const loop of loops) sameAsJavaScript(`(n) => { ${loop} }`, some);
  });
  test("the condition of a static do is evaluated once after each iteration, by threads that have not left", () => {
    sameAsJavaScript("(n) => { let k = 0, c = 0; do { c++; out(c, n); } while (k++ < 3); out(8, k); out(9, c); }", some);
    sameAsJavaScript(
      "(n) => { let k = 0, t = i32(0); const next = () => { t += 1; out(0, t); return true; }; do { if (n === k) break; k++; } while (next() && k < 3); out(8, k); out(9, t); }",
      some,
    );
  });
  test("a loop in a branch in a loop", () => {
    sameAsJavaScript(
      "(n, m) => { const o = { c: i32(0) }; let s = 0; for (const i of range(n)) { if (i > m) { for (const j of range(i)) { o.c += j; if (o.c > 20) { s++; break; } } } else o.c = i; } out(0, o.c); out(1, s); }",
      pairs,
    );
  });
  test("objects that two variables hold in turn", () => {
    sameAsJavaScript(
      "(n, m) => { let p = { x: n }, q = { x: m }; for (const k of range(m)) { [p, q] = [q, p]; p.x += k; } let best = { v: n, i: -1 }; for (const k of range(m)) { const v = (k * 7 + n) % 5; if (v > best.v) best = { v, i: k }; } best.v += 1; out(0, p.x); out(1, q.x); out(2, best.v); out(3, best.i); }",
      pairs,
    );
    sameAsJavaScript(
      "(n, m) => { const q = { x: n }; let o = q; if (m > 2) o = { x: m }; if (n > 2) { o.x = 5; out(0, o.x); } else { q.x = 6; out(1, q.x); } q.x = 3; out(2, q.x); let st = { i: 0, x: n }; for (const k of range(m)) { st.i += 1; if (st.i > 2) st = { i: 0, x: st.x + 1 }; st.x += 1; } st.x += 5; out(3, st.x); }",
      pairs,
    );
  });
  test("fields of functions and classes", () => {
    sameAsJavaScript(
      "(n, m) => { class C { static n = 0; static inc() { C.n += 1; } } if (n > 2) C.inc(); out(0, C.n); function g() { g.count += 1; } g.count = i32(0); for (const k of range(m)) g(); out(1, g.count); }",
      pairs,
    );
  });
  test("frozen objects", () => {
    sameAsJavaScript(
      "(n) => { let o = Object.freeze({ q: n }), a = Object.freeze([n]); for (const k of range(n)) { o = Object.freeze({ q: o.q + k }); a = Object.freeze([a[0] * 2]); } if (n > 3) o = Object.freeze({ q: 1 }); out(0, o.q); out(1, a[0]); }",
      some.slice(0, 6),
    );
  });
  test("a variable that keeps its object, whose field changes", () => {
    sameAsJavaScript(
      "(n) => { const a = { v: i32(1) }; let cur = a; for (const i of range(n)) { if (i < 0) cur = { v: i32(5) }; cur.v += i; } out(0, cur.v); }",
      some,
    );
    sameAsJavaScript(
      "(n) => { const a = { v: i32(1) }; let cur = a; for (const i of range(n)) { if (false) cur = { v: i32(5) }; cur.v += i; } out(0, a.v); out(1, cur.v); }",
      some,
    );
  });
});

describe("found by random programs", () => {
  test("a field that a loop inside a branch reads first and then changes", () => {
    sameAsJavaScript(
      "(n) => { const o = { a: n }; for (const i of range(4)) { if (i > 1) { for (const j of range(n)) o.a = o.a + j; } out(0, o.a); } out(1, o.a); }",
      some,
    );
  });
  test("a loop whose first iteration ends the thread", () => {
    sameAsJavaScript(
      "(n) => { let a = i32(1); if (n > 2) { for (const i of range(n)) { a = a + i; out(0, a); return; } } out(1, a); }",
      some,
    );
  });
  test("one side ends the thread, the other leaves the iteration", () => {
    sameAsJavaScript(
      "(n) => { let a = i32(0); for (const i of range(n)) { if (i > 5) return; else { if (i === 2) { a = a + 9; continue; } a = a + 1; } out(0, a); } out(1, a); }",
      some,
    );
  });
});

describe("numbers", () => {
  test("integers as in JavaScript", () => {
    sameAsJavaScript(
      "(n, m) => { out(0, n % (m * m + 1)); out(1, (n / (m * m + 1)) | 0); out(2, n << 3); out(3, n >> 1); out(4, n ^ m); out(5, ~n & m); out(6, -n); }",
      pairs,
    );
    sameAsJavaScript(
      "(n, m) => { out(0, Math.floor(n / (m * m + 2))); out(1, Math.trunc((n - 4) / 3)); out(2, Math.floor((m - 3) / 2)); out(3, Math.ceil((n - 5) / 4)); }",
      pairs,
    );
    sameAsJavaScript(
      "(n, m) => { out(0, n ** 3); out(1, n === m); out(2, n !== m); out(3, Math.max(n, m, 2)); out(4, Math.abs(m)); out(5, n >>> 1); }",
      pairs,
    );
  });
});
