import fc from "fast-check";
import { expect, test } from "vitest";
import { rangeText } from "../../../../src/dsl/control/range-text.ts";
import { walkOps } from "../../../../src/ir/index.ts";
import { tracedAsJavaScript } from "../../../dsl/differential.ts";
import { ofProperty } from "../../../support/amount.ts";

/** Random counting loops over the parameters n and m and the variables s and t; every value stays below 2^20. */
const staged = fc.constantFrom("s", "t", "n", "m", "(n ^ k)");
const number = fc.constantFrom("s", "t", "n", "m", "k", "(k + 1)", "(k * 3 - 2)", "(n ^ k)", "7");
const operator = fc.constantFrom("+", "-", "^", "&", "|");
const sum = fc
  .tuple(staged, operator, number, operator, number)
  .map(([a, f, b, g, c]) => `(((${a} ${f} ${b}) ${g} ${c}) & 1023)`);
const target = fc.constantFrom("s", "t");

/** Statements that a loop on the GPU has as they are. */
const plain = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(target, sum).map(([x, e]) => `${x} = ${e};`) },
  fc.tuple(target, sum).map(([x, e]) => `if ((s ^ n) & 1) ${x} = ${e};`),
  fc.tuple(number, target, sum, sum).map(([c, x, e, f]) => `${x} = n > ${c} ? ${e} : ${f};`),
  fc.tuple(target, sum).map(([x, e]) => `for (const j of range(3)) ${x} = ${e} ^ j;`),
  fc.tuple(target, sum).map(([x, e]) => `for (const j of staticRange(2)) ${x} = ${e} ^ j;`),
  fc.tuple(target, sum).map(([x, e]) => `{ const add = (y) => (y + k) & 1023; ${x} = add(add(${e})); }`),
  fc.constant("[s, t] = [t, s];"),
  sum.map((e) => `out(3, ${e});`),
);

/**
 * Statements that need `k` while tracing in one way or another, or leave a value that one iteration has made. What the host computes of `k`
 * alone, and leaves nothing of, is not among them: `k * 2 ** 31 >= 0` is always true, and on the GPU wraps.
 */
const place = fc.integer({ min: -80, max: 240 });
const special = fc.oneof(
  fc.constantFrom(
    "s = (s + table[(k >> 1) & 3]) & 1023;",
    "s = (s + regs[(k >> 1) & 1]) & 1023; regs[(k >> 1) & 1] = s ^ n;",
    "s = (s + regs[((k >> 1) & 1) ^ 1]) & 1023; regs[(k >> 1) & 1] = s ^ n;",
    "o.f = (o.f + s + k) & 1023;",
    "o = { f: (o.f + k) & 1023 };",
    "kept.push(s ^ k);",
    "w = w + 2;",
    "s = (s + Math.floor(k / 2)) & 1023;",
    "s = (s + k * k) & 1023;",
    "s = (s + (k & 7)) & 1023;",
    "t = s;",
    "t = k;",
    "out(4 + (k & 3), s);",
    "out(4, k);",
  ),
  fc.tuple(place, target).map(([at, x]) => `if (k === ${at}) ${x} = (${x} + n) & 1023;`),
  fc.tuple(place, target).map(([at, x]) => `if (k > ${at}) ${x} = (${x} + k) & 1023;`),
  place.map((at) => `if (k === ${at}) break;`),
  place.map((at) => `if (k === ${at}) continue;`),
);

/** Heads of loops that run some 64 times. */
const count = fc.integer({ min: 60, max: 72 });
/** Not below 0: `n ^ 0` is `n`, which one iteration inside such a loop would have for itself. */
const first = fc.integer({ min: 0, max: 4 });
const head = fc.oneof(
  count.map((c) => `for (let k = 0; k < ${c}; k++)`),
  fc.tuple(first, count).map(([a, c]) => `for (let k = ${a}; k <= ${a + c - 1}; k++)`),
  fc.tuple(first, count, fc.integer({ min: 2, max: 3 })).map(([a, c, d]) => `for (let k = ${a}; k < ${a + c * d}; k += ${d})`),
  fc.tuple(first, count).map(([a, c]) => `for (let k = ${a + c}; k > ${a}; k--)`),
  fc.tuple(first, count).map(([a, c]) => `for (let k = ${a + 2 * c}; k >= ${a + 2}; k -= 2)`),
);

/** How often a loop with that head runs. */
function iterationsOf(loop: string): number {
  let n = 0;
  new Function("count", `${loop} count();`)(() => n++);
  return n;
}

const begin = "o = { f: i32(4) }, w = 0; const table = [3, 1, 4, 2], regs = [n, m], kept = [n];";
const end = "out(10, s); out(11, t); out(12, o.f); out(13, table[w & 3]); out(14, kept[kept.length >> 1]); out(15, regs[1]);";
const program = (loop: string, lines: readonly string[], zero = "i32(0)"): string =>
  `(n, m) => { let s = ${zero}, t = i32(2), ${begin} ${loop} { ${lines.join(" ")} } ${end} }`;
const inputs = [
  [0, 0],
  [5, 100],
  [63, -9],
];

/** Runs the program against plain JavaScript. Gives how many loops are told of, and how many operations there are. */
function run(text: string): { readonly remarks: number; readonly operations: number } {
  const { graph, remarks } = tracedAsJavaScript(text, inputs);
  let operations = 0;
  walkOps(graph.body, ({ name }) => {
    if (name !== "const") operations++;
  });
  return { remarks: remarks.length, operations };
}

/** The loop as the remark's fix has it computes what plain JavaScript does. */
function checkFix(loop: string, lines: readonly string[], zero?: string): void {
  const counted = rangeText(loop);
  expect(counted?.variable, loop).toBe("k");
  expect(run(program(`for (const k of range(${counted?.bounds}))`, lines, zero)).remarks).toBe(0);
}

test("loops that a loop on the GPU can run are told of, and it computes the same", { timeout: 120_000 }, () => {
  const lines = fc.array(plain, { minLength: 6, maxLength: 9 });
  fc.assert(
    fc.property(head, lines, (loop, body) => {
      const text = program(loop, body);
      const { remarks, operations } = run(text);
      if (iterationsOf(loop) < 64) expect(remarks, text).toBe(0);
      else if (operations > 1100) expect(remarks, text).toBe(1);
      if (remarks > 0) checkFix(loop, body);
    }),
    ofProperty(1500, 3),
  );
});

test("wherever a loop is told of, a loop on the GPU computes the same", { timeout: 120_000 }, () => {
  const some = fc.array(plain, { minLength: 5, maxLength: 8 });
  const others = fc.array(special, { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(head, some, others, fc.nat(), fc.constantFrom("0", "i32(0)"), (loop, before, inside, at, zero) => {
      const body = before.toSpliced(at % (before.length + 1), 0, ...inside);
      if (run(program(loop, body, zero)).remarks > 0) checkFix(loop, body, zero);
    }),
    ofProperty(3000, 5),
  );
});
