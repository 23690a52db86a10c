import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Graph, ScalarType } from "../../../../src/ir/index.ts";
import { passes, runPasses } from "../../../../src/passes/index.ts";
import { header } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";
import { ofProperty } from "../../../support/amount.ts";
import { interpret, Trap } from "../../../support/ir-interpreter.ts";
import { machineLevel } from "../../../support/machine-level.ts";

type Arg = number | bigint;

const traced = (body: string, types: readonly ScalarType[] = ["i32", "i32"], debug = true) =>
  machineLevel(traceSource(`${header}export const f = kernel({}, ${body});`, types, {}, { debug }).graph);

const known = new Map<string, readonly [before: Graph, after: Graph]>();
function graphsOf(body: string, types?: readonly ScalarType[]): readonly [before: Graph, after: Graph] {
  const key = `${types?.join()} ${body}`;
  const before = known.get(key);
  if (before) return before;
  const graph = traced(body, types);
  const made = [graph, runPasses(graph, { verify: true }, passes)] as const;
  known.set(key, made);
  return made;
}

/** What the kernel stores as element 0, or the message of the check that ends it: before and after the passes. */
function outcome(body: string, args: readonly Arg[], types?: readonly ScalarType[]): Arg | string {
  const [before, after] = graphsOf(body, types).map((g): Arg | string => {
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
      fc.assert(check, ofProperty(60, 4));
    });
    it(`i64 ${symbol}`, () => {
      const body = `(a, b) => { out(0, a ${symbol} b); }`;
      const check = fc.property(i64s, i64s, (a, b) => {
        const result = compute(a, b);
        const fits = result === BigInt.asIntN(64, result);
        expect(outcome(body, [a, b], ["i64", "i64"])).toBe(fits ? result : `${a} ${symbol} ${b} does not fit i64`);
      });
      fc.assert(check, ofProperty(60, 4));
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

describe("divisions end the kernel exactly where the result is no integer of the type", () => {
  const ends = [least, least + 1, -7, -1, 0, 1, 2, 5, most];
  const unsigned = [0, 1, 5, 2 ** 31, 2 ** 32 - 1];
  /** The message of the check that JavaScript's result calls for. */
  const expected = (type: "i32" | "u32", symbol: string, [a, b]: readonly [number, number], result: number): number | string => {
    if (!Number.isFinite(result)) return `${a} ${symbol} 0 is no ${type}`;
    const fits = type === "i32" ? result === (result | 0) : result === result >>> 0;
    return fits
      ? result | 0
      : symbol === "Math.abs"
        ? `Math.abs(${a}) does not fit i32`
        : `${a} ${symbol} ${b} does not fit ${type}`;
  };
  it.each([
    ["Math.trunc(a / b)", "/", (a: number, b: number) => Math.trunc(a / b)],
    ["Math.floor(a / b)", "/", (a: number, b: number) => Math.floor(a / b)],
    ["Math.ceil(a / b)", "/", (a: number, b: number) => Math.ceil(a / b)],
    ["cdiv(a, b)", "/", (a: number, b: number) => Math.ceil(a / b)],
    ["Math.round(a / b)", "/", (a: number, b: number) => Math.round(a / b)],
    ["a % b", "%", (a: number, b: number) => a % b],
    ["Math.abs(a + b * 0)", "Math.abs", (a: number) => Math.abs(a)],
  ])("%s", (text, symbol, compute) => {
    for (const type of ["i32", "u32"] as const) {
      const values = type === "i32" ? ends : unsigned;
      for (const a of values)
        for (const b of values)
          expect(outcome(`(a, b) => { out(0, ${text}); }`, [a, b], [type, type]), `${a}, ${b}`).toBe(
            expected(type, symbol, [a, b], compute(a, b) + 0),
          );
    }
  });
  it("of bigints: a RangeError in JavaScript, or a result that does not fit", () => {
    const wide = [-(2n ** 63n), -7n, -1n, 0n, 1n, 5n, 2n ** 63n - 1n];
    for (const [symbol, compute] of [
      ["/", (a: bigint, b: bigint) => a / b] as const,
      ["%", (a: bigint, b: bigint) => a % b] as const,
    ])
      for (const a of wide)
        for (const b of wide) {
          const result = b === 0n ? undefined : compute(a, b);
          const says = result === undefined ? `${a} ${symbol} 0 is no i64` : `${a} ${symbol} ${b} does not fit i64`;
          const fits = result !== undefined && BigInt.asIntN(64, result) === result;
          expect(outcome(`(a, b) => { out(0, a ${symbol} b); }`, [a, b], ["i64", "i64"])).toBe(fits ? result : says);
        }
  });
  it("not those of floats, nor where the type turns out to be one", () => {
    expect(asserts("(a, b) => { out(0, a % b); }", ["f32", "f32"])).toEqual([]);
    expect(asserts("(a) => { let x = 1; for (const i of range(3)) x = x % 2; out(0, x + a); }", ["f32"])).toEqual([]);
  });
  it("not where the divisor is known not to be 0, nor -1 of the least integer", () => {
    expect(
      asserts("(a) => { out(0, (a % 7) + Math.floor(a / 3) + Math.trunc(a / -5)); }").filter((m) => !m.includes(" + ")),
    ).toEqual([]);
    expect(asserts("(a, b) => { out(0, Math.floor(a / ((b & 15) + 1))); }")).toEqual([]);
    expect(asserts("(a) => { out(0, Math.trunc(a / -1)); }")).toEqual(["… / … does not fit i32"]);
  });
});

it("shifts of i64 by any number, as JavaScript has them in 64 bits", () => {
  const amounts = [-(2n ** 63n), -70n, -64n, -3n, -1n, 0n, 1n, 5n, 63n, 64n, 100n];
  for (const a of [-(2n ** 63n), -9n, -1n, 0n, 8n, 2n ** 63n - 1n])
    for (const b of amounts) {
      const far = b > 64n ? 64n : b < -64n ? -64n : b;
      expect(outcome("(a, b) => { out(0, a >> b); }", [a, b], ["i64", "i64"])).toBe(BigInt.asIntN(64, a >> far));
      expect(outcome("(a, b) => { out(0, a << b); }", [a, b], ["i64", "i64"])).toBe(BigInt.asIntN(64, a << far));
    }
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
    ["(a / b) | 0", (a: number, b: number) => (a / b) | 0],
    ["Math.floor(a / b) | 0", (a: number, b: number) => Math.floor(a / b) | 0],
    ["(a % b) >> 1", (a: number, b: number) => (a % b) >> 1],
    ["Math.abs(b) & 255", (_a: number, b: number) => Math.abs(b) & 255],
    ["(Math.imul(a, b) + a) | 0", (a: number, b: number) => (Math.imul(a, b) + a) | 0],
  ])("%s", (text, compute) => {
    expect(asserts(`(a, b) => { out(0, ${text}); }`)).toEqual([]);
    for (const [a, b] of [
      [most, most],
      [least, 5],
      [7, least],
      [least, -1],
      [7, 0],
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
