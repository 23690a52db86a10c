/** Floating point (PTX ISA 9.7.3–9.7.5). Results are rounded once. */
import type { Operand } from "../../ptx/parse/tree.ts";
import { type Modifiers, type Rule, type Rules, typeIn } from "./rule.ts";
import { Unsupported } from "./unsupported.ts";
import type { Writer } from "./writer.ts";

type Value = Operand | undefined;
/** From numbers to a number that is exact, or rounded so that rounding it once more is harmless. */
type Formula = (type: string, modifiers: Modifiers, ...values: string[]) => string;

const packed: Readonly<Record<string, string>> = { f16x2: "f16", bf16x2: "bf16" };

/** Applies a formula to floats of any type, to both halves of packed ones. */
function formula(count: number, how: Formula): Rule {
  return (w, [d, ...sources], m) => {
    const type = typeIn(m);
    const values = sources.slice(0, count);
    const half = packed[type];
    if (half === undefined) return w.setNumber(d, type, finish(m, type, how(type, m, ...values.map((o) => read(w, o, type, m)))));
    const words = values.map((o) => w.keep(w.word(o)));
    const one = (shift: number) => {
      const numbers = words.map((word) => `${half}Value(${word}>>>${shift}&65535)`);
      return `${half}Bits(${finish(m, half, how(half, m, ...numbers))})`;
    };
    w.setInt(d, "b32", `${one(0)}|${one(16)}<<16`);
  };
}

function read(w: Writer, o: Value, type: string, m: Modifiers): string {
  const value = w.number(o, type);
  return m.ftz && type === "f32" ? `flush(${value})` : value;
}

function finish(m: Modifiers, type: string, value: string): string {
  const flushed = m.ftz && type === "f32" ? `flush(${value})` : value;
  const clamped = m.sat ? `saturate(${flushed})` : flushed;
  return m.relu ? `Math.max(${clamped},0)` : clamped;
}

function round(type: string, m: Modifiers, plain: string, rounded: string, odd: string): string {
  const how = m.round ?? m.mode ?? "rn";
  if (type === "f64") {
    if (how !== "rn") throw new Unsupported(`rounding of f64 by .${how}`);
    return plain;
  }
  if (type === "f32") return how === "rn" ? `fround(${plain})` : rounded;
  return odd;
}

const quote = (m: Modifiers): string => `"${m.round ?? "rn"}"`;

const add: Formula = (type, m, a, b) => round(type, m, `${a}+${b}`, `fma32Rounded(${a},1,${b},${quote(m)})`, `addOdd(${a},${b})`);
const sub: Formula = (type, m, a, b) => add(type, m, a as string, `-${b}`);
const mul: Formula = (type, m, a, b) => round(type, m, `${a}*${b}`, `roundF32(${a}*${b},${quote(m)})`, `${a}*${b}`);
const fma: Formula = (type, m, a, b, c) => {
  if (type === "f64") return round(type, m, `fma64(${a},${b},${c})`, "", "");
  if (type === "f32") return (m.round ?? "rn") === "rn" ? `fma32(${a},${b},${c})` : `fma32Rounded(${a},${b},${c},${quote(m)})`;
  return `addOdd(${a}*${b},${c})`;
};

/** `div.rn` of f32 is right when rounded from a double; other roundings are not offered. */
const div: Formula = (type, m, a, b) => {
  if (m.mode === undefined || ["rn", "approx", "full"].includes(m.mode))
    return type === "f32" ? `fround(${a}/${b})` : `${a}/${b}`;
  throw new Unsupported(`div.${m.mode}`);
};

const approximate =
  (helper: string, exact: (a: string) => string): Formula =>
  (type, m, a) => {
    if (m.mode !== undefined && !["rn", "approx"].includes(m.mode)) throw new Unsupported(`${helper}.${m.mode}`);
    return type === "f64" ? exact(a as string) : `${helper}(${a})`;
  };
const plain =
  (helper: string): Formula =>
  (_type, _m, a) =>
    `${helper}(${a})`;

const extreme =
  (name: "min" | "max"): Formula =>
  (_type, m, a, b) => {
    if (m.xorsign || m.abs) throw new Unsupported(`${name}.xorsign.abs`);
    return m.nan ? `Math.${name}(${a},${b})` : `${name}imum(${a},${b})`;
  };

const signBits: Readonly<Record<string, string>> = { f16: "0x8000", bf16: "0x8000", f16x2: "0x80008000", bf16x2: "0x80008000" };

/** `neg` and `abs`: the sign bit of small floats, the sign of numbers. */
const sign =
  (change: (a: string) => string, bits: (a: string, sign: string) => string): Rule =>
  (w, [d, a], m) => {
    const type = typeIn(m);
    const top = signBits[type];
    if (top === undefined) w.setNumber(d, type, finish(m, type, change(read(w, a, type, m))));
    else w.setInt(d, type.endsWith("x2") ? "b32" : "b16", bits(w.word(a), top));
  };

const copysign: Rule = (w, [d, a, b], m) => {
  const type = typeIn(m);
  const [from, to] = [w.keep(w.number(a, type)), w.keep(w.number(b, type))];
  w.setNumber(d, type, `(${from}<0||Object.is(${from},-0))===(${to}<0||Object.is(${to},-0))?${to}:-${to}`);
};

const tests: Readonly<Record<string, (x: string, least: string) => string>> = {
  finite: (x) => `Number.isFinite(${x})`,
  infinite: (x) => `Math.abs(${x})===Infinity`,
  number: (x) => `${x}===${x}`,
  notanumber: (x) => `${x}!==${x}`,
  normal: (x, least) => `Number.isFinite(${x})&&Math.abs(${x})>=${least}`,
  subnormal: (x, least) => `Math.abs(${x})<${least}`,
};
const testp: Rule = (w, [d, a], m) => {
  const type = typeIn(m);
  const x = w.keep(w.number(a, type));
  w.setPredicate(d, tests[m.is ?? ""]?.(x, type === "f32" ? "1.1754943508222875e-38" : "2.2250738585072014e-308") ?? "0");
};

export const floatRules: Rules = {
  "add.float": formula(2, add),
  "sub.float": formula(2, sub),
  "mul.float": formula(2, mul),
  fma: formula(3, fma),
  "mad.float": formula(3, fma),
  "div.float": formula(2, div),
  "neg.float": sign(
    (a) => `-${a}`,
    (a, top) => `${a}^${top}`,
  ),
  "abs.float": sign(
    (a) => `Math.abs(${a})`,
    (a, top) => `${a}&~${top}`,
  ),
  "min.float": formula(2, extreme("min")),
  "max.float": formula(2, extreme("max")),
  copysign,
  testp,
  rcp: formula(
    1,
    approximate("rcp", (a) => `1/${a}`),
  ),
  sqrt: formula(
    1,
    approximate("squareRoot", (a) => `Math.sqrt(${a})`),
  ),
  rsqrt: formula(
    1,
    approximate("rsqrt", (a) => `1/Math.sqrt(${a})`),
  ),
  sin: formula(1, plain("sin")),
  cos: formula(1, plain("cos")),
  lg2: formula(1, plain("lg2")),
  ex2: formula(1, plain("ex2")),
  tanh: formula(1, plain("tanh")),
};
