/** Floating point (PTX ISA 9.7.3–9.7.5). Results are rounded once. */

import type { Operand } from "../../../ptx/parse/index.ts";
import { b16, b32, bf16, type DataType, f16, f32, f64, u16 } from "../../../ptx/parse/index.ts";
import { type Modifiers, type Rule, type Rules, typeIn } from "./rule.ts";
import type { Writer } from "./writer.ts";

type Value = Operand | undefined;
/** From numbers to a number that is exact, or rounded so that rounding it once more is harmless. */
type Formula = (type: DataType, modifiers: Modifiers, ...values: string[]) => string;

/** Applies a formula to floats of any type, to both halves of packed ones. */
function formula(count: number, how: Formula): Rule {
  return (w, [d, ...sources], m, i) => {
    const type = typeIn(i);
    const values = sources.slice(0, count);
    const half = type.element;
    if (half === undefined) {
      const numbers = values.map((o) => read(w, o, type, m));
      return w.setNumber(d, type, guarded(w, m, type, numbers, values, how(type, m, ...numbers)));
    }
    const words = values.map((o) => w.keep(w.word(o)));
    const one = (shift: number) => {
      const bits = words.map((word) => `(${word}>>>${shift}&65535)`);
      const result = finish(m, half, how(half, m, ...bits.map((x) => flushed(m, half, `${half.name}Value(${x})`))));
      return m.oob ? `${anyOutside(bits)}?0:${half.name}Bits(${result})` : `${half.name}Bits(${result})`;
    };
    const [low, high] = [w.keep(one(0)), w.keep(one(16))];
    w.setInt(d, b32, `${low}|${high}<<16`);
  };
}

const read = (w: Writer, o: Value, type: DataType, m: Modifiers): string => flushed(m, type, w.number(o, type));

/** `.ftz`: subnormal operands and results become zeros of their sign. */
function flushed(m: Modifiers, type: DataType, value: string): string {
  if (!m.ftz || type === f64) return value;
  return type === f16 ? `flushHalf(${value})` : type === bf16 ? `flushBrain(${value})` : `flush(${value})`;
}

/**
 * `fma.oob`: zero where a factor is the NaN that tensor copies fill what is outside with, of either sign (PTX ISA 5.5.3.4,
 * 9.7.4.5; docs/hardware.md).
 */
const anyOutside = ([a, b]: readonly string[]): string => `((${a}&0x7fff)===0x7ff7||(${b}&0x7fff)===0x7ff7)`;

function guarded(
  w: Writer,
  m: Modifiers,
  type: DataType,
  numbers: readonly string[],
  values: readonly Value[],
  result: string,
): string {
  const finished = finish(m, type, result);
  if (!m.oob || numbers.length === 0) return finished;
  return `${anyOutside(values.map((o) => w.int(o, u16)))}?0:${finished}`;
}

function finish(m: Modifiers, type: DataType, value: string): string {
  const result = flushed(m, type, value);
  const clamped = m.sat ? `saturate(${result})` : result;
  return m.relu ? `Math.max(${clamped},0)` : clamped;
}

const rounding = (m: Modifiers): string => m.round ?? m.mode ?? "rn";

/**
 * By JavaScript's own arithmetic where the rounding is its own; else by the helper `name` on exact numbers. `.ftz` looks at the
 * result before it is rounded, which is the `odd` one, or the `plain` one.
 */
function round(type: DataType, m: Modifiers, plain: string, odd: string, name: string, ...operands: string[]): string {
  const how = rounding(m);
  if (type !== f32 && type !== f64) return odd;
  const flushes = m.ftz && type === f32;
  if (["rz", "rm", "rp"].includes(how)) {
    const rounded = `${name}(${operands},"${how}","${type.name}")`;
    return flushes ? `flushedBy(${odd || plain},${rounded})` : rounded;
  }
  if (type === f64) return plain;
  return `fround(${flushes ? `flush(${odd || plain})` : plain})`;
}

const add: Formula = (type, m, a = "", b = "") => round(type, m, `${a}+${b}`, `addOdd(${a},${b})`, "addRounded", a, b);
const sub: Formula = (type, m, a = "", b = "") => add(type, m, a, `-${b}`);
const mul: Formula = (type, m, a = "", b = "") => round(type, m, `${a}*${b}`, `${a}*${b}`, "mulRounded", a, b);
/** fma.rn.f32 as `fma32` has it, in place. */
function fmaSingle(w: Writer, d: Value, a: string, b: string, c: string): void {
  const product = w.keep(`${a}*${b}`);
  const sum = w.keep(`${product}+${c}`);
  const rounded = w.fresh();
  w.line(`let ${rounded}=fround(${sum});`);
  const rest = w.keep(`${sum}-${rounded}`);
  w.line(`if(${rest}!==0&&fround(${sum}+${rest})===${sum}+${rest})${rounded}=fround(addOdd(${product},${c}));`);
  w.setNumber(d, f32, rounded);
}
const fmaRule: Rule = (w, o, m, i) => {
  const plain = typeIn(i) === f32 && rounding(m) === "rn" && !m.ftz && !m.sat && !m.relu && !m.oob;
  if (!plain) return formula(3, fma)(w, o, m, i);
  const [a = "", b = "", c = ""] = o.slice(1, 4).map((one) => w.number(one, f32));
  fmaSingle(w, o[0], a, b, c);
};

const fma: Formula = (type, m, a = "", b = "", c = "") => {
  const plain = type === f32 ? `fma32(${a},${b},${c})` : `fma64(${a},${b},${c})`;
  return round(type, m, plain, `addOdd(${a}*${b},${c})`, "fmaRounded", a, b, c);
};

/** A quotient or root of f32 that is rounded from the double is rounded right. */
const div: Formula = (type, m, a = "", b = "") =>
  m.mode === "approx" ? `divApprox(${a},${b})` : round(type, m, `${a}/${b}`, "", "divExact", a, b);
const rcp: Formula = (type, m, a = "") => {
  if (m.mode === "approx") return type === f64 ? `rcpCoarse(${a})` : `fround(rcpSingle(${a}))`;
  return round(type, m, `1/${a}`, "", "divExact", "1", a);
};
const sqrt: Formula = (type, m, a = "") => round(type, m, `Math.sqrt(${a})`, "", "sqrtExact", a);
const rsqrt: Formula = (type, m, a = "") => {
  if (type === f32) return `fround(rsqrtSingle(${a}))`;
  return m.ftz ? `rsqrtCoarse(${a})` : `1/Math.sqrt(${a})`;
};
/** Of f16 and bf16, too: rounded by whoever sets the result. */
const approximate =
  (call: string): Formula =>
  (type, _m, a) =>
    type === f32 ? `fround(${call}(${a}))` : `${call}(${a})`;

const ex2: Formula = (type, m, a = "") => {
  if (type !== f32) return `exp2(${a})`;
  return `fround(${m.ftz ? "ex2Flushed" : "ex2Single"}(${a}))`;
};

const extreme = (name: "min" | "max"): Rule => {
  const plain = formula(2, (_type, m, a, b) => {
    const which = m.nan ? `Math.${name}` : `${name}imum`;
    return m.xorsign ? `${which}(Math.abs(${a}),Math.abs(${b}))` : `${which}(${a},${b})`;
  });
  return (w, operands, m, i) => {
    if (!m.xorsign) return plain(w, operands, m, i);
    // The sign of a NaN counts, too, which a number does not show.
    const [d, a, b] = operands;
    const type = typeIn(i);
    const signs = w.keep(`${w.word(a)}^${w.word(b)}`);
    plain(w, operands, m, i);
    if (type === f32) w.setInt(d, b32, `${w.word(d)}^${signs}&0x80000000`);
    else w.setInt(d, type.lanes === 2 ? b32 : b16, `crossSigned(${w.word(d)},${signs})`);
  };
};

/** Of floats that live in registers of bits. */
const signBits = ({ bits, lanes }: DataType): string | undefined =>
  lanes === 2 ? "0x80008000" : bits === 16 ? "0x8000" : undefined;

/** `neg` and `abs`: the sign bit of small floats, the sign of numbers. */
const sign =
  (change: (a: string) => string, bits: (a: string, sign: string) => string): Rule =>
  (w, [d, a], m, i) => {
    const type = typeIn(i);
    const top = signBits(type);
    if (top === undefined) return w.setNumber(d, type, finish(m, type, change(read(w, a, type, m))));
    const whole = type.lanes === 2 ? b32 : b16;
    const result = `oneNaN(${bits(w.word(a), top)},"${(type.element ?? type).name}")`;
    w.setInt(d, whole, m.ftz && (type.element ?? type) === f16 ? `flushHalves(${result})` : result);
  };

const copysign: Rule = (w, [d, a, b], _, i) => {
  const join = (from: string, to: string): string => `${from}&0x80000000|${to}&0x7fffffff`;
  if (typeIn(i) === f32) return w.setInt(d, b32, join(w.word(a), w.word(b)));
  const [from, to] = [w.halves(a), w.halves(b)];
  w.setHalves(d, to[0], join(from[1], to[1]));
};

/** Zeros count as normal numbers (PTX ISA 9.7.3.1). */
const tests: Readonly<Record<string, (x: string, least: string) => string>> = {
  finite: (x) => `Number.isFinite(${x})`,
  infinite: (x) => `Math.abs(${x})===Infinity`,
  number: (x) => `${x}===${x}`,
  notanumber: (x) => `${x}!==${x}`,
  normal: (x, least) => `Number.isFinite(${x})&&(${x}===0||Math.abs(${x})>=${least})`,
  subnormal: (x, least) => `${x}!==0&&Math.abs(${x})<${least}`,
};
const testp: Rule = (w, [d, a], m, i) => {
  const type = typeIn(i);
  const x = w.keep(w.number(a, type));
  w.setPredicate(d, tests[m.is ?? ""]?.(x, type === f32 ? "1.1754943508222875e-38" : "2.2250738585072014e-308") ?? "0");
};

export const floatRules: Rules = {
  "add.float": formula(2, add),
  "sub.float": formula(2, sub),
  "mul.float": formula(2, mul),
  fma: fmaRule,
  "mad.float": fmaRule,
  "div.float": formula(2, div),
  "neg.float": sign(
    (a) => `-${a}`,
    (a, top) => `${a}^${top}`,
  ),
  "abs.float": sign(
    (a) => `Math.abs(${a})`,
    (a, top) => `${a}&~${top}`,
  ),
  "min.float": extreme("min"),
  "max.float": extreme("max"),
  copysign,
  testp,
  rcp: formula(1, rcp),
  sqrt: formula(1, sqrt),
  rsqrt: formula(1, rsqrt),
  sin: formula(1, approximate("Math.sin")),
  cos: formula(1, approximate("Math.cos")),
  lg2: formula(1, approximate("Math.log2")),
  ex2: formula(1, ex2),
  tanh: formula(1, approximate("Math.tanh")),
};
