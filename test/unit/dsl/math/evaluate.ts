import { f16round } from "@petamoriken/float16";
import { finishOpenTypes } from "../../../../src/dsl/numbers/finish.ts";
import { StagedScalar } from "../../../../src/dsl/trace/scalar.ts";
import { Trace, withTrace } from "../../../../src/dsl/trace/trace.ts";
import { ex2Flushed, ex2Single, rcpSingle, rsqrtSingle } from "../../../../src/emulator/machine/numerics/special-functions.ts";
import { type AnyOp, anyOp, isFloat, type Op, type ScalarType, type Value } from "../../../../src/ir/index.ts";
import { programOptions } from "../../../support/program-options.ts";

/** Runs recorded ops as JavaScript, compiled, so that a function can be tried on millions of numbers. */
export type Held = number | bigint | boolean;

const view = new DataView(new ArrayBuffer(8));
const splitter = 2 ** 27 + 1;

/** a * b + c in f64 in one rounding, by error-free transformations (Dekker; Knuth); exact enough away from the ends of the range. */
function fma64(a: number, b: number, c: number): number {
  const p = a * b;
  const s = p + c;
  if (!Number.isFinite(s) || p === 0 || Math.abs(a) > 2 ** 990 || Math.abs(b) > 2 ** 990) return s;
  const [ta, tb] = [splitter * a, splitter * b];
  const [ah, bh] = [ta - (ta - a), tb - (tb - b)];
  const [al, bl] = [a - ah, b - bh];
  const productError = al * bl - (p - ah * bh - al * bh - ah * bl);
  const z = s - p;
  const sumError = p - (s - z) + (c - z);
  const rest = productError + sumError;
  return rest === 0 ? s : s + rest;
}

/** a * b + c of f32 in one rounding: the sum of the exact product and c is rounded to odd before it is rounded to f32 (Boldo and Melquiond). */
function fma32(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  const back = sum - product;
  const rest = product - (sum - back) + (c - back);
  if (rest === 0 || !Number.isFinite(sum)) return Math.fround(sum);
  view.setFloat64(0, sum);
  const bits = view.getBigUint64(0);
  if ((bits & 1n) === 0n) view.setBigUint64(0, rest > 0 === sum > 0 ? bits | 1n : bits - 1n);
  return Math.fround(view.getFloat64(0));
}

function bf16round(x: number): number {
  // By way of an f32 rounded to odd: the double's own bits beyond those of f32 only matter as "something is there".
  const near = Math.fround(x);
  if (!Number.isFinite(near)) return near;
  view.setFloat32(0, near);
  let bits = view.getUint32(0);
  if (Math.abs(near) > Math.abs(x)) bits = (bits - 1) >>> 0;
  if (near !== x) bits |= 1;
  bits = ((bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000) >>> 0;
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

function roundEven(x: number): number {
  const down = Math.floor(x);
  const near = x - down < 0.5 || (x - down === 0.5 && down % 2 === 0) || !Number.isFinite(x) ? down : down + 1;
  return near === 0 && (x < 0 || Object.is(x, -0)) ? -0 : near;
}

function bitsOfFloat(from: ScalarType, to: ScalarType, x: number): Held {
  if (from === "f64") {
    view.setFloat64(0, x);
    return view.getBigInt64(0);
  }
  view.setFloat32(0, x);
  return to === "u32" ? view.getUint32(0) : view.getInt32(0);
}

function bitcast(from: ScalarType, to: ScalarType, x: Held): Held {
  if (from === "f32" || from === "f64") return bitsOfFloat(from, to, Number(x));
  if (to === "f32") {
    view.setUint32(0, Number(x) >>> 0);
    return view.getFloat32(0);
  }
  if (to === "f64") {
    view.setBigUint64(0, BigInt.asUintN(64, BigInt(x)));
    return view.getFloat64(0);
  }
  return whole(to, BigInt(x));
}

function whole(type: ScalarType, x: bigint): Held {
  if (type === "i64") return BigInt.asIntN(64, x);
  if (type === "u64") return BigInt.asUintN(64, x);
  return type === "u32" ? Number(BigInt.asUintN(32, x)) : Number(BigInt.asIntN(Number(type.slice(1)), x));
}

function convert(from: ScalarType, to: ScalarType, x: Held): Held {
  if (isFloat(to))
    return to === "f32"
      ? Math.fround(Number(x))
      : to === "f16"
        ? f16round(Number(x))
        : to === "bf16"
          ? bf16round(Number(x))
          : Number(x);
  if (isFloat(from)) throw new Error("no function of this room converts to integers by value");
  return whole(to, BigInt(x));
}

const shf = (low: number, high: number, by: number, left: boolean): number => {
  const n = by & 31;
  if (n === 0) return (left ? high : low) >>> 0;
  return (left ? (high << n) | (low >>> (32 - n)) : (low >>> n) | (high << (32 - n))) >>> 0;
};
const popc = (x: number): number => (x >>> 0).toString(2).replaceAll("0", "").length;
const brev = (x: number): number => Number.parseInt([...(x >>> 0).toString(2).padStart(32, "0")].reverse().join(""), 2);
const approx: Record<string, (x: number) => number> = {
  rcp: rcpSingle,
  rsqrt: rsqrtSingle,
  sin: Math.sin,
  cos: Math.cos,
  lg2: Math.log2,
  ex2: ex2Single,
  "ex2.ftz": ex2Flushed,
  tanh: Math.tanh,
  sqrt: Math.sqrt,
};
const saturated = (x: number): number => (x > 0 ? Math.min(x, 1) : 0);
const helpers = { saturated, fma32, fma64, bf16round, f16round, roundEven, bitcast, convert, whole, shf, popc, brev, approx };

const name = (v: Value | undefined): string => `v${v?.id}`;
const typeOf = (v: Value | undefined): ScalarType => v?.type as ScalarType;
const literal = (x: Held): string => (typeof x === "bigint" ? `${x}n` : Object.is(x, -0) ? "-0" : String(x));

/** The rounding of a result to its type. */
function rounded(type: ScalarType, text: string): string {
  if (type === "f64" || type === "pred") return text;
  if (type === "f32") return `Math.fround(${text})`;
  if (isFloat(type)) return `${type}round(${text})`;
  if (type === "i64" || type === "u64") return `BigInt.as${type === "i64" ? "I" : "Ui"}ntN(64, ${text})`;
  return type === "i32" ? `(${text}) | 0` : `(${text}) >>> 0`;
}

const signs: Record<string, string> = { add: "+", sub: "-", and: "&", or: "|", xor: "^", rem: "%" };
const relations = { eq: "===", ne: "!==", lt: "<", le: "<=", gt: ">", ge: ">=" } as const;

function infix(op: string, type: ScalarType, a: string, b: string): string {
  const wide = type === "i64" || type === "u64";
  if (op === "mul") return type === "i32" || type === "u32" ? `Math.imul(${a}, ${b})` : `${a} * ${b}`;
  if (op === "mul.hi") return `Number((BigInt(${a}) * BigInt(${b})) >> 32n)`;
  if (op === "div") return isFloat(type) || wide ? `${a} / ${b}` : `Math.trunc(${a} / ${b})`;
  if (op === "min" || op === "max") return `Math.${op}(${a}, ${b})`;
  if (op === "shl" || op === "shr") {
    const sign = op === "shl" ? "<<" : type === "u32" ? ">>>" : ">>";
    return wide ? `${a} ${sign} BigInt(${b} & 63)` : `${a} ${sign} ${b}`;
  }
  const sign = signs[op];
  if (!sign) throw new Error(`this evaluator does not know '${op}'`);
  return type === "pred" ? `(${a} ${sign} ${b}) === 1` : `${a} ${sign} ${b}`;
}

const modes = { ni: "roundEven", zi: "Math.trunc", mi: "Math.floor", pi: "Math.ceil" } as const;

function expression(op: AnyOp): string {
  const to = typeOf(op.results[0]);
  const o = op.operands as Record<string, Value>;
  const [a, b] = [name(o.a), name(o.b)];
  const from = typeOf(o.a);
  switch (op.name) {
    case "const":
      return rounded(to, literal(op.attrs.value));
    case "fma":
      return to === "f32"
        ? `fma32(${a}, ${b}, ${name(op.operands.c)})`
        : rounded(to, `fma64(${a}, ${b}, ${name(op.operands.c)})`);
    case "fma.sat":
      return `saturated(fma32(${a}, ${b}, ${name(op.operands.c)}))`;
    case "cmp":
      return `${a} ${relations[op.attrs.is]} ${b}`;
    case "select":
      return `${name(op.operands.condition)} ? ${name(op.operands.yes)} : ${name(op.operands.no)}`;
    case "convert":
      return from === "f32" && to === "f64"
        ? a
        : to === "f32" && isFloat(from)
          ? `Math.fround(${a})`
          : `convert("${from}", "${to}", ${a})`;
    case "bitcast":
      return `bitcast("${from}", "${to}", ${a})`;
    case "round":
      return `${modes[op.attrs.mode]}(${a})`;
    case "sqrt":
      return rounded(to, `Math.sqrt(${a})`);
    case "neg":
      return rounded(to, `-${a}`);
    case "abs":
      return rounded(to, `Math.abs(${a})`);
    case "not":
      return from === "pred" ? `!${a}` : rounded(to, `~${a}`);
    case "popc":
    case "brev":
      return `${op.name}(${a})`;
    case "clz":
      return `Math.clz32(${a})`;
    case "shf":
      return `shf(${name(op.operands.low)}, ${name(op.operands.high)}, ${name(op.operands.by)}, ${op.attrs.direction === "l"})`;
    case "approx":
      return rounded(to, `approx["${op.attrs.fn in approx ? op.attrs.fn : op.attrs.fn.replace(".ftz", "")}"](${a})`);
    case "div.approx":
      return rounded(to, `${a} / ${b}`);
    default:
      return rounded(to, infix(op.name, from, a, name(o.b ?? o.by)));
  }
}

function statements(ops: readonly Op[]): string {
  return ops
    .map((raw) => {
      const op = anyOp(raw);
      if (op.name !== "if") return `var ${name(op.results[0])} = ${expression(op)};`;
      const branch = (i: number): string => {
        const all = op.regions[i]?.ops ?? [];
        const yielded = (all.at(-1)?.operands as { values?: readonly Value[] } | undefined)?.values ?? [];
        return `{ ${statements(all.slice(0, -1))} ${op.results.map((r, k) => `${name(r)} = ${name(yielded[k])};`).join(" ")} }`;
      };
      return `${op.results.map((r) => `var ${name(r)};`).join(" ")} if (${name(op.operands.condition)}) ${branch(0)} else ${branch(1)}`;
    })
    .join("\n");
}

/** The ops of a trace whose parameters have these types. */
export function traced(
  types: readonly ScalarType[],
  run: (...args: never[]) => unknown,
): { ops: readonly Op[]; params: readonly Value[]; result: unknown } {
  const trace = new Trace({ name: "test", ...programOptions() });
  const params = types.map((type, i) => trace.value(type, `p${i}`));
  const result = withTrace(trace, () => {
    const value = run(...(params.map((p) => new StagedScalar(p)) as never[]));
    finishOpenTypes(trace);
    return value;
  });
  return { ops: trace.region.ops, params, result };
}

/**
 * What `run` recorded, as a function of numbers; a result that is not staged is an error. `type`: that of the result. `approximations`: what
 * the hardware has, where it is not the exact result rounded.
 */
export function compiled(
  types: readonly ScalarType[],
  run: (...args: never[]) => unknown,
  approximations: Readonly<Record<string, (x: number) => number>> = {},
): { call: (...args: Held[]) => Held; type: ScalarType; ops: number } {
  const { ops, params, result } = traced(types, run);
  if (!(result instanceof StagedScalar)) throw new Error(`not on the GPU: ${String(result)}`);
  const body = `return function (${params.map(name).join(", ")}) {\n${statements(ops)}\nreturn ${name(result.value)};\n}`;
  const make = new Function(...Object.keys(helpers), body) as (...all: unknown[]) => (...args: Held[]) => Held;
  const held = { ...helpers, approx: { ...approx, ...approximations } };
  return { call: make(...Object.values(held)), type: result.type, ops: ops.length };
}
