/** Integer arithmetic (PTX ISA 9.7.1, 9.7.2). */

import type { Instruction } from "../../../ptx/parse/index.ts";
import { b32, type DataType, doubled, u32 } from "../../../ptx/parse/index.ts";
import { isSigned, isWide, type Modifiers, type Operands, type Rule, type Rules, typeIn } from "./rule.ts";
import type { Halves, Writer } from "./writer.ts";

type Value = Operands[number];

/** A rule by expression for up to 32 bits, and by the helper for 64. */
function binary(small: (a: string, b: string, type: DataType) => string, helper: (type: DataType) => string): Rule {
  return (w, [d, a, b], m, i) => {
    const type = typeIn(i);
    if (type.lanes === 2) return pairwise(w, d, [a, b], type, (x, y) => small(x, y, type));
    if (isWide(type)) w.setLong(d, `${helper(type)}(${w.halves(a)},${w.halves(b)})`);
    else w.setInt(d, type, clamped(m, small(w.int(a, type), w.int(b, type), type)));
  };
}

/** x + y and x - y of 64 bits. */
function sum64(w: Writer, [al, ah]: Halves, [bl, bh]: Halves): Halves {
  const low = w.keep(`(${al}+${bl})|0`);
  return [low, `(${ah}+${bh}+((${low}>>>0)<(${al}>>>0)?1:0))|0`];
}
const difference64 = (_: Writer, [al, ah]: Halves, [bl, bh]: Halves): Halves => [
  `(${al}-${bl})|0`,
  `(${ah}-${bh}-((${al}>>>0)<(${bl}>>>0)?1:0))|0`,
];
const addition =
  (small: (a: string, b: string) => string, wide: (w: Writer, a: Halves, b: Halves) => Halves): Rule =>
  (w, o, m, i) => {
    if (isWide(typeIn(i))) w.setHalves(o[0], ...wide(w, w.halves(o[1]), w.halves(o[2])));
    else binary(small, () => "")(w, o, m, i);
  };

/** `.sat`, which only s32 has. */
const clamped = (m: Modifiers, sum: string): string => (m.sat ? `Math.max(-2147483648,Math.min(2147483647,${sum}))` : sum);

/** The two 16-bit numbers of each word. */
function pairwise(w: Writer, d: Value, sources: readonly Value[], type: DataType, result: (...values: string[]) => string): void {
  const words = sources.map((o) => w.keep(w.word(o)));
  const parts = words.map((word) => [
    isSigned(type) ? `(${word}<<16>>16)` : `(${word}&65535)`,
    isSigned(type) ? `(${word}>>16)` : `(${word}>>>16)`,
  ]);
  const one = (part: number) => w.keep(result(...parts.map((both) => both[part] ?? "0")));
  const [low, high] = [one(0), one(1)];
  w.setInt(d, b32, `(${low})&65535|(${high})<<16`);
}

const signedHelper = (name: string) => (type: DataType) => `${name}${isSigned(type) ? "S" : "U"}`;

function product(w: Writer, a: Value, b: Value, type: DataType, half: string | undefined): string {
  const [x, y] = [w.int(a, type), w.int(b, type)];
  if (half === "lo") return `Math.imul(${x},${y})`;
  return type.bits === 16 ? `(Math.imul(${x},${y})>>16)` : `mulHigh${isSigned(type) ? "S" : "U"}(${x},${y})`;
}
const product64 = (w: Writer, a: Value, b: Value, type: DataType, half: string | undefined): string =>
  `${half === "lo" ? "mul64" : signedHelper("mulHigh64")(type)}(${w.halves(a)},${w.halves(b)})`;

/** Twice as wide: the product of 16 bits. */
const product16 = (w: Writer, a: Value, b: Value, type: DataType): string => `Math.imul(${w.int(a, type)},${w.int(b, type)})`;

/** Of 32 bits. The double is off by less than 2 ** 11, and so tells the upper word once the lower one is taken away. */
function wideProduct(w: Writer, a: Value, b: Value, type: DataType): Halves {
  const [x, y] = isSigned(type) ? [w.int(a, type), w.int(b, type)] : [w.unsigned(a, type), w.unsigned(b, type)];
  const low = w.keep(`Math.imul(${x},${y})`);
  return [low, `Math.floor((${x}*${y}-(${low}>>>0))/4294967296+0.5)|0`];
}

const mul: Rule = (w, [d, a, b], m, i) => {
  const type = typeIn(i);
  if (isWide(type)) w.setLong(d, product64(w, a, b, type, m.half));
  else w.setInt(d, type, product(w, a, b, type, m.half));
};
const mad: Rule = (w, [d, a, b, c], m, i) => {
  const type = typeIn(i);
  if (!isWide(type)) return w.setInt(d, type, clamped(m, `${product(w, a, b, type, m.half)}+${w.int(c, type)}`));
  const low = w.keep(product64(w, a, b, type, m.half));
  const high = w.keep("upper[0]");
  w.setLong(d, `add64(${low},${high},${w.halves(c)})`);
};
const mulWide: Rule = (w, [d, a, b], _, i) => {
  const type = typeIn(i);
  if (type.bits === 16) w.setInt(d, doubled(type), product16(w, a, b, type));
  else w.setHalves(d, ...wideProduct(w, a, b, type));
};
const madWide: Rule = (w, [d, a, b, c], _, i) => {
  const type = typeIn(i);
  if (type.bits === 16) return w.setInt(d, doubled(type), `${product16(w, a, b, type)}+${w.word(c)}`);
  const [low, high] = wideProduct(w, a, b, type);
  w.setHalves(d, ...sum64(w, [low, w.keep(high)], w.halves(c)));
};

const divide = (name: string): Rule =>
  binary((a, b, type) => `${signedHelper(name)(type)}(${a},${b})`, signedHelper(`${name}64`));

const extreme =
  (more: boolean): Rule =>
  (w, [d, a, b], m, i) => {
    const type = typeIn(i);
    const result = (x: string, y: string) => {
      const found = `Math.${more ? "max" : "min"}(${x},${y})`;
      return m.relu ? `Math.max(${found},0)` : found;
    };
    if (type.lanes === 2) return pairwise(w, d, [a, b], type, result);
    if (isWide(type)) {
      const [x, y] = [w.halves(a), w.halves(b)];
      const less = w.keep(`${signedHelper("less64")(type)}(${more ? y : x},${more ? x : y})`);
      return w.setHalves(d, `${less}?${x[0]}:${y[0]}`, `${less}?${x[1]}:${y[1]}`);
    }
    const read = (o: Value) => (isSigned(type) ? w.int(o, type) : w.unsigned(o, type));
    w.setInt(d, type, result(read(a), read(b)));
  };

/** x + y or x - y with the carry in `w.carry`, one for each lane: taken where the instruction `takes` it, left where it says `.cc`. */
function carried(w: Writer, d: Value, type: DataType, add: boolean, takes: boolean, gives: boolean, x: string, y: string): void {
  const rest = takes ? "w.carry[l]" : "0";
  if (isWide(type)) {
    const low = w.keep(`${add ? "addCarry64" : "subBorrow64"}(${x},${y},${rest})`);
    if (gives) w.line("w.carry[l]=carryOut[0];");
    w.setLong(d, low);
    return;
  }
  const sum = w.keep(add ? `${x}+${y}+${rest}` : `${x}-${y}-${rest}`);
  if (gives) w.line(`w.carry[l]=${add ? `${sum}>4294967295` : `${sum}<0`}?1:0;`);
  w.setInt(d, type, sum);
}
const whole = (w: Writer, o: Value, type: DataType): string => (isWide(type) ? w.halves(o).join() : w.unsigned(o, type));

const sumWithCarry =
  (add: boolean, takes: boolean): Rule =>
  (w, [d, a, b], m, i) => {
    const type = typeIn(i);
    carried(w, d, type, add, takes, !takes || Boolean(m.cc), whole(w, a, type), whole(w, b, type));
  };
/** The half of the product is the first addend. */
const madWithCarry =
  (takes: boolean): Rule =>
  (w, [d, a, b, c], m, i) => {
    const type = typeIn(i);
    const low = w.keep(isWide(type) ? product64(w, a, b, type, m.half) : `${product(w, a, b, type, m.half)}>>>0`);
    const first = isWide(type) ? `${low},${w.keep("upper[0]")}` : low;
    carried(w, d, type, true, takes, !takes || Boolean(m.cc), first, whole(w, c, type));
  };

const negate: Rule = (w, [d, a], _, i) => {
  const type = typeIn(i);
  if (isWide(type)) w.setLong(d, `sub64(0,0,${w.halves(a)})`);
  else w.setInt(d, type, `-${w.int(a, type)}`);
};
const absolute: Rule = (w, [d, a], _, i) => {
  const type = typeIn(i);
  if (!isWide(type)) return w.setInt(d, type, `Math.abs(${w.int(a, type)})`);
  const [low, high] = w.halves(a);
  const sign = w.keep(`${high}>>31`);
  w.setLong(d, `sub64(${low}^${sign},${high}^${sign},${sign},${sign})`);
};

const countOnes: Rule = (w, [d, a], _, i) => {
  const [low, high] = w.halves(a);
  w.setInt(d, u32, isWide(typeIn(i)) ? `popc32(${low})+popc32(${high})` : `popc32(${w.word(a)})`);
};
const countZeros: Rule = (w, [d, a], _, i) => {
  const [low, high] = w.halves(a);
  w.setInt(d, u32, isWide(typeIn(i)) ? `(${high}!==0?clz32(${high}):32+clz32(${low}))` : `clz32(${w.word(a)})`);
};
const reverse: Rule = (w, [d, a], _, i) => {
  const [low, high] = w.halves(a);
  if (isWide(typeIn(i))) w.setHalves(d, `reverse32(${high})`, `reverse32(${low})`);
  else w.setInt(d, b32, `reverse32(${w.word(a)})`);
};
const findTop: Rule = (w, [d, a], m, i) => {
  const type = typeIn(i);
  const [low, high] = isWide(type) ? w.halves(a) : [w.word(a), "0"];
  const top = isWide(type) ? high : low;
  const flip = w.keep(isSigned(type) ? `${top}>>31` : "0");
  const zeros = w.keep(isWide(type) ? `clz64(${low}^${flip},${high}^${flip})` : `clz32(${low}^${flip})`);
  const bits = isWide(type) ? 64 : 32;
  w.setInt(d, u32, `${zeros}===${bits}?-1:${m.shiftamt ? zeros : `${bits - 1}-${zeros}`}`);
};

const extract: Rule = (w, [d, a, b, c], _, i) => {
  const type = typeIn(i);
  if (isWide(type)) w.setLong(d, `extractBits64(${w.halves(a)},${w.word(b)},${w.word(c)},${isSigned(type)})`);
  else w.setInt(d, type, `extractBits(${w.word(a)},${w.word(b)},${w.word(c)},${isSigned(type)})`);
};
const insert: Rule = (w, [d, a, b, c, e], _, i) => {
  if (isWide(typeIn(i))) w.setLong(d, `insertBits64(${w.halves(a)},${w.halves(b)},${w.word(c)},${w.word(e)})`);
  else w.setInt(d, b32, `insertBits(${w.word(a)},${w.word(b)},${w.word(c)},${w.word(e)})`);
};
const distance: Rule = (w, [d, a, b, c], _, i) => {
  const type = typeIn(i);
  if (isWide(type)) return w.setLong(d, `${signedHelper("distance64")(type)}(${w.halves(a)},${w.halves(b)},${w.halves(c)})`);
  const read = (o: Value) => (isSigned(type) ? w.int(o, type) : w.unsigned(o, type));
  w.setInt(d, type, `Math.abs(${read(a)}-${read(b)})+${w.int(c, type)}`);
};
const product24 = (w: Writer, [, a, b]: Operands, m: Modifiers, i: Instruction): string => {
  const by = isSigned(typeIn(i)) ? ">>" : ">>>";
  const factor = (o: Value) => `(${w.word(o)}<<8${by}8)`;
  return m.half === "lo" ? `Math.imul(${factor(a)},${factor(b)})` : `Math.floor(${factor(a)}*${factor(b)}/65536)`;
};
/** The fields of so many bits of a word, lowest first. */
function fieldsOf(w: Writer, o: Value, type: DataType, bits: number): readonly string[] {
  const word = w.keep(w.word(o));
  const mask = 2 ** bits - 1;
  return Array.from({ length: 32 / bits }, (_, i) =>
    isSigned(type) ? `(${word}<<${32 - bits * (i + 1)}>>${32 - bits})` : `(${word}>>>${bits * i}&${mask})`,
  );
}
const dot = (w: Writer, [d, , , c]: Operands, x: readonly string[], y: readonly string[]): void =>
  w.setInt(d, b32, `${w.word(c)}+${x.map((field, i) => `${field}*${y[i]}`).join("+")}`);
const dot4: Rule = (w, o, _, i) => dot(w, o, fieldsOf(w, o[1], typeIn(i, "a"), 8), fieldsOf(w, o[2], typeIn(i, "b"), 8));
/** Two 16-bit numbers by the lower or upper two bytes. */
const dot2: Rule = (w, o, m, i) => {
  const bytes = fieldsOf(w, o[2], typeIn(i, "b"), 8);
  dot(w, o, fieldsOf(w, o[1], typeIn(i, "a"), 16), m.half === "lo" ? bytes.slice(0, 2) : bytes.slice(2));
};
/** Distances of bytes, side by side or summed up (PTX ISA 9.7.18.2). */
const distances4: Rule = (w, o, m, i) => {
  const [x, y] = [fieldsOf(w, o[1], typeIn(i, "a"), 8), fieldsOf(w, o[2], typeIn(i, "b"), 8)];
  const most = isSigned(typeIn(i, "d")) ? 127 : 255;
  const apart = x.map((field, i) => {
    const distance = `Math.abs(${field}-${y[i]})`;
    return m.sat ? `Math.min(${distance},${most})` : distance;
  });
  if (m.add) w.setInt(o[0], b32, `${w.word(o[3])}+${apart.join("+")}`);
  else w.setInt(o[0], b32, apart.map((one, i) => `(${one}&255)<<${8 * i}`).join("|"));
};
const mad24: Rule = (w, o, m, i) => w.setInt(o[0], typeIn(i), clamped(m, `${product24(w, o, m, i)}+${w.word(o[3])}`));

export const integerRules: Rules = {
  add: addition((a, b) => `${a}+${b}`, sum64),
  sub: addition((a, b) => `${a}-${b}`, difference64),
  mul,
  mad,
  "mul.wide": mulWide,
  "mad.wide": madWide,
  mul24: (w, o, m, i) => w.setInt(o[0], typeIn(i), product24(w, o, m, i)),
  mad24,
  div: divide("div"),
  rem: divide("rem"),
  min: extreme(false),
  max: extreme(true),
  neg: negate,
  abs: absolute,
  "add.cc": sumWithCarry(true, false),
  addc: sumWithCarry(true, true),
  "sub.cc": sumWithCarry(false, false),
  subc: sumWithCarry(false, true),
  "mad.cc": madWithCarry(false),
  madc: madWithCarry(true),
  popc: countOnes,
  clz: countZeros,
  brev: reverse,
  bfind: findTop,
  bfe: extract,
  bfi: insert,
  sad: distance,
  vabsdiff4: distances4,
  dp4a: dot4,
  dp2a: dot2,
  fns: (w, [d, a, b, c]) => w.setInt(d, b32, `nthSet(${w.word(a)},${w.word(b)},${w.word(c)})`),
  szext: (w, [d, a, b], m, i) =>
    w.setInt(d, typeIn(i), `extend(${w.word(a)},${w.word(b)},${m.mode === "clamp"},${isSigned(typeIn(i))})`),
  bmsk: (w, [d, a, b], m) => w.setInt(d, b32, `bitMask(${w.word(a)},${w.word(b)},${m.mode === "clamp"})`),
};
