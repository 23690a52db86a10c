/** Conversions (PTX ISA 9.7.9.21, 9.7.9.22). */

import type { Operand } from "../../../ptx/parse/index.ts";
import { b16, b32, type DataType, f32, f64 } from "../../../ptx/parse/index.ts";
import { isSigned, isWide, type Modifiers, type Rule, type Rules, typeIn } from "./rule.ts";
import type { Writer } from "./writer.ts";

type Value = Operand | undefined;

/** `rni` rounds as `rn` does. */
const roundingOf = (m: Modifiers, otherwise: string): string => `"${(m.round ?? otherwise).slice(0, 2)}"`;

const least = (type: DataType): bigint => (isSigned(type) ? -(2n ** BigInt(type.bits - 1)) : 0n);
const most = (type: DataType): bigint => 2n ** BigInt(type.bits - (isSigned(type) ? 1 : 0)) - 1n;

const roundedBits = (to: DataType, m: Modifiers, x: string): string =>
  `${to.name}BitsRounded(${x},${roundingOf(m, "rn")},${m.satfinite !== undefined && m.satfinite !== ""})`;

function setRounded(w: Writer, d: Value, to: DataType, m: Modifiers, x: string): void {
  const how = roundingOf(m, "rn");
  const value = m.sat ? `saturate(${x})` : x;
  if (to === f64) w.setNumber(d, to, value);
  else if (to === f32)
    w.setNumber(
      d,
      to,
      m.ftz ? `flush(roundF32(${value},${how}))` : how === '"rn"' ? `fround(${value})` : `roundF32(${value},${how})`,
    );
  else w.setInt(d, b16, roundedBits(to, m, value));
}

function floatToFloat(w: Writer, d: Value, a: Value, from: DataType, to: DataType, m: Modifiers): void {
  const x = m.ftz && from === f32 ? `flush(${w.number(a, from)})` : w.number(a, from);
  const whole = m.round?.length === 3 ? `roundWhole(${x},${roundingOf(m, "rn")})` : x;
  const rest = m.round?.length === 3 ? { ...m, round: undefined } : m;
  if (from === f64 && to.bits === 16 && !m.sat) {
    const high = w.keep(w.halves(a)[1]);
    const bits = `${x}!==${x}?nanOf64(${high},"${to.name}"):${roundedBits(to, rest, whole)}`;
    w.setInt(d, b16, bits);
  } else setRounded(w, d, to, rest, whole);
}

function floatToInteger(w: Writer, d: Value, a: Value, from: DataType, to: DataType, m: Modifiers): void {
  const x = m.ftz && from === f32 ? `flush(${w.number(a, from)})` : w.number(a, from);
  const how = roundingOf(m, "rz");
  // NaN of f64 gives the top bit.
  const nan = from === f64 ? 2 ** (to.bits - 1) : 0;
  if (isWide(to)) w.setLong(d, `toInteger64(${x},${how},${isSigned(to)})`);
  else w.setInt(d, to, `toInteger(${x},${how},${least(to)},${most(to)},${nan})`);
}

function integerToFloat(w: Writer, d: Value, a: Value, from: DataType, to: DataType, m: Modifiers): void {
  if (isWide(from)) {
    const halves = w.halves(a);
    const name = isSigned(from) ? "s64ToF64" : "u64ToF64";
    const how = roundingOf(m, "rn");
    const double = how === '"rn"' ? `${name}(${halves})` : `longToF64(${halves},${isSigned(from)},${how})`;
    setRounded(w, d, to, m, to === f64 ? double : `sticky64(${halves},${isSigned(from)})`);
  } else setRounded(w, d, to, m, isSigned(from) ? w.int(a, from) : w.unsigned(a, from));
}

function integerToInteger(w: Writer, d: Value, a: Value, from: DataType, to: DataType, m: Modifiers): void {
  const halves = (): readonly [string, string] => {
    if (isWide(from)) return w.halves(a);
    const low = w.keep(w.int(a, from));
    return [low, isSigned(from) ? `${low}>>31` : "0"];
  };
  if (m.sat) {
    const low = `saturate64(${halves()},${isSigned(from)},${least(to)}n,${most(to)}n)`;
    if (isWide(to)) w.setLong(d, low);
    else w.setInt(d, to, low);
  } else if (isWide(to)) w.setHalves(d, ...halves());
  else w.setInt(d, to, from.bits < 32 ? w.int(a, from) : w.word(a));
}

const cvt: Rule = (w, [d, a], m, i) => {
  const [to, from] = [typeIn(i, "to"), typeIn(i, "from")];
  if (from.kind === "float") (to.kind === "float" ? floatToFloat : floatToInteger)(w, d, a, from, to, m);
  else (to.kind === "float" ? integerToFloat : integerToInteger)(w, d, a, from, to, m);
};

const relu = (m: Modifiers, x: string): string => (m.relu ? `(${x}>0||${x}!==${x}?${x}:0)` : x);
/** The type of each of two floats of 8 bits. */
const eight = ({ element }: DataType): string | undefined => (element?.bits === 8 ? element.name : undefined);

/** The first source becomes the upper half. */
const pair: Rule = (w, [d, a, b], m, i) => {
  const to = typeIn(i, "to");
  const [high, low] = [a, b].map((o) => relu(m, w.keep(w.number(o, f32))));
  const format = eight(to);
  if (format) return w.setInt(d, b16, `${format}Bits(${low})|${format}Bits(${high})<<8`);
  const half = to.element?.name;
  const bits = (x: string | undefined) => `${half}BitsRounded(${x},${roundingOf(m, "rn")},${Boolean(m.satfinite)})`;
  w.setInt(d, b32, `${bits(low)}|${bits(high)}<<16`);
};

const fp8: Rule = (w, [d, a], m, i) => {
  const [to, from] = [typeIn(i, "to"), typeIn(i, "from")];
  const word = w.keep(w.word(a));
  const source = eight(from);
  if (source) {
    const half = (shift: number) => `f16Bits(${relu(m, `${source}Value(${word}>>>${shift}&255)`)})`;
    w.setInt(d, b32, `${half(0)}|${half(8)}<<16`);
  } else {
    const byte = (shift: number) => `${eight(to)}Bits(${relu(m, `f16Value(${word}>>>${shift}&65535)`)})`;
    w.setInt(d, b16, `${byte(0)}|${byte(16)}<<8`);
  }
};

const tf32: Rule = (w, [d, a], m) => {
  const x = relu(m, w.keep(w.number(a, f32)));
  w.setInt(d, b32, `tf32Bits(${x},"${m.round}",${Boolean(m.satfinite)})`);
};

/** The first source over the second, over the bits of the third. */
const pack: Rule = (w, [d, a, b, c], _, i) => {
  const to = typeIn(i, "to");
  w.setInt(d, b32, `packClamped(${w.word(a)},${w.word(b)},${c ? w.word(c) : "0"},${to.bits},${isSigned(to)})`);
};

export const convertRules: Rules = {
  cvt,
  "cvt.half": (w, [d, a], m, i) => setRounded(w, d, typeIn(i, "to"), m, relu(m, w.keep(w.number(a, f32)))),
  "cvt.pair": pair,
  "cvt.fp8": fp8,
  "cvt.tf32": tf32,
  "cvt.pack": pack,
};
