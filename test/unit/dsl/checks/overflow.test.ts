import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScalarType } from "../../../../src/ir/index.ts";
import { passes, runPasses } from "../../../../src/passes/index.ts";
import { header } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";
import { interpret, Trap } from "../../../ir-interpreter.ts";

type Arg = number | bigint;

const traced = (body: string, types: readonly ScalarType[] = ["i32", "i32"], debug = true) =>
  traceSource(`${header}export const f = kernel({}, ${body});`, types, {}, { debug }).graph;

/** What the kernel stores as element 0, or the message of the check that ends it: before and after the passes. */
function outcome(body: string, args: readonly Arg[], types?: readonly ScalarType[]): Arg | string {
  const graph = traced(body, types);
  const [before, after] = [graph, runPasses(graph, { verify: true }, passes)].map((g): Arg | string => {
    try {
      const bytes = Buffer.from(interpret(g, [0, ...args]), "hex");
      return types?.[0] === "i64" ? bytes.readBigInt64LE(0) : bytes.readInt32LE(0);
    } catch (error) {
      if (error instanceof Trap) return error.message;
      throw error;
    }
  });
  expect(after).toBe(before);
  return after as Arg | string;
}
const asserts = (body: string, types?: readonly ScalarType[]): readonly string[] =>
  traced(body, types).logs.map((site) => site.parts.join("…"));

const most = 2 ** 31 - 1;
const least = -(2 ** 31);
const i32s = fc.oneof(fc.integer({ min: least, max: most }), fc.constantFrom(least, -1, 0, 1, 46341, -46341, 65536, most));
const i64s = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), -1n, 0n, 1n, 2n ** 32n),
);

const exact: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
};

describe("integer operators end the kernel exactly where the result does not fit", () => {
  for (const [symbol, compute] of Object.entries(exact)) {
    it(`i32 ${symbol}`, () => {
      const body = `(a, b) => { out(0, a ${symbol} b); }`;
      const check = fc.property(i32s, i32s, (a, b) => {
        const result = compute(BigInt(a), BigInt(b));
        const fits = result >= least && result <= most;
        expect(outcome(body, [a, b])).toBe(fits ? Number(result) : `${a} ${symbol} ${b} does not fit i32`);
      });
      fc.assert(check, { numRuns: 60 });
    });
    it(`i64 ${symbol}`, () => {
      const body = `(a, b) => { out(0, a ${symbol} b); }`;
      const check = fc.property(i64s, i64s, (a, b) => {
        const result = compute(a, b);
        const fits = result === BigInt.asIntN(64, result);
        expect(outcome(body, [a, b], ["i64", "i64"])).toBe(fits ? result : `${a} ${symbol} ${b} does not fit i64`);
      });
      fc.assert(check, { numRuns: 60 });
    });
  }
  it("negation, powers, increments, compound assignments", () => {
    expect(outcome("(a) => { out(0, -a); }", [least])).toBe("-(-2147483648) does not fit i32");
    expect(outcome("(a) => { out(0, -a); }", [most])).toBe(-most);
    expect(outcome("(a) => { out(0, a ** 3); }", [1291])).toBe("1291 * 1666681 does not fit i32");
    expect(outcome("(a) => { out(0, a ** 3); }", [1290])).toBe(1290 ** 3);
    expect(outcome("(a) => { let k = a; k++; out(0, k); }", [most])).toBe("2147483647 + 1 does not fit i32");
    expect(outcome("(a) => { let k = a; k -= 2; out(0, k); }", [least + 1])).toBe("-2147483647 - 2 does not fit i32");
  });
  it("where the type is found later", () => {
    const body = "(a) => { let k = 1; for (const i of range(40)) k = k * 2; out(0, k + a); }";
    expect(outcome(body, [0])).toBe("1073741824 * 2 does not fit i32");
    expect(asserts("(a) => { let x = 1; for (const i of range(40)) x = x * 2; out(0, x + a); }", ["f32"])).toEqual([]);
  });
  it("only where the branch is taken", () => {
    const body = "(a, b) => { out(0, a < 0 ? a : b < 10 ? b : a + b); }";
    expect(outcome(body, [most, 3])).toBe(3);
    expect(outcome(body, [most, 11])).toBe("2147483647 + 11 does not fit i32");
  });
});

describe("what wraps by definition", () => {
  it.each([
    ["(a + b) | 0", (a: number, b: number) => (a + b) | 0],
    ["(a - b - b) | 0", (a: number, b: number) => (a - b - b) | 0],
    ["-(a - b) | 0", (a: number, b: number) => -(a - b) | 0],
    ["(a + b) & 255", (a: number, b: number) => (a + b) & 255],
    ["~(a + b)", (a: number, b: number) => ~(a + b)],
    ["(a + b) >> 5", (a: number, b: number) => (a + b) >> 5],
    ["1 << (a + b)", (a: number, b: number) => 1 << (a + b)],
    ["i32((a + b) >>> 1)", (a: number, b: number) => (a + b) >>> 1],
    ["(Math.imul(a, b) + a) | 0", (a: number, b: number) => (Math.imul(a, b) + a) | 0],
  ])("%s", (text, compute) => {
    expect(asserts(`(a, b) => { out(0, ${text}); }`)).toEqual([]);
    for (const [a, b] of [
      [most, most],
      [least, 5],
      [7, least],
    ] as const)
      expect(outcome(`(a, b) => { out(0, ${text}); }`, [a, b])).toBe(compute(a, b) | 0);
  });
  it("not a sum that something else takes as it is", () => {
    expect(asserts("(a, b) => { const s = a + b; out(0, s | 0); out(1, s); }")).toEqual(["… + … does not fit i32"]);
    expect(asserts("(a, b) => { out(0, ((a + b) * 3) | 0); }")).toEqual(["… + … does not fit i32", "… * … does not fit i32"]);
  });
  it("not a product, nor anything of 64 bits", () => {
    expect(outcome("(a, b) => { out(0, (a * b) | 0); }", [65536, 65536])).toBe("65536 * 65536 does not fit i32");
    expect(asserts("(a, b) => { out(0, (a + b) & 255n); }", ["i64", "i64"])).toEqual(["… + … does not fit i64"]);
  });
  it("u32 and floats", () => {
    expect(asserts("(a, b) => { out(0, a + b * a); }", ["u32", "u32"])).toEqual([]);
    expect(asserts("(a, b) => { out(0, a + b * a); }", ["f32", "f32"])).toEqual([]);
  });
});

describe("checks that cannot fail are left out", () => {
  it.each([
    "(a) => { out(0, (a & 1023) * 1024 + (a & 7)); }",
    "(a) => { for (const i of range(a)) out(0, i + 1); }",
    "(a) => { for (const i of range(0, 4096)) out(0, i * 4096 + 5); }",
    "(a) => { out(0, Math.min(Math.max(a, -100), 100) * 1000); }",
    "(a) => { out(0, (a % 1000) + 1000000); }",
    "(a) => { out(0, (a >>> 8) + 1); }",
    "(a) => { out(0, (a > 3 ? 1 : 2) * 500000000); }",
    "(a) => { out(0, i32(i64(a) * 1n)); }",
  ])("%s", (body) => {
    expect(asserts(body).filter((m) => !m.startsWith("the i64 …"))).toEqual([]);
  });
  it("and not those that can", () => {
    expect(asserts("(a) => { out(0, (a & 65535) * 65536); }")).toEqual(["… * … does not fit i32"]);
    expect(asserts("(a) => { for (const i of range(0, a)) out(0, i + 2); }")).toEqual(["… + … does not fit i32"]);
    expect(asserts("(a) => { for (const i of range(a, 0, -1)) out(0, i - 1 + a); }")).toEqual(["… + … does not fit i32"]);
  });
});

describe("integers that become narrower", () => {
  const body = "(a, b) => { out(0, i64(i32(a * b))); }";
  it("have to fit", () => {
    expect(outcome(body, [65536n, 32767n], ["i64", "i64"])).toBe(65536n * 32767n);
    expect(outcome(body, [65536n, 32768n], ["i64", "i64"])).toBe("the i64 2147483648 does not fit i32");
    expect(outcome("(a) => { out(0, i64(u32(a))); }", [-1n], ["i64"])).toBe("the i64 -1 does not fit u32");
    expect(outcome("(a) => { out(0, i64(u32(a))); }", [2n ** 32n - 1n], ["i64"])).toBe(2n ** 32n - 1n);
    expect(asserts("(a) => { out(0, i32(i64(a))); }")).toEqual([]);
  });
});

it("without debug nothing is checked", () => {
  const graph = traced("(a, b) => { out(0, ((a + b) | 0) * -a); }", undefined, false);
  expect(graph.logs).toEqual([]);
  expect(graph.body.ops.filter((op) => op.name === "assert" || op.name === "convert")).toEqual([]);
});
