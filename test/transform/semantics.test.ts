import { describe, expect, test } from "vitest";
import { runBoth } from "./run-both.ts";

/** Each must give the same transformed as plain, and something other than nothing. */
const snippets: Record<string, string> = {
  "order of evaluation in operators": `const f = (n: number) => { out(n); return n; }; return f(1) + f(2) * f(3) - f(4) ** f(2);`,
  "order of evaluation in calls": `const o = { get: (n: number) => (a: number, b: number) => out("call", n, a, b) }; return o.get(out(1) as number)(out(2) as number, out(3) as number);`,
  "compound targets are evaluated once": `const a = [1, 2, 3]; let i = 0; a[i++] += 10; a[i++] *= 5; a[i]++; ++a[i]; return [a, i, a[0]--, a[0]];`,
  "order in compound assignment": `let x = 1; x += (x = 5, 10); const o = { v: 1 }; o.v += (o.v = 7, 3); return [x, o.v];`,
  "postfix and prefix values": `let i = 5; const a = i++ + ++i; const b = i-- - --i; return [a, b, i, i++, i];`,
  "bigint steps": `let i = 5n; i++; const j = i--; return [String(i), String(j), String(-i), String(i + 2n)];`,
  "logical assignment": `let a: any = 0; a ||= 3; a &&= 4; let b: any; b ??= 5; b ??= out("no"); const o: any = { z: null }; o.z ??= 6; o.y ||= 7; o.z &&= 8; return [a, b, o];`,
  "logical assignment does not write": `let n = 0; const o = { get x() { return 1; } } as any as never; return n;`.replace(
    "{ get x() { return 1; } }",
    "Object.freeze({ x: 1 })",
  ),
  "short circuit": `const t = () => out(true), f = () => out(false); return [t() && f(), f() || t(), t() || f(), null ?? t(), 0 ?? out("no"), t() ? 1 : out(2)];`,
  "short circuit assigns": `let a = 1; a > 3 && (a = 10); a < 3 && (a = 20); a === 20 || (a = 30); a === 1 ? (a = 2) : (a = a + 1); return a;`,
  "template literals": "const x = 3; return [`a${x}b${x + 1}`, `${x}`, `plain\\n`, `multi\n${x}`];",
  "tagged templates":
    "const o = { p: 2, tag(s: any, ...v: number[]) { return [this.p, [...s], s.raw[0], v]; } }; const f = (s: any) => s.raw[0]; return [o.tag`x\\n${1}y${2}`, f`\\u0041`];",
  labels: `let n = 0; outer: for (let i = 0; i < 5; i++) { for (let j = 0; j < 5; j++) { if (j === 3) continue outer; if (i === 3) break outer; n += i * 10 + j; } n += 1000; } return n;`,
  "labelled block": `let n = 0; a: { n = 1; if (n === 1) break a; n = 2; } b: if (n === 1) { n++; break b; } return n;`,
  "nested labels": `let log = ""; a: b: for (const x of [1, 2, 3]) { c: for (const y of [1, 2]) { if (y === 2) continue b; if (x === 3) break a; log += x + "" + y; continue c; } } return log;`,
  "closures in for keep their i": `const fs: (() => number)[] = []; for (let i = 0; i < 3; i++) fs.push(() => i); return fs.map((f) => f());`,
  "closures in for of": `const fs: (() => number)[] = []; for (const x of [1, 2, 3]) { let y = x * 2; fs.push(() => (y += x)); } return fs.map((f) => f() + f());`,
  "closures in while share": `const fs: (() => number)[] = []; let i = 0; while (i < 3) { const j = i; fs.push(() => i * 10 + j); i++; } return fs.map((f) => f());`,
  "closure assigns outer": `let n = 0; const inc = () => { n++; }; if (n === 0) inc(); for (const k of [1, 2]) { inc(); n *= 2; } return n;`,
  "parameter assigned by a closure": `const f = (n: number) => { const g = () => { n = n + 1; return n; }; g(); return n + g(); }; return f(5);`,
  "for of variable assigned by a closure": `const fs: (() => number)[] = []; for (let x of [1, 2]) { fs.push(() => ++x); x += 10; } return fs.map((f) => f() + f());`,
  "switch fall through": `const f = (n: number) => { let s = ""; switch (n) { case 0: s += "0"; case 1: s += "1"; break; case 2: case 3: { s += "23"; } default: s += "d"; case 4: return s + "4"; } return s; }; return [0, 1, 2, 3, 4, 5].map((n) => f(n));`,
  "switch with continue": `let s = ""; for (let i = 0; i < 5; i++) { switch (i) { case 1: continue; case 3: break; default: s += i; } s += "."; } return s;`,
  "labelled switch": `let n = 0; s: switch (1) { case 1: for (;;) { n++; break s; } case 2: n = 100; } return n;`,
  "default in the middle": `const f = (n: number) => { switch (n) { case 1: return "a"; default: return "d"; case 2: return "b"; } }; return [f(1), f(2), f(3)];`,
  "early returns in nested loops": `const f = (m: number) => { for (const a of [1, 2, 3]) { let k = 0; while (true) { if (a * k === m) return [a, k]; if (++k > 3) break; } } return "none"; }; return [f(4), f(6), f(100), f(0)];`,
  "do while": `let n = 0; do { n++; if (n === 2) continue; if (n > 6) break; } while (n < 5); return n;`,
  "do while continue reaches the test": `let n = 0, m = 0; do { m++; if (m < 4) continue; n = 100; } while (m < 3); return [n, m];`,
  "for with continue updates": `let s = 0; for (let i = 0; i < 6; i++) { if (i % 2) continue; s += i; } return s;`,
  "for without declarations": `let i = 0, s = 0; for (i = 3; i < 6; i++) s += i; for (; i < 8; ) { i++; s++; } return [i, s];`,
  "shadowed loop variable": `const i = 100; let s = 0; for (let i = 0; i < 3; i++) { if (i === 9) return -1; s += i; } return s + i;`,
  "for in": `const o: any = { a: 1, b: 2 }; let s = ""; for (const k in o) s += k + o[k]; let last; for (last in o); return s + last;`,
  destructuring: `const { a, b: { c, ...more }, d = 4, ...rest } = { a: 1, b: { c: 2, x: 5, y: 6 }, e: 7, f: 8 } as any; const [p, , q = 9, ...r] = [1, 2, undefined, 4, 5] as any; return [a, c, more, d, rest, p, q, r];`,
  "destructuring defaults run when needed": `const { a = out("a"), b = out("b") } = { a: 1 } as any; const [c = out("c"), d = out("d")] = [undefined, 2] as any; return [a, b, c, d];`,
  "nested destructuring": `const [[a, { b }], c = a] = [[1, { b: 2 }]] as any; const { ["k" + a]: z } = { k1: 5 } as any; return [a, b, c, z];`,
  "destructuring assignment": `let a = 1, b = 2, c: any; [a, b] = [b, a]; const o: any = { arr: [] }; [o.x, o.arr[0], c = 3] = [7, 8] as any; ({ a, y: o.z, ...c } = { a: 10, y: 11, w: 12 } as any); const v = ([b] = [5, 6]); return [a, b, c, o, v];`,
  "destructured parameters": `const f = ({ a, b = 2 }: any, [c, ...d]: any = [3], ...[e]: any[]) => [a, b, c, d, e]; return [f({ a: 1 }), f({ a: 1, b: 0 }, [1, 2, 3], 9)];`,
  "for of patterns": `let s = 0; for (const { x, y: [z] } of [{ x: 1, y: [2] }, { x: 3, y: [4] }]) s += x * z; let p, q; for ([p, q] of [[1, 2], [3, 4]]) s += p * q; const o: any = {}; for (o.k of [5, 6]) s += o.k; return [s, p, q, o];`,
  "optional chains": `const a: any = { b: { c: (n: number) => n + 1, d: null } }, z: any = null; return [a?.b?.c(1), a.b?.c?.(2), a.b.d?.e.f.g(out("no")), z?.x.y.z, z?.[out("no")], z?.(out("no")), a.b.x?.(out("no")), a?.["b"]["c"](3), a.nothing?.().x, a.b!.c!(5), z?.q!.r];`,
  "this in optional calls": `const o: any = { v: 4, m() { return this.v; }, n: { get() { return this; } } }; return [o.m?.(), o?.m(), o["m"]?.(), o.n?.get().get().get === o.n.get, o?.n.get?.().get !== undefined];`,
  "methods and this": `const o = { v: 1, add(n: number) { this.v += n; return this; }, nested: { f: () => 5 }, ["comp" + 1](x: number) { return x; } }; return [o.add(2).add(3).v, o.nested.f(), (o as any).comp1(4)];`,
  "this in blocks": `const o = { v: 3, f(n: number) { if (n > 0) { return this.v; } for (const x of [1]) { if (x) return this.v + x; } return 0; } }; return [o.f(1), o.f(0)];`,
  classes: `class P { y = this.start() * 2; static made = 0; constructor(public x: number, z = 3) { if (x < 0) return; this.y += z; P.made++; } start() { return 1; } get sum() { return this.x + this.y; } set sum(v: number) { this.x = v; } twice() { for (const i of [1, 2]) if (i === 2) return this.x * i; return 0; } static of(n: number) { return new P(n); } } const p = P.of(4); p.sum = 6; const Q = class { v = 2; }; return [p.x, p.y, p.sum, p.twice(), P.made, new P(-1).y, new Q().v, p instanceof P];`,
  "recursion and hoisting": `const a = fact(5); function fact(n: number): number { if (n < 2) return one(); return n * fact(n - 1); } function one() { return 1; } return a;`,
  "functions below a return that may happen": `const f = (n: number) => { if (n > 0) return g(n); const k = 10; return h(); function g(m: number) { return m + i(); } function h() { return k; } function i() { return 100; } }; return [f(1), f(0)];`,
  "function in a block": `let s = 0; { s += f(); function f() { return 2; } } if (s) { s += g(); function g() { return 3; } } return s;`,
  "block that leaves": `const f = (n: number) => { let r = 0; { const r2 = n; if (r2 > 1) return "left"; r = r2; } r++; return r; }; return [f(0), f(5)];`,
  spread: `const a = [1, 2], o = { p: 1 }; const f = (...xs: number[]) => xs.length; return [[0, ...a, , ...a], { ...o, q: 2, ...null }, f(...a, 3, ...a), Math.max(...a), new Array(...[1, 2, 3])];`,
  "object literals": `const k = "key", v = 1; return { k, v, [k + v]: 2, "str-ing": 3, 4: 5, f: null, nested: { k } };`,
  "delete typeof void in":
    `const o: any = { a: 1, b: 2 }; const d = delete o.a; delete o["b"]; return [d, o, typeof o, typeof missing, void 0, "a" in o, [] instanceof Array, -"3", +"4", ~5, !0, - -6];`.replace(
      "typeof missing",
      "typeof (globalThis as any).missing",
    ),
  "typeof of a name that is not there": `return typeof notDeclaredAnywhere;`.replace("return", "// @ts-ignore\nreturn"),
  comma: `let a = 0; const b = (a++, a += 2, a); for (let i = 0, j = 0; i < 3; i++, j += 2) a += j; return [a, b];`,
  "assignment as a value": `let a: number, b: number; a = b = 3; const o: any = {}; o.x = o.y = a += 1; if ((b = a + 1) > 4) a = b; while ((b -= 1) > 2) a++; return [a, b, o];`,
  throw: `const f = () => { throw new TypeError("x"); }; f(); return 1;`,
  "throw in a branch": `if (1 + 1 === 3) throw new Error("no"); return "fine";`,
  "conversions survive": `const a = [3] as const, b = a as readonly number[], c = <number>b[0], d = b!, e = (b satisfies readonly number[])[0]!; return [c, d, e];`,
  "non-null and casts as targets": `const o: any = { a: 1 }; (o as any).a = 2; o!.a += 1; (o.a as number)++; let x: any = 1; (x as number) = 5; (x as number)++; return [o, x];`,
  "let without a value": `let t: number; if (out(1)) t = 2; else t = 3; let u; { u = t; } return [t, u];`,
  "variables of inner blocks are their own": `let x = 1; { let x = 2; x++; if (x) { let x = 9; x++; } } for (const y of [1]) { let x = y; x += 5; } return x;`,
  "immediately called": `return [(() => 3)(), (function (n) { return n + 1; })(4), ((a, b = a + 1) => { if (a) return b; return 0; })(1)];`,
  "default parameters": `const f = (a: number, b = a + 1, c = () => a + b) => { a = 100; return [a, b]; }; return f(1);`,
  "undefined as a default": `const f = (a = 5) => a; return [f(undefined), f(0)];`,
  comments: `// first\nconst a = 1 // one\n  + 2 /* two */\n  // three\n  + 3; /* tail */ return Math.max( // why\n a, // because\n 2, /* end */ );`,
  asi: `const a = 1\nlet b = a\n++b\nconst c = [1, 2]\n;[b] = c\nif (b) b = 5\nelse b = 6\nreturn b`,
  "regular expressions and strings": `return ["a-b".replace(/-/g, "+"), 'it\\'s', "\\u2028".length, /x/.test("x")];`,
  "enum and type declarations": `enum E { A = 2, B } type T = number; interface I { x: T } const i: I = { x: E.B }; return [E.A, i.x, E[2]];`,
  numbers: `return [1_000, 0xff, .5, 1e3, 5..toFixed(1), (5).toFixed(2), -1 ** 2 === undefined];`.replace(
    ", -1 ** 2 === undefined",
    "",
  ),
  "a loop that never runs": `let x = 1; for (const y of []) x = y; while (x > 5) x--; for (let i = 0; i < 0; i++) return 1; return x;`,
  "continue in nested switch in while": `let i = 0, s = 0; while (i < 6) { i++; switch (i % 3) { case 0: continue; case 1: s += 10; break; } s += i; } return s;`,
  "names with dollars": `const $ = 1, $1 = 2, $v = 3, $open = 4; let q = 0; for (const [a, { b }] of [[1, { b: 2 }]] as any) { q += a + b + $ + $1 + $v + $open; } return q;`,
  "sparse and holes": `const [, b] = [1, 2]; const a = [, 1, , 2]; const [x, ,] = [5, 6, 7]; return [b, a.length, 0 in a, x];`,
  "getter evaluated once": `let n = 0; const o = Object.defineProperty({}, "x", { get: () => ++n, set: () => undefined }) as any; o.x += 1; o.x++; o.x; return n;`,
};

describe.each([
  ["plainly", false],
  ["with every branch tried", true],
] as const)("%s", (_how, speculate) => {
  test.each(Object.entries(snippets))("%s", (_name, body) => {
    const { plain, transformed, code } = runBoth(body, speculate);
    expect(transformed, code).toEqual(plain);
    expect(plain.result === undefined && plain.logged.length === 0).toBe(false);
  });
});
