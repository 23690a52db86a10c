import { describe, expect, test } from "vitest";
import { header } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";

/** How many loops are remarked on in a kernel that stores `s` of a loop with that body. 20 operations an iteration and more. */
function remarks(body: string, { head = "for (let k = 0; k < 100; k++)", before = "", after = "" } = {}, debug = false) {
  const work = "s = (s * 3 + n) ^ 5; ".repeat(7);
  const text = `(n, m) => { let s = 0, t = i32(0); ${before} ${head} { ${work} ${body} } ${after} out(0, s); out(1, t); }`;
  return traceSource(`${header}export const f = kernel({}, ${text});`, ["i32", "i32"], {}, { debug }).remarks;
}
const count = (...args: Parameters<typeof remarks>): number => remarks(...args).length;

describe("a loop that unrolls and need not is told of", () => {
  test("with how often it runs, and what that makes", () => {
    const [remark] = remarks("s = s + k;");
    expect(remark?.code).toBe("R2001");
    expect(remark?.message).toMatch(/100 iterations become 2199 operations\. .* one loop on the GPU can run them\.$/);
    expect(remark?.spans[0]?.line).toBe(2);
  });
  test.each([
    ["no use of the variable", "s = s ^ m;"],
    ["arithmetic", "s = s + (n ^ k) + (k * 3 + 1);"],
    ["values that stood already", "s = s + (n + k) + (n + (k + 1)) + (n + 7);"],
    ["a branch on the GPU", "if (n > k) t = t + k; else s = s ^ k;"],
    ["a loop on the GPU", "for (const j of range(n)) s = s + j * k;"],
    ["variables that change places", "[s, t] = [t, s];"],
    ["a function", "const f = (x) => x + k; s = f(f(s));"],
    ["what the first and the last do alone", "if (k === 0) t = t + 1; if (k < 99) s = s + k; else s = n;"],
  ])("%s", (_, body) => {
    expect(count(body)).toBe(1);
  });
  test.each(["let k = 0; while (k++ < 100)", "for (let k = 100; k > 0; k--)", "for (let k = 0; k <= 500; k += 5)"])(
    "%s",
    (head) => {
      expect(count("s = s + k;", { head })).toBe(1);
    },
  );
  test("under a condition of the GPU, and in a loop on the GPU that is traced again", () => {
    expect(count("s = s + k;", { before: "if (n > 1)" })).toBe(1);
    expect(
      count("s = s + k;", {
        before: "const o = { x: 1 }; for (const j of range(n)) { if (o.x === 1) t = 1; o.x = 2;",
        after: "}",
      }),
    ).toBe(1);
  });
  test("with debug", () => {
    expect(count("s = s + k;", {}, true)).toBe(1);
  });
  test("once for each place", () => {
    const head =
      "const f = (a) => { let s = a; for (let k = 0; k < 100; k++) { s = (s * 3 + k) ^ 5; s = (s * 3 + k) ^ 5; s = (s * 3 + k) ^ 5; s = (s * 3 + k) ^ 6; } return s; };";
    expect(count("", { before: `${head} s = f(n) + f(m);`, head: "for (const k of range(2))" })).toBe(1);
  });
  test("two loops that compute the same", () => {
    const twice = "for (let k = 0; k < 100; k++) { ";
    const work = "t = t + (n + k) * 3 + (n ^ k) + (n + 2 * k) + (n - k) + (n + 4 * k) + (n | k); ";
    expect(count("", { before: `${twice}${work}} ${twice}${work}}`, head: "for (const k of range(2))" })).toBe(2);
  });
});

describe("a loop whose variable is needed while tracing is not", () => {
  test.each([
    ["an array of the host", "s = s + table[k % 4];", "const table = [3, 1, 4, 1];"],
    ["an array of values of the GPU", "s = s + regs[k % 2]; regs[k % 2] = s;", "const regs = [n, m];"],
    [
      "an array with a value for each iteration",
      "s = s + terms[k];",
      "const terms = Array.from({ length: 100 }, (_, k) => n + k);",
    ],
    ["a condition", "if (k % 2) s = s + 1;", ""],
    ["a condition of one iteration", "if (k === 50) s = s + 1;", ""],
    ["a fraction", "s = s + Math.floor(k / 2);", ""],
    ["a number that 32 bits do not hold", "s = s + (k * 3e9 > 1e11 ? 1 : 2);", ""],
    ["a place of memory", "out(k & 7, s);", ""],
    ["an array that holds the same everywhere", "s = s + ones[k % 3];", "const ones = [1, 1, 1];"],
    ["an array that grows by one step", "s = s + even[k];", "const even = Array.from({ length: 100 }, (_, k) => 2 * k);"],
    [
      "a value that the iteration has made, too",
      "t = s ^ n; s = s + regs[k % 2]; regs[(k + 1) % 2] = s ^ n;",
      "const regs = [n, n];",
    ],
    ["an array that grows", "kept.push(k);", "const kept = [];"],
    ["how often a loop inside it unrolls", "for (const j of staticRange(k % 3)) s = s + j;", ""],
  ])("%s", (_, body, before) => {
    expect(count(body, { before })).toBe(0);
  });
  test("where values of iterations are used apart", () => {
    expect(count("kept.push(s * 7);", { before: "const kept = [];", after: "s = s + kept[7];" })).toBe(0);
  });
  test("where a second variable is static", () => {
    expect(count("w = w + 2;", { before: "let w = 0; const table = [3, 1];", after: "s = s + table[w % 2];" })).toBe(0);
  });
});

describe("the fix", () => {
  const fix = (...args: Parameters<typeof remarks>): string | undefined => remarks(...args)[0]?.advice;
  test("has the head's bounds", () => {
    expect(fix("s = s + k;", { head: "for (let k = 2; k <= 100; k++)" })).toContain("`for (const k of range(2, 101))`");
  });
  test.each([
    ["the counter", "k++; s = s + k;", {}],
    ["the bound", "s = s + k; w = w - 1;", { head: "for (let k = 0; k < w; k = k)", before: "let w = 100;" }],
    ["both", "s = s + k; w--;", { head: "for (let k = 0; k < w; k++)", before: "let w = 300;" }],
  ])("does not, where the body changes %s", (_, body, options) => {
    const { head = "for (let k = 0; k < 300; k++)", ...rest } = options as { head?: string };
    expect(fix(body, { head, ...rest }) ?? "range(n)").toContain("range(n)");
  });
  test("converts where the counter meets another type", () => {
    const before = "let x = f32(1), u = u32(n), h = f16(2);";
    const after = "out(2, x); out(3, u); out(4, h);";
    expect(fix("x = x * 2 + k; u = u + k;", { before, after })).toContain(
      "`f32(k)` where `k` meets f32, and `u32(k)` where `k` meets u32;",
    );
    expect(fix("s = s + k;")).not.toContain("where");
  });
});

describe("nothing is said", () => {
  test("of few iterations", () => {
    expect(count("s = s + k;", { head: "for (let k = 0; k < 63; k++)" })).toBe(0);
  });
  test("of few operations", () => {
    const text = "(n) => { let s = 0; for (let k = 0; k < 500; k++) s = s + n; out(0, s); }";
    expect(traceSource(`${header}export const f = kernel({}, ${text});`, ["i32"]).remarks).toEqual([]);
  });
  test("of loops that say that they unroll, and of arrays", () => {
    expect(count("s = s + k;", { head: "for (const k of staticRange(100))" })).toBe(0);
    expect(count("s = s + k;", { head: "for (const k of Array.from({ length: 100 }, (_, i) => i))" })).toBe(0);
  });
  test("where an iteration may leave the loop", () => {
    expect(count("if (s === 7) break;", {})).toBe(0);
  });
});
