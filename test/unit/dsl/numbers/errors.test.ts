import { describe, expect, test } from "vitest";
import type { WarpsmithError } from "../../../../src/base/diag/index.ts";
import type { ScalarType } from "../../../../src/ir/index.ts";
import { header } from "../../../dsl/differential.ts";
import { type Environment, traceSource } from "../../../dsl/trace-source.ts";

function errorOf(body: string, types: readonly ScalarType[], env: Environment = {}): WarpsmithError | undefined {
  try {
    traceSource(`${header}export const f = kernel({}, ${body});`, types, env);
  } catch (error) {
    return error as WarpsmithError;
  }
  return undefined;
}

function refused(code: string, body: string, types: readonly ScalarType[] = ["i32", "f32"], env: Environment = {}): void {
  test(`${code}: ${body}`, () => {
    const error = errorOf(body, types, env);
    expect(error?.code ?? error, error?.stack).toBe(code);
    expect(error?.fix.length).toBeGreaterThan(5);
    expect(error?.spans[0]?.line).toBe(2);
  });
}

function accepted(body: string, types: readonly ScalarType[] = ["i32", "f32"], env: Environment = {}): void {
  test(body, () => {
    const error = errorOf(body, types, env);
    expect(error, error?.stack).toBeUndefined();
  });
}

describe("numbers that do not mix", () => {
  refused("W2003", "(n, x) => { out(0, n + x); }");
  refused("W2003", "(n, m) => { out(0, n + m); }", ["i32", "u32"]);
  refused("W2003", "(n, m) => { out(0, n * m); }", ["f16", "bf16"]);
  refused("W2003", "(n, m) => { out(0, n < m); }", ["i32", "i64"]);
  refused("W2004", "(n) => { out(0, n + 1); }", ["i64"]);
  refused("W2004", "(n) => { out(0, n * 0.5); }");
  refused("W2004", "(n) => { out(0, n === 0.5); }");
  refused("W2004", "(n) => { out(0, n + 2 ** 31); }");
  refused("W2004", "(n) => { out(0, n + -1); }", ["u32"]);
  refused("W2004", "(n) => { out(0, n + 1e6); }", ["f16"]);
  refused("W2005", "(n) => { out(0, n / 2); }");
  refused("W2005", "(n) => { const q = n / n; }");
  refused("W2005", "(n, x) => { out(0, x * f32(1) + 1 / n); }");
  refused("W2006", "(n) => { out(0, (n > 2) + 1); }");
  refused("W2007", "(n) => { out(0, n == 2); }");
  refused("W2017", "(n) => { for (const i of range(15.6)) out(0, i); }");
  refused("W2011", "(n, x) => { out(0, x & 1); }");
  refused("W2012", "(n) => { out(0, -n); }", ["u32"]);
  refused("W2009", "(n) => { out(0, n + null); }");
  refused("W2014", "(n) => { out(0, n + n); }", ["e4m3"]);
  accepted("(n, x) => { out(0, x * 0.1); out(1, n + 1); out(2, f32(n) + x); }");
  accepted("(h, x) => { out(0, h + x); out(1, h * 2); }", ["f16", "f32"]);
  accepted(
    "(n) => { out(0, (n / 2) | 0); out(1, Math.trunc(n / 3)); out(2, Math.floor(n / 3)); out(3, i32(n / 3)); out(4, ~~(n / 3)); }",
  );
  accepted("(n) => { out(0, n / 2n + 1n); out(1, n << 3n); }", ["i64"]);
});

describe("open types", () => {
  const resultType = (body: string, types: readonly ScalarType[]): readonly string[] => {
    const { graph } = traceSource(`${header}export const f = kernel({}, ${body});`, types);
    return graph.body.ops.flatMap((op) => (op.name === "for" ? op.results.map((r) => String(r.type)) : []));
  };
  test("a carried literal takes the type it meets", () => {
    expect(resultType("(n, x) => { let s = 0; for (const i of range(n)) s += x; out(0, s); }", ["i32", "f32"])).toEqual(["f32"]);
    expect(resultType("(n, x) => { let s = 0; for (const i of range(n)) s += x; out(0, s); }", ["i32", "f16"])).toEqual(["f16"]);
    expect(resultType("(n) => { let s = 0; for (const i of range(n)) s += 1; out(0, s); }", ["i32"])).toEqual(["i32"]);
    expect(resultType("(n) => { let s = 0; for (const i of range(n)) s += 0.5; out(0, f32(s)); }", ["i32"])).toEqual(["f32"]);
    expect(resultType("(n) => { let s = 1; for (const i of range(n)) s = s / 2; out(0, f32(s)); }", ["i32"])).toEqual(["f32"]);
    expect(
      resultType("(n, x) => { let s = 0, t = 0; for (const i of range(n)) { t = s; s += 1; } out(0, t + x); }", ["i32", "f32"]),
    ).toEqual(["f32", "f32"]);
    expect(
      resultType("(n, x) => { let s = -Infinity; for (const i of range(n)) s = Math.max(s, x); out(0, s); }", ["i32", "f32"]),
    ).toEqual(["f32"]);
  });
  refused("W2004", "(n) => { let s = 0.5; for (const i of range(n)) s += i; out(0, s); }");
  refused("W2005", "(n) => { let s = 0; for (const i of range(n)) { s = s / 2; s += i; } out(0, s); }");
  refused("W2022", "(n, x) => { let s = i32(0); for (const i of range(n)) s = x; out(0, s); }");
});

describe("branches and loops", () => {
  refused("W2022", "(n) => { let t = 'a'; if (n > 1) t = 'b'; out(0, n); }");
  refused("W2022", "(n, x) => { let t = n; if (n > 1) t = x; out(0, n); }");
  refused("W2022", "(n) => { let t = [1]; if (n > 1) t = [1, 2]; out(0, n); }");
  refused("W2022", "(n) => { let t = { a: 1 }; if (n > 1) t = { b: 1 }; out(0, n); }");
  refused("W2020", "(n) => { let t; if (n > 1) t = n; out(0, t + 1); }");
  refused("W2020", "(n) => { let t; for (const i of range(n)) t = i; out(0, t + 1); }");
  accepted("(n) => { let t; if (n > 1) t = n; else t = 2; out(0, t); let u; for (const i of range(n)) { u = i; out(1, u); } }");
  refused("W2023", "(n) => { let k = 0; while (k < 4) { k = k + n; } }");
  refused("W2024", "(n) => { const a = [1]; if (n > 1) a.push(2); }");
  refused("W2024", "(n) => { const a = []; for (const i of range(n)) a[a.length] = i; }");
  refused("W2024", "(n) => { const m = new Map(); if (n > 1) m.set('a', n); }");
  accepted("(n) => { if (n > 1) { const a = []; a.push(n); out(0, a[0]); } }");
  accepted("(n) => { const s = { phase: false }; for (const i of range(n)) { if (s.phase) out(0, i); s.phase = !s.phase; } }");
  refused("W2026", "(n) => { const s = { f: () => 1 }; for (const i of range(n)) { out(0, s.f()); s.f = () => 2; } }");
  refused("W2026", "(n) => { const s = { m: new Map() }; for (const i of range(n)) { out(0, s.m.size); s.m = new Map(); } }");
  refused(
    "W2020",
    "(n) => { const s = { x: undefined }; for (const i of range(n)) { if (s.x === undefined) out(0, i); s.x = i; } }",
  );
  refused("W2030", "(n) => { for (;;) { if (n > 3) break; } }");
  refused("W2029", "(n) => { for (const i of staticRange(n)) out(0, i); }");
  refused("W2028", "(n) => { for (const i of range(0, n, 0)) out(0, i); }");
  refused("W2032", "(n) => { switch (n) { case 1: out(0, 1); case 2: out(1, 1); } }");
  refused("W2031", "(n) => { for (const i of n) out(0, i); }");
  refused("W2042", "(n) => { if (n > 2) throw new Error('no'); }");
  refused("W2002", "(n) => { if (n > 2) return 4; out(0, n); }");
  refused("W2047", "(n) => { const g = (a) => { if (a > 2) return a; }; out(0, g(n)); }");
});

describe("calls", () => {
  const plain = {
    plain: (x: number) => (x === 3 ? 1 : 0),
    total: (xs: number[]) => xs.length,
    K: class Plain {
      v = 1;
      get big() {
        return this.v;
      }
    },
  };
  refused("W2034", "(n) => { out(0, plain(n)); }", ["i32"], plain);
  refused("W2034", "(n) => { out(0, total([1, { a: n }])); }", ["i32"], plain);
  refused("W2034", "(n) => { out(0, parseInt(n)); }", ["i32"]);
  refused("W2034", "(n) => { const k = new K(); k.v = n; out(0, k.big); }", ["i32"], plain);
  refused("W2034", "(n) => { out(0, [n].toLocaleString()); }", ["i32"], plain);
  accepted("(n) => { out(total([1, 2]), plain(3) + n); }", ["i32"], plain);
  refused("W2035", "(n) => { out(0, [1, n].includes(n)); }");
  refused("W2035", "(n) => { out(0, [1, n].indexOf(n)); }");
  refused("W2035", "(n) => { out(0, [1, n].lastIndexOf(n)); }");
  refused("W2035", "(n) => { out(0, [1, 2].filter((v) => v > n).length); }");
  refused("W2035", "(n) => { out(0, [1, 2].find((v) => v === n)); }");
  refused("W2035", "(n) => { [n, 2].sort(); }");
  refused("W2035", "(n) => { [n, 2].sort((a, b) => a - b); }");
  refused("W2035", "(n) => { out(0, [1].some((v) => v === n)); }");
  refused("W2035", "(n) => { out(0, Number(n)); }");
  refused("W2035", "(n) => { out(0, [1].indexOf(n)); }");
  refused("W2036", "(n) => { out(0, n + Math.floor(Math.random())); }");
  refused("W2036", "(n) => { out(0, n + Date.now()); }");
  refused("W2039", "(n) => { const a = [1, 2]; out(0, a[n]); }");
  refused("W2039", "(n) => { const a = [1, 2]; out(0, a.at(n)); }");
  refused("W2039", "(n) => { const a = [1, 2]; a[n] = 3; }");
  refused("W2041", "(n) => { const o = { [n]: 1 }; }");
  refused("W2008", "(n) => { const o = {}; o[`k${n}`.length] = 1; }");
  refused("W2041", "(n) => { const [a] = n; }");
  refused("W2040", "(n) => { out(0, n.toFixed(2)); }");
  refused("W2037", "(n) => { const g = (k) => (k > 0 ? g(k - 1) : 0); out(0, g(n)); }");
  accepted(
    "(n) => { const a = [n, 2].map((v) => v + 1); a.push(n); out(0, a.reduce((s, v) => s + v, 0)); const m = new Map([['a', n]]); out(1, m.get('a')); }",
  );
  accepted(
    "(n) => { for (const [k, v] of Object.entries({ a: n })) out(0, v); const { a, ...rest } = { a: n, b: 2 }; out(1, rest.b + a); }",
  );
  accepted(
    "(n) => { out(0, [1, 2, 3].filter((v) => v > 1).length + n); const g = (k) => (k > 0 ? n + g(k - 1) : 0); out(1, g(3)); }",
  );
});
