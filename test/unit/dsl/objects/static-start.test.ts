import { describe, expect, test } from "vitest";
import { openConstant } from "../../../../src/dsl/numbers/constant.ts";
import { addLiteral, isOpen, settle, unify } from "../../../../src/dsl/numbers/open-types.ts";
import { Trace, withTrace } from "../../../../src/dsl/trace/trace.ts";
import { header, sameAsJavaScript } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";
import { programOptions } from "../../../support/program-options.ts";

const argumentSets = [0, 1, 2, 3, 5].flatMap((n) => [0, 1, 4].map((m) => [n, m]));

/** Fields that begin as constants and change in a loop: the loop carries them. `docs/language/variables.md`. */
const carried: readonly (readonly [what: string, body: string])[] = [
  ["a field", "const s = { a: 0 }; for (const i of range(n)) s.a += i; out(0, s.a);"],
  ["a flag", "const s = { on: false }; for (const i of range(n)) { if (s.on) out(0, i); s.on = !s.on; } out(1, s.on);"],
  ["an element", "const a = [0, 1]; for (const i of range(n)) { a[0] += a[1]; a[1] += i; } out(0, a[0]); out(1, a[1]);"],
  ["an alias", "const s = { a: 0 }; const t = s; for (const i of range(n)) { out(0, t.a); s.a += i; } out(1, t.a);"],
  [
    "what another object holds",
    "const s = { p: { a: 0 } }; const p = s.p; for (const i of range(n)) { out(0, p.a); s.p.a += i; } out(1, p.a);",
  ],
  [
    "an object that is replaced",
    "const s = { p: { a: 0 } }; const p = s.p; for (const i of range(n)) { out(0, s.p.a); s.p = { a: i }; } out(1, p.a); out(2, s.p.a);",
  ],
  [
    "a closure",
    "const s = { a: 0 }; const hit = () => { s.a += 1; return s.a; }; for (const i of range(n)) if (hit() > m) out(0, i); out(1, s.a);",
  ],
  ["a loop in a loop", "const s = { a: 0 }; for (const i of range(n)) for (const j of range(m)) s.a += j; out(0, s.a);"],
  [
    "one that begins anew",
    "const s = { a: 0 }; for (const i of range(n)) { s.a = 0; for (const j of range(m)) s.a += j + 1; out(0, s.a); } out(1, s.a);",
  ],
  ["while", "const s = { i: 0 }; while (s.i < n) { out(0, s.i); s.i++; } out(1, s.i);"],
  ["do", "const s = { i: 0 }; do { out(0, s.i); s.i++; } while (s.i < n); out(1, s.i);"],
  [
    "break and continue",
    "const s = { a: 0 }; for (const i of range(n)) { if (s.a > 3) break; s.a += i; if (i === m) continue; s.a += 1; } out(0, s.a);",
  ],
  [
    "a return",
    "const s = { a: 0 }; const f = () => { for (const i of range(n)) { s.a += i; if (s.a > m) return s.a; } return 0; }; out(0, f()); out(1, s.a);",
  ],
  [
    "a loop that would be static",
    "const s = { i: 0 }; for (const k of range(n)) { while (s.i < 3) s.i += 1; out(0, s.i); s.i = 1; }",
  ],
  [
    "a queue",
    `const h = Array(30).fill(0); for (const i of range(n)) { for (let k = 0; k < 29; k++) h[k] = h[k + 1]; h[29] = i; } ${[25, 26, 27, 28, 29].map((k) => `out(${k - 25}, h[${k}]);`).join(" ")}`,
  ],
  ["a list of values", "const s = { a: 0 }; for (const i of range(n)) { const [v] = Object.values(s); out(0, v); s.a = i; }"],
  ["entries", "const s = { a: 0 }; for (const i of range(n)) { for (const [, v] of Object.entries(s)) out(0, v); s.a = i; }"],
  ["a copy", "const s = { a: 0 }; for (const i of range(n)) { const t = Object.assign({}, s); out(0, t.a); s.a = i; }"],
  [
    "a field of the class",
    "class Q { v = 0; } Q.prototype.w = 3; const s = new Q(); for (const i of range(n)) { out(0, s.w); s.w = i; }",
  ],
];

test.each(carried)("%s", (_, body) => {
  sameAsJavaScript(`(n, m) => { ${body} }`, argumentSets);
});

/** A field that an object may get: asked for in a loop, it is none yet. */
test.each([
  "const s = {}; if (n < 1) { s.z = 1; return; } if (Object.keys(s).length < 1) out(0, n);",
  "const s = {}; if (n < 3) { if (n < 1) { s.z = 1; return; } } if (Object.keys(s).length < 1) out(0, n);",
  "const s = {}; if (n > 1) { for (const i of range(m)) if (s.z === undefined) out(0, i); } out(1, Object.keys(s).length);",
  "class Q { v = 0; add() { this.v++; } } const s = new Q(); if (n > 1) { for (const i of range(m)) s.add(); } out(1, Object.keys(s).length); out(2, s.v);",
])("%s", (body) => {
  sameAsJavaScript(`(n, m) => { ${body} }`, argumentSets);
});

const traced = (body: string, env = {}) => traceSource(`${header}export const f = kernel({}, ${body});`, ["i32"], env);

describe("what stays static", () => {
  test("a field that every iteration leaves as it was", () => {
    const { text } = traced(
      "(n) => { const s = { deep: 0 }; for (const i of range(n)) { s.deep++; out(s.deep, i); s.deep--; } }",
    );
    expect(text).toContain("carried=[] body");
    expect(text).toContain("{offset = 8, ");
  });

  test("a field that no iteration changes picks a static path", () => {
    const { graph } = traced(
      "(n) => { const s = { two: 2, sum: 0 }; for (const i of range(n)) { for (let k = 0; k < s.two; k++) s.sum += i; } out(0, s.sum); }",
    );
    const loops = graph.body.ops.filter((op) => op.name === "for");
    expect(loops).toHaveLength(1);
    expect(loops[0]?.results).toHaveLength(1);
  });
});

describe("what is traced in vain", () => {
  test("leaves no log, no type and no quotient behind", () => {
    const { graph } = traced(
      `(n) => {
        const s = { first: true };
        let x = 0;
        for (const i of range(n)) {
          console.log("once", i);
          if (s.first) x = x + i;
          else x = x + i * 2;
          s.first = false;
        }
        out(0, x);
      }`,
      { console },
    );
    expect(graph.logs).toHaveLength(1);
  });

  test("leaves types open that it has found", () => {
    const trace = new Trace({ name: "f", ...programOptions({ debug: false }) });
    withTrace(trace, () => {
      const [x, y] = [openConstant(1), openConstant(2)];
      const takeBack = trace.save();
      unify(x, y);
      addLiteral(x, 0.5, () => {});
      settle(y, "f32");
      expect([x.type, y.type]).toEqual(["f32", "f32"]);
      takeBack();
      expect([isOpen(x), isOpen(y)]).toEqual([true, true]);
      settle(x, "i32");
      expect(isOpen(y)).toBe(true);
      settle(y, "f16");
      expect(trace.region.ops.map((op) => op.attrs)).toEqual([{ value: 1 }, { value: 2 }]);
      expect(trace.region.ops.map((op) => op.results[0]?.type)).toEqual(["i32", "f16"]);
    });
  });

  test("calls a helper as often as there are paths, and once more", () => {
    let calls = 0;
    const count = (): number => ++calls;
    traced("(n) => { const s = { a: 0, b: 0 }; for (const i of range(n)) { s.a += i; s.b += s.a; count(); } out(0, s.b); }", {
      count,
    });
    expect(calls).toBe(2);
    calls = 0;
    traced(
      "(n) => { const s = { a: 0 }; for (const i of range(n)) for (const j of range(n)) for (const k of range(n)) { s.a += k; count(); } out(0, s.a); }",
      { count },
    );
    expect(calls).toBe(4);
    calls = 0;
    traced(
      "(n) => { const h = Array(200).fill(0); for (const i of range(n)) { for (let k = 0; k < 199; k++) h[k] = h[k + 1]; h[199] = i; count(); } out(0, h[0]); }",
      { count },
    );
    expect(calls).toBeLessThan(12);
  });
});
