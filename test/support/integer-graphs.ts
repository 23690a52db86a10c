import fc from "fast-check";
import {
  bitsOf,
  type Graph,
  makeValue,
  operandList,
  printGraph,
  type Region,
  type ScalarType,
  type Value,
} from "../../src/ir/index.ts";
import { GraphMaker } from "./graph-maker.ts";
import { programOptions } from "./program-options.ts";

/**
 * Random op graphs of integers: what index arithmetic and loops are made of, with literals at which sums wrap. A tape of numbers decides. All
 * loops end: they count to bounds that are small, or go around so often.
 */
const types = ["i32", "i32", "i32", "u32", "i64", "u64", "i16", "u8", "i8"] as const satisfies readonly ScalarType[];

class Maker extends GraphMaker {
  readonly block: readonly [number, number, number] = this.from([
    [128, 1, 1],
    [256, 1, 1],
    [32, 4, 1],
    [16, 4, 2],
    [96, 2, 1],
    [64, 1, 1],
  ]);
}

const binary = [
  "add",
  "add",
  "add",
  "sub",
  "mul",
  "mul",
  "div",
  "rem",
  "and",
  "and",
  "or",
  "xor",
  "min",
  "max",
  "mul.hi",
] as const;
const unary = ["neg", "abs", "not", "popc", "clz", "brev"] as const;

function arithmetic(m: Maker): void {
  const type = m.from(types);
  const a = m.value(type);
  const kind = m.pick(8);
  if (kind < 5) m.emit(m.from(binary), { a, b: m.pick(2) ? m.literal(type) : m.value(type) }, {});
  else if (kind < 7) {
    const by = m.pick(4) ? m.constant("i32", BigInt(m.pick(12))) : m.value("i32");
    m.emit(m.from(["shl", "shr"] as const), { a, by }, {});
  } else m.emit(m.from(bitsOf(type) < 32 ? unary.slice(0, 3) : unary), { a }, {});
}

function comparison(m: Maker): Value {
  const type = m.from(types);
  const a = m.value(type);
  return m.one(
    "cmp",
    { a, b: m.pick(2) ? m.literal(type) : m.value(type) },
    { is: m.from(["eq", "ne", "lt", "le", "gt", "ge"] as const) },
  );
}

/** Often between what the condition compares, as `min` is written by hand, or a count that goes around. */
function selection(m: Maker): void {
  const condition = m.pick(3) ? comparison(m) : m.value("pred");
  const last = m.ops.at(-1);
  const sides = last?.name === "cmp" ? operandList(last) : [];
  const type = (m.pick(3) ? sides[0]?.type : undefined) ?? m.from(types);
  const side = (): Value => (sides[0]?.type === type && m.pick(2) ? m.from(sides) : m.value(type as ScalarType));
  m.emit("select", { condition, yes: side(), no: side() }, {});
}

function truths(m: Maker): void {
  comparison(m);
  const a = m.value("pred");
  if (m.pick(4) === 0) m.emit("not", { a }, {});
  else m.emit(m.from(["and", "or", "xor"] as const), { a, b: m.value("pred") }, {});
}

function conversion(m: Maker): void {
  const [from, to] = [m.from(types), m.from(types)];
  if (m.pick(6) === 0) m.emit("convert", { a: m.value("pred") }, {}, [to]);
  else if (bitsOf(from) === bitsOf(to) && m.pick(2)) m.emit("bitcast", { a: m.value(from) }, {}, [to]);
  else m.emit("convert", { a: m.value(from) }, {}, [to]);
}

function register(m: Maker): void {
  if (m.pick(4) === 0) m.emit("warp.index", {}, {});
  else m.emit("sreg", {}, { reg: m.from(["tid.x", "tid.x", "tid.y", "tid.z", "laneid", "ctaid.x", "nctaid.x"] as const) });
}

const carried = (m: Maker): readonly Value[] =>
  Array.from({ length: 1 + m.pick(3) }, () => m.value(m.pick(5) ? m.from(types) : "pred"));
const fresh = (m: Maker, list: readonly Value[]): Value[] => list.map((v) => makeValue(m.ids, v.type));
const typesOf = (list: readonly Value[]): readonly ScalarType[] => list.map((v) => v.type as ScalarType);

/** A count that begins anew, upwards or downwards, as the stages of a pipeline do; or one that stays where it should. */
function around(m: Maker, param: Value, type: ScalarType): Value {
  const grown = m.one(m.from(["add", "sub"] as const), { a: param, b: m.constant(type, BigInt(1 + m.pick(2))) }, {});
  const end = m.constant(type, BigInt(m.pick(6)));
  const [a, b] = m.pick(2) ? [grown, end] : [end, grown];
  const condition = m.one("cmp", { a, b }, { is: m.from(["eq", "ne", "lt", "le", "gt", "ge"] as const) });
  const other = m.pick(2) ? end : m.constant(type, 0n);
  const [yes, no] = m.pick(2) ? [grown, other] : [other, grown];
  return m.one("select", { condition, yes, no }, {});
}

/** What goes on: a parameter moved by a step, a parameter in another's place, or anything. */
function moved(m: Maker, params: readonly Value[]): readonly Value[] {
  return params.map((param) => {
    const type = param.type as ScalarType;
    const kind = type === "pred" ? 4 : m.pick(6);
    if (kind < 2)
      return m.one(
        m.from(["add", "sub", "mul", "and", "max"] as const),
        { a: param, b: m.pick(3) ? m.literal(type) : m.value(type) },
        {},
      );
    if (kind === 2) return m.from(params.filter((p) => p.type === type));
    if (kind === 3 && type !== "pred") return around(m, param, type);
    return m.value(type);
  });
}

function branch(m: Maker, depth: number): void {
  const condition = m.pick(3) ? comparison(m) : m.value("pred");
  const like = carried(m);
  const side = (): Region =>
    m.region([], () => {
      fill(m, m.pick(4), depth + 1);
      if (m.pick(16) === 15) m.emit("exit", {}, {});
      else m.emit("yield", { values: typesOf(like).map((type) => m.value(type)) }, {});
    });
  m.emit("if", { condition }, {}, typesOf(like), [side(), side()]);
}

/** Upwards or downwards, between literals or what a few bits say. */
function loop(m: Maker, depth: number): void {
  const type = m.from(["i32", "i32", "u32", "i64"] as const);
  const end = (): Value => {
    const n = m.constant(type, BigInt(m.pick(9)));
    const kind = m.pick(4);
    if (kind < 2) return n;
    if (kind === 2) return m.one("and", { a: m.value(type), b: m.constant(type, 7n) }, {});
    return m.one("mul", { a: n, b: m.constant(type, 4n) }, {});
  };
  const down = type !== "u32" && m.pick(3) === 0;
  const step = m.constant(type, BigInt(m.from([1, 2, 3, 4, 8])) * (down ? -1n : 1n));
  const [start, stop, like] = [end(), end(), carried(m)];
  const params = [makeValue(m.ids, type), ...fresh(m, like)];
  const body = m.region(params, () => {
    fill(m, 1 + m.pick(5), depth + 1);
    if (m.pick(20) === 19) m.emit("exit", {}, {});
    else m.emit("yield", { values: moved(m, params.slice(1)) }, {});
  });
  m.emit("for", { start, stop, step, carried: like }, { unroll: undefined }, typesOf(like), [body]);
}

/** Goes around so often, and carries what it likes beside the count. */
function whileLoop(m: Maker, depth: number): void {
  const count = m.pick(7);
  const like = [m.constant("i32", BigInt(count)), ...carried(m)];
  const incoming = fresh(m, like);
  const first = (list: readonly Value[]): Value => list[0] as Value;
  const test = m.region(incoming, () => {
    fill(m, m.pick(3), depth + 1);
    const go = m.one("cmp", { a: first(incoming), b: m.constant("i32", 0n) }, { is: "gt" });
    m.emit("condition", { go, values: [first(incoming), ...moved(m, incoming.slice(1))] }, {});
  });
  const params = fresh(m, like);
  const body = m.region(params, () => {
    fill(m, 1 + m.pick(4), depth + 1);
    const next = m.one("add", { a: first(params), b: m.constant("i32", -1n) }, {});
    m.emit("yield", { values: [next, ...moved(m, params.slice(1))] }, {});
  });
  m.emit("while", { carried: like }, {}, typesOf(like), [test, body]);
}

function fill(m: Maker, count: number, depth: number): void {
  for (let i = 0; i < count && !m.done; i++) {
    const kind = m.pick(depth < 3 ? 16 : 11);
    if (kind < 6) arithmetic(m);
    else if (kind < 7) selection(m);
    else if (kind < 8) truths(m);
    else if (kind < 10) conversion(m);
    else if (kind === 10) register(m);
    else if (kind < 13) branch(m, depth);
    else if (kind < 15) loop(m, depth);
    else whileLoop(m, depth);
  }
}

function makeGraph(tape: readonly number[]): Graph {
  const m = new Maker(tape);
  const params = (["i32", "u32", "i64", "pred"] as const).map((type) => makeValue(m.ids, type));
  m.scope.push(...params);
  m.emit("sreg", {}, { reg: "tid.x" });
  fill(m, 40, 0);
  m.emit("exit", {}, {});
  return {
    ...programOptions({ block: m.block }),
    name: "integers",
    body: { params, ops: m.ops },
    params: params.map((value, i) => ({ name: `p${i}`, kind: "scalar", value })),
    shared: [],
    logs: [],
  };
}

export const integerGraphArbitrary: fc.Arbitrary<Graph> = fc
  .array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 400, size: "max" })
  .map(makeGraph)
  .map((graph) => Object.defineProperty(graph, fc.toStringMethod, { value: () => printGraph(graph) }));

/** Arguments for such a graph: an i32, a u32, an i64, a pred. */
export const integerArgumentsArbitrary = fc.tuple(
  fc.oneof(fc.integer({ min: -40, max: 200 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 2 ** 32 - 1 })),
  fc.oneof(fc.bigInt({ min: -40n, max: 200n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.boolean(),
);
