import fc from "fast-check";
import {
  type Attrs,
  bitsOf,
  type Graph,
  isFloat,
  isPointer,
  isScalar,
  isSigned,
  type Literal,
  makeOp,
  makeValue,
  type Op,
  type Operands,
  type OpName,
  printGraph,
  type Region,
  type ScalarType,
  type Type,
  type Value,
} from "../../src/ir/index.ts";
import { programOptions } from "./program-options.ts";

/** Random op graphs that obey every invariant and end. A tape of numbers decides; a tape that ends decides for what is simplest. */
const types: readonly ScalarType[] = ["i32", "f32", "pred", "u32", "i64", "f16", "bf16", "f64", "u64", "i16", "u8"];
const accType: Type = { kind: "acc", dtype: "f32", rows: 64, cols: 8 };
const span = { file: 'kernel "1".ts', line: 3, column: 7, length: 2 };

class Maker {
  readonly ids = { next: 0 };
  private readonly tape: readonly number[];
  private at = 0;
  /** What is in scope. */
  scope: Value[] = [];
  acc: Value | undefined;
  /** A checksum, so that a wrong value anywhere is seen at the end. */
  sum: Value | undefined;
  ops: Op[] = [];

  constructor(tape: readonly number[]) {
    this.tape = tape;
  }

  get done(): boolean {
    return this.at >= this.tape.length;
  }

  pick(n: number): number {
    return (this.tape[this.at++] ?? 0) % n;
  }

  from<T>(list: readonly T[]): T {
    return list[this.pick(list.length)] as T;
  }

  emit<K extends OpName>(
    name: K,
    operands: Operands<K>,
    attrs: Attrs<K>,
    given: readonly Type[] = [],
    regions: readonly Region[] = [],
  ): Op<K> {
    const spans = this.ids.next % 3 === 0 ? [span, { ...span, line: 9 }] : [];
    const op = makeOp(this.ids, name, operands, attrs, { types: given, regions, spans });
    this.ops.push(op as Op);
    for (const value of op.results) {
      if (value.id % 5 === 0) value.name = value.id % 2 ? "sum" : "a b.c[0]";
      if (isScalar(value.type) || isPointer(value.type)) this.scope.push(value);
    }
    return op;
  }

  one<K extends OpName>(name: K, operands: Operands<K>, attrs: Attrs<K>, given: readonly Type[] = []): Value {
    return this.emit(name, operands, attrs, given).results[0] as Value;
  }

  literal(type: ScalarType): Literal {
    if (type === "pred") return this.pick(2) === 1;
    if (isFloat(type)) return this.from([0, -0, 1, 0.5, -2.5, 3, 1e-3, 65504, 1e30, Number.POSITIVE_INFINITY, Number.NaN, 0.1]);
    const bits = bitsOf(type);
    const n = this.from([0n, 1n, 2n, 3n, 7n, 8n, -1n, 100n, 2n ** BigInt(bits - 1) - 1n, 2n ** BigInt(bits - 1)]);
    const cut = isSigned(type) ? BigInt.asIntN(bits, n) : BigInt.asUintN(bits, n);
    return bits === 64 ? cut : Number(cut);
  }

  constant(type: ScalarType, value: Literal = this.literal(type)): Value {
    return this.one("const", {}, { value }, [type]);
  }

  /** A value of that type, a literal where there is none. */
  value(type: Type): Value {
    const found = this.scope.filter((v) => v.type === type);
    if (!isScalar(type) || (found.length > 0 && this.pick(4) > 0)) return this.from(found);
    return this.constant(type);
  }

  /** A value of that integer type of which nothing is known: from the kernel's argument. */
  unknown(type: ScalarType): Value {
    const argument = this.from(this.scope.filter((v) => v.type === "i32").slice(0, 1));
    return type === "i32" ? argument : this.one("convert", { a: argument }, {}, [type]);
  }

  /** Fills a region; what it defines goes out of scope after it. */
  region(params: readonly Value[], fill: () => void): Region {
    const [scope, ops] = [this.scope, this.ops];
    this.scope = [...scope, ...params.filter((p) => isScalar(p.type))];
    this.ops = [];
    fill();
    const region = { params, ops: this.ops };
    this.scope = scope;
    this.ops = ops;
    return region;
  }
}

function arithmetic(m: Maker): void {
  const type = m.from(types);
  const a = m.value(type);
  if (type === "pred") {
    if (m.pick(3) === 0) m.emit("not", { a }, {});
    else m.emit(m.from(["and", "or", "xor"] as const), { a, b: m.value(type) }, {});
  } else if (isFloat(type)) {
    const name = m.from(["add", "mul", "sub", "div", "min", "max", "rem", "neg", "abs", "sqrt", "round"] as const);
    if (name === "round") m.emit(name, { a }, { mode: m.from(["ni", "zi", "mi", "pi"] as const) });
    else if (name === "neg" || name === "abs" || name === "sqrt") m.emit(name, { a }, {});
    else m.emit(name, { a, b: m.value(type) }, {});
  } else integerOp(m, type, m.pick(3) > 0 ? m.unknown(type) : a);
}

function integerOp(m: Maker, type: ScalarType, a: Value): void {
  const name = m.from([
    "add",
    "sub",
    "mul",
    "div",
    "rem",
    "and",
    "or",
    "xor",
    "min",
    "max",
    "mul.hi",
    "shl",
    "shr",
    "neg",
    "abs",
    "not",
    "popc",
    "clz",
    "brev",
    "shf",
  ] as const);
  if (name === "shl" || name === "shr") m.emit(name, { a, by: m.value("i32") }, {});
  else if (name === "shf") {
    if (bitsOf(type) === 32)
      m.emit(name, { low: a, high: m.value(type), by: m.value("i32") }, { direction: m.from(["l", "r"] as const) });
  } else if (name === "neg" || name === "abs" || name === "not" || name === "popc" || name === "clz" || name === "brev")
    m.emit(name, { a }, {});
  else {
    // Of a power of two more is known than of other numbers.
    const power = (): Value => m.constant(type, bitsOf(type) === 64 ? 2n ** BigInt(m.pick(63)) : 2 ** m.pick(bitsOf(type) - 1));
    const b = m.pick(3) > 0 ? m.value(type) : m.pick(2) ? power() : m.constant(type);
    note(m, m.one(name, { a, b }, {}));
    if (m.pick(3) === 0) note(m, m.one(name, { a: b, b: a }, {}));
  }
}

function conversion(m: Maker): void {
  const from = m.from(types);
  const to = m.from(types);
  if (to !== "pred" && m.pick(3) > 0) m.emit("convert", { a: m.value(from) }, {}, [to]);
  else if (bitsOf(from) === bitsOf(to)) m.emit("bitcast", { a: m.value(from) }, {}, [to]);
}

function choice(m: Maker): void {
  const type = m.from(types);
  const [a, b] = [m.value(type), m.value(type)];
  if (m.pick(2)) m.emit("select", { condition: m.value("pred"), yes: a, no: b }, {});
  else {
    const is = type === "pred" ? m.from(["eq", "ne"] as const) : m.from(["eq", "ne", "lt", "le", "gt", "ge"] as const);
    const cmp = m.one("cmp", { a, b }, { is });
    if (m.pick(2)) note(m, m.one("not", { a: cmp }, {}));
  }
}

function memory(m: Maker): void {
  const ptr = m.value("ptr.global");
  const [offset, type] = [m.pick(40) - 8, m.from(types.filter((t) => t !== "f16"))];
  const pred = m.pick(4) === 0 ? m.value("pred") : undefined;
  if (m.pick(3) === 0) m.emit("ptr.add", { ptr, by: m.value(m.from(["i32", "u32", "i64"] as const)) }, {});
  else if (m.pick(2)) m.emit("st.global", { ptr, values: [m.value(type)], pred }, { offset, cache: "" });
  else
    m.emit(
      "ld.global",
      { ptr, pred, other: m.pick(3) === 0 ? m.value(type) : undefined },
      { offset, cache: m.from(["", "cg"] as const) },
      [type],
    );
}

/** Mixes a value into the checksum. */
function note(m: Maker, value: Value): void {
  if (!m.sum || !isScalar(value.type)) return;
  const bits: Value =
    value.type === "i32" ? value : m.one(value.type === "f32" ? "bitcast" : "convert", { a: value }, {}, ["i32"]);
  m.sum = m.one("sub", { a: m.one("mul", { a: m.sum, b: m.constant("i32", 31) }, {}), b: bits }, {});
}

/** Values that a region carries or gives: the checksum first, the accumulator last where it is in use. */
function carried(m: Maker): readonly Value[] {
  const list = [m.sum as Value, ...Array.from({ length: m.pick(3) }, () => m.value(m.from(types)))];
  return m.acc ? [...list, m.acc] : list;
}
const fresh = (m: Maker, list: readonly Value[]): Value[] => list.map((v) => makeValue(m.ids, v.type));

/** Something of the type of each: at random, or the accumulator. */
const handOut = (m: Maker, like: readonly Value[]): Value[] =>
  like.map((v, i) => {
    if (i === 0) return m.sum as Value;
    if (!isScalar(v.type)) return m.acc as Value;
    return m.pick(4) === 0 && m.scope.includes(v) ? v : m.value(v.type);
  });
/** Goes on with these: `sumAt` is the place of the checksum. */
const enter = (m: Maker, params: readonly Value[], sumAt: number) => {
  m.sum = params[sumAt];
  m.acc = params.find((p) => typeof p.type === "object");
};

function branch(m: Maker, depth: number): void {
  const condition = m.value("pred");
  const like = carried(m);
  const { acc, sum } = m;
  const side = () =>
    m.region([], () => {
      m.acc = acc;
      m.sum = sum;
      fill(m, m.pick(4), depth + 1);
      if (m.pick(12) === 11) m.emit("exit", {}, {});
      else m.emit("yield", { values: handOut(m, like) }, {});
    });
  const regions = [side(), side()];
  enter(
    m,
    m.emit(
      "if",
      { condition },
      {},
      like.map((v) => v.type),
      regions,
    ).results,
    0,
  );
}

function loop(m: Maker, depth: number): void {
  const type = m.from(["i32", "i32", "u32", "i64"] as const);
  const number = (n: number) => m.constant(type, type === "i64" ? BigInt(n) : n);
  const start = number(m.pick(4));
  const stop = m.pick(2) ? number(m.pick(9)) : m.one("and", { a: m.value(type), b: number(7) }, {});
  const step = number(1 + m.pick(3));
  const like = carried(m);
  const params = [makeValue(m.ids, type), ...fresh(m, like)];
  const body = m.region(params, () => {
    enter(m, params, 1);
    const index = params[0] as Value;
    if (m.pick(2)) note(m, index);
    if (m.pick(2))
      note(
        m,
        m.one(
          m.pick(2) ? "rem" : "div",
          { a: m.pick(2) ? index : m.one("add", { a: index, b: number(m.pick(5)) }, {}), b: number(2 + m.pick(6)) },
          {},
        ),
      );
    fill(m, 1 + m.pick(4), depth + 1);
    m.emit("yield", { values: handOut(m, params.slice(1)) }, {});
  });
  const unroll = m.pick(2) ? 1 + m.pick(4) : undefined;
  enter(
    m,
    m.emit(
      "for",
      { start, stop, step, carried: like },
      { unroll },
      like.map((v) => v.type),
      [body],
    ).results,
    0,
  );
}

/** Counts down, so that it ends. */
function whileLoop(m: Maker, depth: number): void {
  const zero = m.constant("i32", 0);
  const like = [m.constant("i32", m.pick(5)), ...carried(m)];
  const incoming = fresh(m, like);
  const test = m.region(incoming, () => {
    enter(m, incoming, 1);
    fill(m, m.pick(2), depth + 1);
    const go = m.one("cmp", { a: incoming[0] as Value, b: zero }, { is: "gt" });
    m.emit("condition", { go, values: [incoming[0] as Value, ...handOut(m, incoming.slice(1))] }, {});
  });
  const params = fresh(m, like);
  const body = m.region(params, () => {
    enter(m, params, 1);
    fill(m, 1 + m.pick(3), depth + 1);
    const next = m.one("sub", { a: params[0] as Value, b: m.constant("i32", 1) }, {});
    m.emit("yield", { values: [next, ...handOut(m, params.slice(1))] }, {});
  });
  enter(
    m,
    m.emit(
      "while",
      { carried: like },
      {},
      like.map((v) => v.type),
      [test, body],
    ).results,
    1,
  );
}

function product(m: Maker): void {
  if (!m.acc) {
    m.acc = m.one("acc.zero", {}, {}, [accType]);
    return;
  }
  const ptr = m.one("shared.buffer", {}, { buffer: 0 });
  const base = m.one("wgmma.descriptor", { ptr }, { swizzle: "128B", leading: 1, stride: 64 });
  const a = m.one("wgmma.advance", { desc: base, by: m.value("i32") }, {});
  m.emit("wgmma.fence", {}, {});
  m.acc = m.one(
    "wgmma.mma_async",
    { acc: m.acc, a, b: base, accumulate: m.pick(3) === 0 ? m.value("pred") : undefined },
    {
      aType: "f16",
      bType: "f16",
      k: 16,
      aKSteps: [0],
      bKSteps: [0],
      aRowStep: 0,
      aMajor: "k",
      bMajor: "k",
      negateA: false,
      negateB: false,
      saturate: false,
    },
  );
  m.emit("wgmma.commit_group", {}, {});
  m.emit("wgmma.wait_group", {}, { pending: 0 });
  m.emit("acc.unpack", { acc: m.acc }, { columns: undefined }, ["f32", "f32", "f32", "f32"]);
}

function fill(m: Maker, count: number, depth: number): void {
  for (let i = 0; i < count && !m.done; i++) {
    const kind = m.pick(depth < 3 ? 16 : 11);
    if (kind < 4) arithmetic(m);
    else if (kind < 6) conversion(m);
    else if (kind < 8) choice(m);
    else if (kind < 10) memory(m);
    else if (kind === 10) product(m);
    else if (kind < 13) branch(m, depth);
    else if (kind < 15) loop(m, depth);
    else whileLoop(m, depth);
    const latest = m.scope.at(-1);
    if (latest && m.pick(2)) note(m, latest);
  }
}

function makeGraph(tape: readonly number[]): Graph {
  const m = new Maker(tape);
  const params = (["ptr.global", "i32", "f32", "pred", "u32"] as const).map((type) => makeValue(m.ids, type));
  m.scope.push(...params);
  m.sum = params[1];
  fill(m, 30, 0);
  const [out] = params;
  if (m.sum) m.scope.push(m.sum);
  for (const [i, value] of m.scope
    .filter((v) => isScalar(v.type))
    .slice(-16)
    .entries())
    if (out) m.emit("st.global", { ptr: out, values: [value], pred: undefined }, { offset: 8 * i, cache: "" });
  if (m.pick(2)) m.emit("exit", {}, {});
  else m.emit("yield", { values: [] }, {});
  return {
    ...programOptions({
      block: [128, 1, 1],
      dynamicShared: m.pick(3) * 16,
      ...(m.pick(2) ? { registers: 168, blocksPerSM: 1 } : {}),
    }),
    name: "random kernel",
    body: { params, ops: m.ops },
    params: params.map((value, i) => ({ name: `p${i}`, kind: value.type === "ptr.global" ? "tensor" : "scalar", value })),
    shared: [
      { id: 0, name: "tiles", bytes: 1024, align: 128, spans: [span] },
      { id: 1, name: "bar", bytes: 8, align: 8, spans: [] },
    ],
    logs: [{ kind: "log", parts: ["x = ", "\n"], types: ["f32"], spans: [span] }],
  };
}

export const graphArbitrary: fc.Arbitrary<Graph> = fc
  .array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 260, size: "max" })
  .map(makeGraph)
  .map((graph) => Object.defineProperty(graph, fc.toStringMethod, { value: () => printGraph(graph) }));
/** Arguments for such a graph: the pointer, an i32, an f32, a pred, a u32. */
export const argumentsArbitrary = fc.tuple(
  fc.constantFrom(0n, 8n),
  fc.oneof(fc.integer({ min: -5, max: 40 }), fc.integer({ min: -1000, max: 1000 }), fc.integer()),
  fc.constantFrom(0, 1, -0.5, 2.25),
  fc.boolean(),
  fc.nat({ max: 100 }),
);
