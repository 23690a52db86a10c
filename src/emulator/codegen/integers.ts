/** Integer arithmetic (PTX ISA 9.7.1). */
import { isSigned, isWide, type Modifiers, type Operands, type Rule, type Rules, typeIn } from "./rule.ts";
import { Unsupported } from "./unsupported.ts";
import type { Writer } from "./writer.ts";

/** A rule by expression for up to 32 bits, and by the helper for 64. */
function binary(small: (a: string, b: string, type: string) => string, helper: (type: string) => string): Rule {
  return (w, [d, a, b], m) => {
    const type = typeIn(m);
    if (m.sat || m.relu || type.endsWith("x2")) return special(w, [d, a, b], m, type);
    if (isWide(type)) w.setLong(d, `${helper(type)}(${w.halves(a)},${w.halves(b)})`);
    else w.setInt(d, type, small(w.int(a, type), w.int(b, type), type));
  };
}

/** `add.sat.s32` and `sub.sat.s32`; nothing else of the packed forms. */
function special(w: Writer, [d, a, b]: Operands, m: Modifiers, type: string): void {
  if (!(m.sat && type === "s32")) throw new Unsupported(`packed or saturated integers of the type ${type}`);
  w.setInt(d, type, `Math.max(-2147483648,Math.min(2147483647,${w.int(a, type)}+${w.int(b, type)}))`);
}

const signedHelper = (name: string) => (type: string) => `${name}${isSigned(type) ? "S" : "U"}`;
const wideName: Readonly<Record<string, string>> = { u16: "u32", s16: "s32", u32: "u64", s32: "s64" };

function product(w: Writer, a: Operands[number], b: Operands[number], type: string, half: string | undefined): string {
  const [x, y] = [w.int(a, type), w.int(b, type)];
  if (half === "lo") return `Math.imul(${x},${y})`;
  return type.endsWith("16") ? `(Math.imul(${x},${y})>>16)` : `mulHigh${isSigned(type) ? "S" : "U"}(${x},${y})`;
}
const product64 = (w: Writer, a: Operands[number], b: Operands[number], type: string, half: string | undefined): string =>
  `${half === "lo" ? "mul64" : signedHelper("mulHigh64")(type)}(${w.halves(a)},${w.halves(b)})`;

/** A product twice as wide, as halves of 64 bits or one word. */
const wideProduct = (w: Writer, a: Operands[number], b: Operands[number], type: string): string =>
  type.endsWith("16")
    ? `Math.imul(${w.int(a, type)},${w.int(b, type)})`
    : `${signedHelper("mulWide")(type)}(${w.int(a, type)},${w.int(b, type)})`;

const mul: Rule = (w, [d, a, b], m) => {
  const type = typeIn(m);
  if (isWide(type)) w.setLong(d, product64(w, a, b, type, m.half));
  else w.setInt(d, type, product(w, a, b, type, m.half));
};
const mad: Rule = (w, [d, a, b, c], m) => {
  const type = typeIn(m);
  if (m.sat) throw new Unsupported("mad.sat");
  if (!isWide(type)) return w.setInt(d, type, `${product(w, a, b, type, m.half)}+${w.int(c, type)}`);
  const low = w.keep(product64(w, a, b, type, m.half));
  const high = w.keep("upper[0]");
  w.setLong(d, `add64(${low},${high},${w.halves(c)})`);
};
const mulWide: Rule = (w, [d, a, b], m) => {
  const type = typeIn(m);
  if (type.endsWith("16")) w.setInt(d, wideName[type] ?? type, wideProduct(w, a, b, type));
  else w.setLong(d, wideProduct(w, a, b, type));
};
const madWide: Rule = (w, [d, a, b, c], m) => {
  const type = typeIn(m);
  if (type.endsWith("16")) return w.setInt(d, wideName[type] ?? type, `${wideProduct(w, a, b, type)}+${w.word(c)}`);
  const low = w.keep(wideProduct(w, a, b, type));
  const high = w.keep("upper[0]");
  w.setLong(d, `add64(${low},${high},${w.halves(c)})`);
};

const divide = (name: string): Rule =>
  binary((a, b, type) => `${signedHelper(name)(type)}(${a},${b})`, signedHelper(`${name}64`));

const extreme =
  (more: boolean): Rule =>
  (w, [d, a, b], m) => {
    const type = typeIn(m);
    if (m.relu || type.endsWith("x2")) throw new Unsupported(`packed or clamped integers of the type ${type}`);
    if (isWide(type)) {
      const [x, y] = [w.halves(a), w.halves(b)];
      const less = w.keep(`${signedHelper("less64")(type)}(${more ? y : x},${more ? x : y})`);
      return w.setHalves(d, `${less}?${x[0]}:${y[0]}`, `${less}?${x[1]}:${y[1]}`);
    }
    const read = (o: Operands[number]) => (isSigned(type) ? w.int(o, type) : w.unsigned(o, type));
    w.setInt(d, type, `Math.${more ? "max" : "min"}(${read(a)},${read(b)})`);
  };

/** Addition and subtraction with the carry in `w.carry`, one for each lane. */
function carried(add: boolean, takes: boolean): Rule {
  return (w, [d, a, b], m, { opcode }) => {
    const type = typeIn(m);
    if (isWide(type)) throw new Unsupported(opcode.text);
    const rest = takes ? `w.carry[l]` : "0";
    const sum = w.keep(`${w.unsigned(a, type)}${add ? "+" : "-"}${w.unsigned(b, type)}${add ? "+" : "-"}${rest}`);
    if (!takes || m.cc) w.line(`w.carry[l]=${add ? `${sum}>4294967295` : `${sum}<0`}?1:0;`);
    w.setInt(d, type, sum);
  };
}

const negate: Rule = (w, [d, a], m) => {
  const type = typeIn(m);
  if (isWide(type)) w.setLong(d, `sub64(0,0,${w.halves(a)})`);
  else w.setInt(d, type, `-${w.int(a, type)}`);
};
const absolute: Rule = (w, [d, a], m) => {
  const type = typeIn(m);
  if (!isWide(type)) return w.setInt(d, type, `Math.abs(${w.int(a, type)})`);
  const [low, high] = w.halves(a);
  const sign = w.keep(`${high}>>31`);
  w.setLong(d, `sub64(${low}^${sign},${high}^${sign},${sign},${sign})`);
};

const countOnes: Rule = (w, [d, a], m) => {
  const [low, high] = w.halves(a);
  w.setInt(d, "u32", isWide(typeIn(m)) ? `popc32(${low})+popc32(${high})` : `popc32(${w.word(a)})`);
};
const countZeros: Rule = (w, [d, a], m) => {
  const [low, high] = w.halves(a);
  w.setInt(d, "u32", isWide(typeIn(m)) ? `(${high}!==0?clz32(${high}):32+clz32(${low}))` : `clz32(${w.word(a)})`);
};
const reverse: Rule = (w, [d, a], m) => {
  const [low, high] = w.halves(a);
  if (isWide(typeIn(m))) w.setHalves(d, `reverse32(${high})`, `reverse32(${low})`);
  else w.setInt(d, "b32", `reverse32(${w.word(a)})`);
};
const findTop: Rule = (w, [d, a], m) => {
  const type = typeIn(m);
  if (isWide(type)) throw new Unsupported("bfind of 64 bits");
  const value = w.keep(isSigned(type) ? `${w.word(a)}<0?~${w.word(a)}:${w.word(a)}` : w.word(a));
  w.setInt(d, "u32", `${value}===0?-1:${m.shiftamt ? `clz32(${value})` : `31-clz32(${value})`}`);
};

const extract: Rule = (w, [d, a, b, c], m) => {
  const type = typeIn(m);
  if (isWide(type)) w.setLong(d, `extractBits64(${w.halves(a)},${w.word(b)},${w.word(c)},${isSigned(type)})`);
  else w.setInt(d, type, `extractBits(${w.word(a)},${w.word(b)},${w.word(c)},${isSigned(type)})`);
};
const insert: Rule = (w, [d, a, b, c, e], m) => {
  if (isWide(typeIn(m))) w.setLong(d, `insertBits64(${w.halves(a)},${w.halves(b)},${w.word(c)},${w.word(e)})`);
  else w.setInt(d, "b32", `insertBits(${w.word(a)},${w.word(b)},${w.word(c)},${w.word(e)})`);
};
const distance: Rule = (w, [d, a, b, c], m) => {
  const type = typeIn(m);
  if (isWide(type)) throw new Unsupported("sad of 64 bits");
  const read = (o: Operands[number]) => (isSigned(type) ? w.int(o, type) : w.unsigned(o, type));
  w.setInt(d, type, `Math.abs(${read(a)}-${read(b)})+${w.int(c, type)}`);
};
const product24 = (w: Writer, [, a, b]: Operands, m: Modifiers): string => {
  const by = isSigned(typeIn(m)) ? ">>" : ">>>";
  const factor = (o: Operands[number]) => `(${w.word(o)}<<8${by}8)`;
  return m.half === "lo" ? `Math.imul(${factor(a)},${factor(b)})` : `Math.floor(${factor(a)}*${factor(b)}/65536)`;
};
const dot4: Rule = (w, [d, a, b, c], m) => {
  const bytes = (o: Operands[number], type: string) => {
    const word = w.keep(w.word(o));
    return [0, 8, 16, 24].map((at) => (isSigned(type) ? `(${word}<<${24 - at}>>24)` : `(${word}>>>${at}&255)`));
  };
  const [x, y] = [bytes(a, typeIn(m, "a")), bytes(b, typeIn(m, "b"))];
  w.setInt(d, "b32", `${w.word(c)}+${x.map((byte, i) => `${byte}*${y[i]}`).join("+")}`);
};

export const integerRules: Rules = {
  add: binary(
    (a, b) => `${a}+${b}`,
    () => "add64",
  ),
  sub: binary(
    (a, b) => `${a}-${b}`,
    () => "sub64",
  ),
  mul,
  mad,
  "mul.wide": mulWide,
  "mad.wide": madWide,
  mul24: (w, o, m) => w.setInt(o[0], typeIn(m), product24(w, o, m)),
  mad24: (w, o, m) => w.setInt(o[0], typeIn(m), `${product24(w, o, m)}+${w.word(o[3])}`),
  div: divide("div"),
  rem: divide("rem"),
  min: extreme(false),
  max: extreme(true),
  neg: negate,
  abs: absolute,
  "add.cc": carried(true, false),
  addc: carried(true, true),
  "sub.cc": carried(false, false),
  subc: carried(false, true),
  popc: countOnes,
  clz: countZeros,
  brev: reverse,
  bfind: findTop,
  bfe: extract,
  bfi: insert,
  sad: distance,
  dp4a: dot4,
};
