import { describe, expect, test } from "vitest";
import { explicit, expr, forRange, logical, select, when, whileLoop } from "../../../src/dsl/explicit.ts";
import { finishOpenTypes } from "../../../src/dsl/numbers/finish.ts";
import { lift } from "../../../src/dsl/numbers/lift.ts";
import { scalar } from "../../../src/dsl/trace/scalar.ts";
import { Trace, withTrace } from "../../../src/dsl/trace/trace.ts";
import { type Graph, type GraphParam, verify } from "../../../src/ir/index.ts";
import { interpret } from "../../support/ir-interpreter.ts";
import { programOptions } from "../../support/program-options.ts";

/** Stores what `run(n)` gives and reads it back for each n. */
function results(run: (n: number) => number | boolean, inputs: readonly number[]): readonly number[] {
  const trace = new Trace({ name: "f", ...programOptions() });
  const out = trace.value("ptr.global", "out");
  const n = trace.value("i32", "n");
  trace.region.params.push(out, n);
  const params: GraphParam[] = [
    { name: "out", kind: "tensor", value: out },
    { name: "n", kind: "scalar", value: n },
  ];
  withTrace(trace, () => {
    const value = lift(explicit(run)(scalar(n)), "i32", "the result");
    trace.emit("st.global", { ptr: out, values: [value], pred: undefined }, { offset: 0, cache: "" });
    trace.emit("exit", {}, {});
    finishOpenTypes(trace);
  });
  const graph: Graph = { ...trace.options, params, body: trace.region, shared: [], logs: [] };
  verify(graph);
  return inputs.map((x) => Buffer.from(interpret(graph, [0, x]).slice(0, 8), "hex").readInt32LE());
}

describe("the explicit form", () => {
  test("operators are methods", () => {
    expect(results((n) => expr(n).mul(4).add(1).sub(n), [0, 3])).toEqual([1, 10]);
    expect(results((n) => expr(n).shl(2).or(1).xor(3).mod(7), [5])).toEqual([(((5 << 2) | 1) ^ 3) % 7]);
    expect(results((n) => select(expr(n).ge(2), expr(n).neg(), expr(9)), [1, 2])).toEqual([9, -2]);
  });
  test("loops and branches", () => {
    expect(results((n) => forRange(0, n, 0, (i, sum) => expr(sum).add(i)), [0, 5])).toEqual([0, 10]);
    expect(results((n) => forRange(0, n, { a: 0, b: 1 }, (_, { a, b }) => ({ a: b, b: expr(a).add(b) })).a, [0, 1, 9])).toEqual([
      0, 1, 34,
    ]);
    expect(
      results(
        (n) =>
          whileLoop(
            n,
            (x) => expr(x).gt(10),
            (x) => expr(x).sub(4),
          ),
        [3, 21],
      ),
    ).toEqual([3, 9]);
    expect(
      results(
        (n) =>
          when(
            expr(n).lt(3),
            () => 1,
            () => n,
          ),
        [2, 8],
      ),
    ).toEqual([1, 8]);
    expect(results((n) => select(logical.and(expr(n).gt(1), logical.not(expr(n).eq(4))), 1, 0), [0, 3, 4])).toEqual([0, 1, 0]);
  });
  test("an integer quotient has to be rounded", () => {
    expect(() => results((n) => expr(n).div(2), [1])).toThrow("W2005");
  });
  test("JavaScript's own operators say what to do", () => {
    expect(() => results((n) => n * 2, [1])).toThrow("W2008");
    expect(() => results((n) => (`${n}` ? 1 : 0), [1])).toThrow("W2008");
  });
});
