import { f16round, getFloat16, setFloat16 } from "@petamoriken/float16";
import {
  type AnyOp,
  anyOp,
  bitsOf,
  type Graph,
  isFloat,
  isInteger,
  isScalar,
  isSigned,
  type Op,
  type Region,
  type ScalarType,
  type Type,
  type Value,
} from "../../src/ir/index.ts";

/**
 * Runs an op graph for one thread on a toy memory. Written from the op table alone, apart from the arithmetic of the passes, so
 * that the two can be compared. Accumulators are tokens of their history; addresses wrap around the memory.
 */
export type Held = number | bigint | boolean;

class Exit extends Error {}

/** The text of a log site with its values. */
const said = (parts: readonly string[], values: readonly Held[]): string =>
  parts.map((part, i) => part + (i < values.length ? String(values[i]) : "")).join("");

/** An assertion of the graph that does not hold. */
export class Trap extends Error {}

/** Who looks on while a graph runs. */
export interface Watching {
  /** Sees every value that an op gives, and what comes into regions. */
  readonly observe?: (value: Value, held: Held) => void;
  /** Sees a region begin, and end. */
  readonly enter?: (region: Region) => void;
  readonly leave?: (region: Region) => void;
  /** What a special register holds, or `warp.index`; 5 where nobody says. */
  readonly register?: (name: string) => number;
  /** Sees each element that is loaded or stored, in order, with its address before that wraps around the memory. */
  readonly access?: (access: Access) => void;
  /** Runs ops that the interpreter does not know, as it likes; undefined where it does not know them either. */
  readonly perform?: (op: AnyOp, get: (value: Value) => Held) => readonly Held[] | undefined;
}

/** A load of an element, or a store of a value. `start`: where the whole access begins, and `width`, its bytes. */
export interface Access {
  readonly kind: "load" | "store";
  readonly address: bigint;
  readonly start: bigint;
  readonly width: number;
  readonly value?: Held;
}

interface Machine {
  readonly memory: DataView;
  readonly values: Map<number, Held>;
  readonly logs: Graph["logs"];
  readonly watching: Watching;
  steps: number;
}

const bytes = new DataView(new ArrayBuffer(8));
const truncate = (type: ScalarType, x: bigint): Held => {
  const bits = bitsOf(type);
  const cut = isSigned(type) ? BigInt.asIntN(bits, x) : BigInt.asUintN(bits, x);
  return bits === 64 ? cut : Number(cut);
};

/** bf16 by way of the bits of f32, with the last kept bit made odd where anything was lost (Boldo and Melquiond). */
function toBf16(x: number): number {
  if (!Number.isFinite(x) || x === 0) return x;
  bytes.setFloat64(0, x);
  let wide = bytes.getBigUint64(0);
  const lost = wide & ((1n << 32n) - 1n);
  wide -= lost;
  if (lost !== 0n) wide |= 1n << 32n;
  bytes.setBigUint64(0, wide);
  bytes.setFloat32(0, bytes.getFloat64(0));
  const bits = bytes.getUint32(0);
  const even = (bits >>> 16) & 1;
  bytes.setUint32(0, ((bits + 0x7fff + even) & 0xffff0000) >>> 0);
  return bytes.getFloat32(0);
}

const toFloat = (type: ScalarType, x: number): number =>
  type === "f64" ? x : type === "f32" ? Math.fround(x) : type === "f16" ? f16round(x) : toBf16(x);

function integerMath(name: string, type: ScalarType, a: bigint, b: bigint): bigint {
  const width = BigInt(bitsOf(type));
  const by = BigInt.asUintN(32, b) & (width - 1n);
  switch (name) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "mul.hi":
      return (a * b) >> width;
    case "div":
      return b === 0n ? 0n : a / b;
    case "rem":
      return b === 0n ? 0n : a % b;
    case "min":
      return a < b ? a : b;
    case "max":
      return a > b ? a : b;
    case "and":
      return a & b;
    case "or":
      return a | b;
    case "xor":
      return a ^ b;
    case "shl":
      return a << by;
    case "shr":
      return a >> by;
    default:
      throw new Error(`integers: ${name}`);
  }
}

function floatMath(name: string, a: number, b: number): number {
  switch (name) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "div":
      return a / b;
    case "rem":
      return a % b;
    case "min":
      return Math.min(a, b);
    case "max":
      return Math.max(a, b);
    default:
      throw new Error(`floats: ${name}`);
  }
}

function twoOperands(name: string, type: ScalarType, a: Held, b: Held): Held {
  if (typeof a === "boolean") return name === "and" ? a && b === true : name === "or" ? a || b === true : a !== b;
  if (isFloat(type)) return toFloat(type, floatMath(name, Number(a), Number(b)));
  return truncate(type, integerMath(name, type, BigInt(a), BigInt(b)));
}

function oneOperand(name: string, type: ScalarType, a: Held): Held {
  if (typeof a === "boolean") return !a;
  const plain = BigInt.asUintN(bitsOf(type), isFloat(type) ? 0n : BigInt(a))
    .toString(2)
    .padStart(bitsOf(type), "0");
  if (name === "neg") return isFloat(type) ? -Number(a) : truncate(type, -BigInt(a));
  if (name === "abs") return isFloat(type) ? Math.abs(Number(a)) : truncate(type, BigInt(a) < 0n ? -BigInt(a) : BigInt(a));
  if (name === "not") return truncate(type, ~BigInt(a));
  if (name === "popc") return plain.replaceAll("0", "").length;
  if (name === "clz") return plain.indexOf("1") < 0 ? bitsOf(type) : plain.indexOf("1");
  if (name === "brev") return truncate(type, BigInt(`0b${[...plain].reverse().join("")}`));
  return toFloat(type, Math.sqrt(Number(a)));
}

function nearestEven(x: number): number {
  const down = Math.floor(x);
  const near = x - down < 0.5 ? down : x - down > 0.5 ? down + 1 : down % 2 === 0 ? down : down + 1;
  return near === 0 && (x < 0 || Object.is(x, -0)) ? -0 : near;
}
const roundings: Record<string, (x: number) => number> = { ni: nearestEven, zi: Math.trunc, mi: Math.floor, pi: Math.ceil };

function saturate(to: ScalarType, x: number): Held {
  if (Number.isNaN(x)) return truncate(to, 0n);
  const [low, high] = isSigned(to)
    ? [-(2n ** BigInt(bitsOf(to) - 1)), 2n ** BigInt(bitsOf(to) - 1) - 1n]
    : [0n, 2n ** BigInt(bitsOf(to)) - 1n];
  const whole = x === Number.POSITIVE_INFINITY ? high : x === Number.NEGATIVE_INFINITY ? low : BigInt(Math.trunc(x));
  return truncate(to, whole < low ? low : whole > high ? high : whole);
}

function convert(from: ScalarType, to: ScalarType, a: Held): Held {
  if (from === "pred") return isFloat(to) || bitsOf(to) < 64 ? Number(a) : BigInt(a as boolean);
  if (isFloat(from)) return isFloat(to) ? toFloat(to, Number(a)) : saturate(to, Number(a));
  return isFloat(to) ? toFloat(to, Number(a)) : truncate(to, BigInt(a as bigint));
}

function writeBits(view: DataView, at: number, type: ScalarType, x: Held): void {
  if (type === "pred") view.setUint8(at, Number(x));
  else if (isInteger(type)) {
    const wide = BigInt.asUintN(64, BigInt(x));
    for (let i = 0; i < bitsOf(type) / 8; i++) view.setUint8(at + i, Number((wide >> BigInt(8 * i)) & 255n));
  } else if (Number.isNaN(x))
    writeBits(view, at, type === "f64" ? "u64" : type === "f32" ? "u32" : "u16", type === "f64" ? 0x7ff8000000000000n : 0x7fff);
  else if (type === "f64") view.setFloat64(at, Number(x), true);
  else if (type === "f32") view.setFloat32(at, Number(x), true);
  else if (type === "f16") setFloat16(view, at, Number(x), true);
  else {
    bytes.setFloat32(0, Number(x));
    view.setUint16(at, bytes.getUint16(0), true);
  }
}

function readBits(view: DataView, at: number, type: ScalarType): Held {
  if (type === "f64") return view.getFloat64(at, true);
  if (type === "f32") return view.getFloat32(at, true);
  if (type === "f16") return getFloat16(view, at, true);
  if (type === "bf16") {
    bytes.setUint32(0, view.getUint16(at, true) << 16);
    return bytes.getFloat32(0);
  }
  let wide = 0n;
  for (let i = 0; i < Math.max(8, bitsOf(type)) / 8; i++) wide |= BigInt(view.getUint8(at + i)) << BigInt(8 * i);
  return type === "pred" ? wide !== 0n : truncate(type, wide);
}

/** A NaN that is read as bits is the one NaN of this machine. */
function bitcast(from: ScalarType, to: ScalarType, a: Held): Held {
  const view = new DataView(new ArrayBuffer(16));
  writeBits(view, 0, from, a);
  return readBits(view, 0, to);
}

const hash = (...parts: readonly Held[]): number =>
  parts.reduce((h: number, p) => (Math.imul(h ^ Number(BigInt.asIntN(32, BigInt(p))), 0x9e3779b1) ^ (h >>> 15)) | 0, 17);

const get = (m: Machine, value: Value): Held => {
  const held = m.values.get(value.id);
  if (held === undefined) throw new Error(`%${value.id} has no value`);
  return held;
};
const typeOf = (value: Value | undefined): ScalarType => (value && isScalar(value.type) ? value.type : "i64");

function address(m: Machine, ptr: Value, offset: number, element: number): number {
  const at = BigInt(get(m, ptr)) + BigInt(offset) + BigInt(element * 8);
  return Number(BigInt.asUintN(8, at));
}

/** Tells who looks on of each element of a load, or of a store of these values. */
function tell(
  m: Machine,
  op: Op<"ld.global" | "ld.shared" | "st.global" | "st.shared">,
  kind: Access["kind"],
  elements: readonly Value[],
): void {
  const { access } = m.watching;
  if (!access) return;
  const bytes = bitsOf(typeOf(elements[0])) / 8;
  const start = BigInt.asIntN(64, BigInt(get(m, op.operands.ptr)) + BigInt(op.attrs.offset));
  elements.forEach((v, i) => {
    const value = kind === "store" ? { value: get(m, v) } : {};
    access({ kind, address: start + BigInt(i * bytes), start, width: bytes * elements.length, ...value });
  });
}

function binaryOp(op: Op, m: Machine): Held | undefined {
  const { a, b, by } = op.operands as Record<string, Value>;
  const right = b ?? by;
  if (!a || !right || op.name === "cmp" || op.name === "fma") return undefined;
  if (op.name === "shf" || op.name === "select" || op.name.startsWith("wgmma")) return undefined;
  return twoOperands(op.name, typeOf(a), get(m, a), get(m, right));
}

function compare(is: string, a: Held, b: Held): boolean {
  return is === "eq"
    ? a === b
    : is === "ne"
      ? a !== b
      : is === "lt"
        ? a < b
        : is === "le"
          ? a <= b
          : is === "gt"
            ? a > b
            : a >= b;
}

/** a * b + c of numbers small enough for f64 to hold it, which is all that the tests of `fma` compute here. */
function exactSum(a: Held, b: Held, c: Held): number {
  const [x, y, z] = [Number(a), Number(b), Number(c)];
  if (![x, y, z].every((n) => Number.isInteger(n) && Math.abs(n) < 2 ** 25)) throw new Error("fma: only small whole numbers");
  return x * y + z;
}

function scalarOp(op: AnyOp, m: Machine): Held | undefined {
  const to: Type = op.results[0]?.type ?? "pred";
  switch (op.name) {
    case "const":
      return isScalar(to) && isFloat(to) ? toFloat(to, Number(op.attrs.value)) : op.attrs.value;
    case "cmp":
      return compare(op.attrs.is, get(m, op.operands.a), get(m, op.operands.b));
    case "select":
      return get(m, get(m, op.operands.condition) ? op.operands.yes : op.operands.no);
    case "convert":
      return convert(typeOf(op.operands.a), typeOf(op.results[0]), get(m, op.operands.a));
    case "bitcast":
      return bitcast(typeOf(op.operands.a), typeOf(op.results[0]), get(m, op.operands.a));
    case "round":
      return roundings[op.attrs.mode]?.(Number(get(m, op.operands.a)));
    case "shf": {
      const both =
        (BigInt.asUintN(32, BigInt(get(m, op.operands.high))) << 32n) | BigInt.asUintN(32, BigInt(get(m, op.operands.low)));
      const n = BigInt(get(m, op.operands.by)) & 31n;
      return truncate(typeOf(op.results[0]), op.attrs.direction === "r" ? both >> n : (both << n) >> 32n);
    }
    case "fma":
      return toFloat(typeOf(op.operands.a), exactSum(get(m, op.operands.a), get(m, op.operands.b), get(m, op.operands.c)));
    case "sreg":
      return m.watching.register?.(op.attrs.reg) ?? 5;
    case "warp.index":
      return m.watching.register?.(op.name) ?? 0;
    case "ptr.add":
      return BigInt.asUintN(
        64,
        BigInt(get(m, op.operands.ptr)) + BigInt.asIntN(bitsOf(typeOf(op.operands.by)), BigInt(get(m, op.operands.by))),
      );
    case "shared.buffer":
      return BigInt(op.attrs.buffer * 4096);
    case "shared.dynamic":
      return BigInt(op.attrs.at);
    case "wgmma.descriptor":
      return hash(get(m, op.operands.ptr));
    case "wgmma.advance":
      return hash(get(m, op.operands.desc), get(m, op.operands.by));
    case "wgmma.mma_async":
      return hash(
        op.operands.accumulate && !get(m, op.operands.accumulate) ? 0 : get(m, op.operands.acc),
        get(m, op.operands.a),
        get(m, op.operands.b),
      );
    case "acc.zero":
      return 0;
    case "acc.undef":
      return 0xbad;
    case "pair.pack": {
      const half = (v: Value) =>
        BigInt(bitcast(op.attrs.type, "u16", toFloat(op.attrs.type, exactSum(get(m, v), 1, 0))) as number);
      return Number((half(op.operands.high) << 16n) | half(op.operands.low));
    }
    case "neg":
    case "abs":
    case "not":
    case "popc":
    case "clz":
    case "brev":
    case "sqrt":
      return oneOperand(op.name, typeOf(op.operands.a), get(m, op.operands.a));
    default:
      return binaryOp(op as Op, m);
  }
}

function bind(m: Machine, targets: readonly Value[], held: readonly Held[]): undefined {
  for (const [i, target] of targets.entries()) {
    m.values.set(target.id, held[i] ?? 0);
    m.watching.observe?.(target, held[i] ?? 0);
  }
}

function runOp(raw: Op, m: Machine): undefined {
  if (m.steps++ > 100_000) throw new Error("this does not end");
  const op = anyOp(raw);
  const all = (list: readonly Value[]) => list.map((v) => get(m, v));
  switch (op.name) {
    case "exit":
      throw new Exit();
    case "if":
      return bind(m, op.results, run(op.regions[get(m, op.operands.condition) ? 0 : 1], [], m));
    case "for": {
      const [stop, step] = [get(m, op.operands.stop), get(m, op.operands.step)];
      let carried: readonly Held[] = all(op.operands.carried);
      for (
        let i = get(m, op.operands.start);
        Number(step) > 0 ? i < stop : i > stop;
        i = twoOperands("add", typeOf(op.operands.start), i, step)
      )
        carried = run(op.regions[0], [i, ...carried], m);
      return bind(m, op.results, carried);
    }
    case "while": {
      let carried: readonly Held[] = all(op.operands.carried);
      for (;;) {
        const [go, ...passed] = run(op.regions[0], carried, m);
        if (!go) return bind(m, op.results, passed);
        carried = run(op.regions[1], passed, m);
      }
    }
    case "ld.global":
    case "ld.shared": {
      const reads = op.operands.pred === undefined || get(m, op.operands.pred);
      if (reads) tell(m, op, "load", op.results);
      const other = (v: Value) => (op.operands.other ? get(m, op.operands.other) : bitcast("u64", typeOf(v), 0n));
      return bind(
        m,
        op.results,
        op.results.map((v, i) =>
          reads ? readBits(m.memory, address(m, op.operands.ptr, op.attrs.offset, i), typeOf(v)) : other(v),
        ),
      );
    }
    case "st.global":
    case "st.shared":
      if (op.operands.pred !== undefined && !get(m, op.operands.pred)) return;
      tell(m, op, "store", op.operands.values);
      op.operands.values.forEach((v, i) => {
        writeBits(m.memory, address(m, op.operands.ptr, op.attrs.offset, i), typeOf(v), get(m, v));
      });
      return;
    case "assert":
      if (get(m, op.operands.condition)) return;
      throw new Trap(said(m.logs[op.attrs.site]?.parts ?? [`no site ${op.attrs.site}`], all(op.operands.values)));
    case "acc.unpack":
      return bind(
        m,
        op.results,
        op.results.map((_, i) => Math.fround(hash(get(m, op.operands.acc), i + (op.attrs.columns?.[0] ?? 0) / 2))),
      );
    case "wgmma.fence":
    case "wgmma.commit_group":
    case "wgmma.wait_group":
    case "bar.sync":
      return;
    default: {
      const own = m.watching.perform?.(op, (value) => get(m, value));
      if (own) return bind(m, op.results, own);
      const result = scalarOp(op, m);
      if (result === undefined) throw new Error(`the interpreter does not know '${op.name}'`);
      bind(m, op.results, [result]);
    }
  }
}

function run(region: Region | undefined, held: readonly Held[], m: Machine): readonly Held[] {
  if (!region) throw new Error("no region");
  m.watching.enter?.(region);
  bind(m, region.params, held);
  for (const op of region.ops) {
    const { go, values } = op.operands as { go?: Value; values?: readonly Value[] };
    const ends = op.name === "yield" || (op.name === "condition" && go);
    if (!ends) {
      runOp(op, m);
      continue;
    }
    m.watching.leave?.(region);
    const given = (values ?? []).map((v) => get(m, v));
    return go ? [get(m, go), ...given] : given;
  }
  throw new Error("a region without an end");
}

/** The memory after the kernel has run with these arguments, as hexadecimal. Pointers are addresses in the memory. */
export function interpret(graph: Graph, args: readonly Held[], size = 272, watching: Watching = {}): string {
  const memory = new DataView(new ArrayBuffer(size));
  for (let i = 0; i < size; i++) memory.setUint8(i, Math.imul(i, 37) & 255);
  try {
    run(graph.body, args, { memory, values: new Map(), logs: graph.logs, watching, steps: 0 });
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  return Buffer.from(memory.buffer).toString("hex");
}
