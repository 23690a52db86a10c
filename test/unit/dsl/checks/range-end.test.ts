import { describe, expect, test } from "vitest";
import { type Spans, WarpsmithError } from "../../../../src/base/diag/index.ts";
import { anyOp, type Graph, makeOp, type Op, type Region, type ScalarType, type Value } from "../../../../src/ir/index.ts";
import { traceSource } from "../../../dsl/trace-source.ts";
import { interpret } from "../../../support/ir-interpreter.ts";

const head = 'import { kernel, range, i64 } from "warpsmith";\n';
const trace = (body: string, types: readonly ScalarType[], debug = true) =>
  traceSource(`${head}export const f = kernel({}, ${body});`, types, {}, { debug, untyped: true });

/** The conditions of the checks among the ops. */
const conditions = (region: Region): readonly Value[] =>
  region.ops.flatMap((raw) => {
    const op = anyOp(raw);
    return op.name === "check.holds" ? [op.operands.condition] : [];
  });

/** The graph without its loop, which stores whether the condition holds where it was checked. */
function storing(graph: Graph, condition: Value): Graph {
  const ids = { next: 1_000_000 };
  const [ptr] = graph.body.params;
  const stored = (spans: Spans): readonly Op[] => {
    const number = (value: number): Op => makeOp(ids, "const", {}, { value }, { types: ["i32"], spans }) as Op;
    const [yes, no] = [number(1), number(0)];
    const result = (op: Op | undefined): Value => op?.results[0] ?? condition;
    const chosen = makeOp(ids, "select", { condition, yes: result(yes), no: result(no) }, {}, { spans }) as Op;
    const operands = { ptr: ptr ?? condition, values: [result(chosen)], pred: undefined };
    return [yes, no, chosen, makeOp(ids, "st.global", operands, { offset: 0, cache: "" }, { spans }) as Op];
  };
  const ops = graph.body.ops.flatMap((op) => (op.name === "for" ? [] : op.name === "check.holds" ? stored(op.spans) : [op]));
  return { ...graph, body: { ...graph.body, ops } };
}

const checks = (body: string, types: readonly ScalarType[]): number => conditions(trace(body, types).graph.body).length;

describe("the end of a range", () => {
  test("is checked under debug alone, where it can pass the type", () => {
    expect(checks("(a, b) => { for (const i of range(a, b, 3)) ; }", ["i32", "i32"])).toBe(1);
    expect(checks("(a, b) => { for (const i of range(a, b, -3)) ; }", ["i32", "i32"])).toBe(1);
    expect(checks("(a, s) => { for (const i of range(0, a, s)) ; }", ["i32", "i32"])).toBe(1);
    expect(checks("(a, b) => { for (const i of range(a, b, 3)) ; }", ["u32", "u32"])).toBe(1);
    expect(checks("(a, b) => { for (const i of range(a, b)) ; }", ["i32", "i32"])).toBe(0);
    expect(checks("(a, b) => { for (const i of range(a, b, -1)) ; }", ["i32", "i32"])).toBe(0);
    expect(checks("(a) => { for (const i of range(0, 100, 3)) ; }", ["i32"])).toBe(0);
    expect(conditions(trace("(a, b) => { for (const i of range(a, b, 3)) ; }", ["i32", "i32"], false).graph.body)).toEqual([]);
  });

  const most = 2 ** 31 - 1;
  const bounds = [
    ...[0, 1, 2, 3, 7, 20].flatMap((d) => [0, 1, 5, 12].map((e) => [most - d - e, most - e] as const)),
    ...[0, 1, 2, 3, 7, 20].flatMap((d) => [0, 1, 5, 12].map((e) => [-most - 1 + d + e, -most - 1 + e] as const)),
    [0, most],
    [most, 0],
    [-most, most],
    [5, 5],
  ] as const;
  test.each([3, 7, -3, -7, 2 ** 30, -(2 ** 31)])("by %i is told exactly", (step) => {
    for (const staged of [false, true]) {
      const body = `(a, b, s) => { for (const i of range(a, b, ${staged ? "s" : step})) ; }`;
      const { graph } = trace(body, ["i32", "i32", "i32"]);
      const [condition] = conditions(graph.body);
      if (!condition) throw new Error("no check");
      const told = storing(graph, condition);
      for (const [a, b] of bounds) {
        let after = BigInt(a);
        const [stop, by] = [BigInt(b), BigInt(step)];
        if (by > 0n ? after < stop : after > stop)
          after += ((by > 0n ? stop - after + by - 1n : stop - after + by + 1n) / by) * by;
        const wanted = BigInt.asIntN(32, after) === after ? 1 : 0;
        const memory = interpret(told, [0, a, b, step], 8);
        expect(Buffer.from(memory, "hex").readInt32LE(0), `${a} to ${b} by ${step}`).toBe(wanted);
      }
    }
  });

  test("of literals is refused where it is known to pass the type", () => {
    const code = (range: string): string | undefined => {
      try {
        trace(`() => { for (const i of ${range}) ; }`, [], false);
      } catch (error) {
        if (error instanceof WarpsmithError) return error.code;
        throw error;
      }
      return undefined;
    };
    expect(code("range(2147483600, 2147483647, 10)")).toBe("W2079");
    expect(code("range(2147483600, 2147483647)")).toBe(undefined);
    expect(code("range(2147483640, 2147483647, 7)")).toBe(undefined);
    expect(code("range(-2147483600, -2147483647, -10)")).toBe("W2079");
    expect(code("range(2147483647, 0, 10)")).toBe(undefined);
    expect(code("range(2147483600n, 2147483647n, 10n)")).toBe(undefined);
    expect(code("range(9223372036854775800n, 9223372036854775807n, 10n)")).toBe("W2079");
  });
});
