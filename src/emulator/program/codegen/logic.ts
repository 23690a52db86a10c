/** Comparison, selection, logic, shifts (PTX ISA 9.7.6–9.7.8). */

import type { Operand } from "../../../ptx/parse/index.ts";
import { b32, bf16, type DataType, f16, f32, f64, pred, u16 } from "../../../ptx/parse/index.ts";
import { joinOf } from "./choices.ts";
import { isSigned, isWide, type Modifiers, type Rule, type Rules, typeIn } from "./rule.ts";
import type { Writer } from "./writer.ts";

type Value = Operand | undefined;

const operators: Readonly<Record<string, string>> = { eq: "===", ne: "!==", lt: "<", le: "<=", gt: ">", ge: ">=" };
/** `lo` and the like are the unsigned ones. */
const unsignedNames: Readonly<Record<string, string>> = { lo: "lt", ls: "le", hi: "gt", hs: "ge" };

function compareFloats(w: Writer, a: Value, b: Value, type: DataType, is: string, m: Modifiers): string {
  const flush = type === f16 ? "flushHalf" : "flush";
  const one = (o: Value) => (m.ftz && type !== f64 ? `${flush}(${w.number(o, type)})` : w.number(o, type));
  return compareNumbers(one(a), one(b), is);
}

function compareNumbers(x: string, y: string, is: string): string {
  if (is === "num") return `${x}===${x}&&${y}===${y}`;
  if (is === "nan") return `${x}!==${x}||${y}!==${y}`;
  const unordered = is.length === 3;
  const operator = operators[is.slice(0, 2)];
  // Ordered comparisons are false where one is NaN; so are JavaScript's, but for !==.
  const test = `${x}${operator}${y}`;
  if (unordered) return `(${test})||${x}!==${x}||${y}!==${y}`;
  return is === "ne" ? `(${test})&&${x}===${x}&&${y}===${y}` : test;
}

/** Of packed floats: the lower halves, then the upper ones. */
function comparePacked(w: Writer, a: Value, b: Value, type: DataType, m: Modifiers): readonly [string, string] {
  const half = type.element ?? type;
  const [x, y] = [w.keep(w.word(a)), w.keep(w.word(b))];
  const one = (word: string, shift: number) => {
    const value = `${half.name}Value(${word}>>>${shift}&65535)`;
    return w.keep(m.ftz && half === f16 ? `flushHalf(${value})` : value);
  };
  const both = (shift: number) => w.keep(compareNumbers(one(x, shift), one(y, shift), m.is ?? "eq"));
  return [both(0), both(16)];
}

function compareWide(w: Writer, a: Value, b: Value, signed: boolean, is: string): string {
  const [x, y] = [w.halves(a), w.halves(b)];
  const equal = `(${x[0]}|0)===(${y[0]}|0)&&(${x[1]}|0)===(${y[1]}|0)`;
  if (is === "eq") return equal;
  if (is === "ne") return `!(${equal})`;
  const less = `less64${signed ? "S" : "U"}`;
  if (is === "lt") return `${less}(${x},${y})`;
  if (is === "ge") return `!${less}(${x},${y})`;
  return is === "gt" ? `${less}(${y},${x})` : `!${less}(${y},${x})`;
}

function compare(w: Writer, a: Value, b: Value, type: DataType, m: Modifiers): string {
  const given = m.is ?? "eq";
  if (type.kind === "float") return compareFloats(w, a, b, type, given, m);
  const is = unsignedNames[given] ?? given;
  const signed = isSigned(type) && given === is;
  if (isWide(type)) return compareWide(w, a, b, signed, is);
  const read = (o: Value) => (signed ? w.int(o, type) : w.unsigned(o, type.bits === 16 ? u16 : type));
  return `${read(a)}${operators[is]}${read(b)}`;
}

const combiners: Readonly<Record<string, (x: string, y: string) => string>> = {
  and: (x, y) => `(${x})&&(${y})`,
  or: (x, y) => `(${x})||(${y})`,
  xor: (x, y) => `!(${x})!==!(${y})`,
};

/** What `.and`, `.or` and `.xor` make of a result and a predicate. */
function combined(w: Writer, m: Modifiers, c: Value): (result: string) => string {
  const combine = m.combine ? combiners[m.combine] : undefined;
  if (!combine) return (result) => result;
  const by = w.keep(w.predicate(c));
  return (result) => combine(result, by);
}

/** A predicate of two, each of which a watched launch keeps. */
function joinPredicates(w: Writer, d: Value, by: "and" | "or", left: string, right: string): void {
  const [first, second] = [w.choice(left), w.choice(right)];
  w.setPredicate(d, `!!(${first})${by === "and" ? "&" : "|"}!!(${second})`);
}

/** The second result is the opposite; of packed floats, that of the upper halves. */
const setp: Rule = (w, [d, a, b, c], m, i) => {
  const type = typeIn(i);
  const packed = type.lanes === 2;
  const joins = joinOf(i);
  if (joins) {
    const [left] = packed ? comparePacked(w, a, b, type, m) : [compare(w, a, b, type, m)];
    return joinPredicates(w, d, joins, left, w.predicate(c));
  }
  const [first, second] = packed ? comparePacked(w, a, b, type, m) : [w.keep(compare(w, a, b, type, m)), undefined];
  const join = combined(w, m, c);
  if (d?.kind !== "pair") return w.setPredicate(d, join(first));
  w.setPredicate(d.first, join(first));
  w.setPredicate(d.second, join(second ?? `!(${first})`));
};

const set: Rule = (w, [d, a, b, c], m, i) => {
  const [to, from] = [typeIn(i, "to"), typeIn(i, "from")];
  const join = combined(w, m, c);
  if (from.lanes === 2) {
    const [low, high] = comparePacked(w, a, b, from, m);
    const one = to.element === f16 ? "0x3c00" : to.element === bf16 ? "0x3f80" : "0xffff";
    return w.setInt(d, b32, `((${join(low)})?${one}:0)|((${join(high)})?${one}:0)<<16`);
  }
  const holds = join(compare(w, a, b, from, m));
  if (to.kind === "float") w.setNumber(d, to, `(${holds})?1:0`);
  else w.setInt(d, to, `(${holds})?-1:0`);
};

/** Chooses between two values of a type. */
function choose(w: Writer, d: Value, type: DataType, condition: string, a: Value, b: Value): void {
  if (isWide(type)) {
    const [x, y] = [w.halves(a), w.halves(b)];
    const holds = w.keep(condition);
    w.setHalves(d, `${holds}?${x[0]}:${y[0]}`, `${holds}?${x[1]}:${y[1]}`);
  } else if (type === f32) w.setNumber(d, type, `${condition}?${w.number(a, type)}:${w.number(b, type)}`);
  else w.setInt(d, b32, `${condition}?${w.word(a)}:${w.word(b)}`);
}

const slct: Rule = (w, [d, a, b, c], m, i) => {
  const by = typeIn(i, "by");
  choose(w, d, typeIn(i), by === f32 ? `(${m.ftz ? "flush" : ""}(${w.number(c, by)})>=0)` : `(${w.word(c)}>=0)`, a, b);
};

const bitwise =
  (operator: string): Rule =>
  (w, [d, a, b], _, i) => {
    const type = typeIn(i);
    const joins = joinOf(i);
    if (joins) return joinPredicates(w, d, joins, w.predicate(a), w.predicate(b));
    if (type === pred) return w.setPredicate(d, `!!${w.predicate(a)}${operator}!!${w.predicate(b)}`);
    if (!isWide(type)) return w.setInt(d, type, `${w.word(a)}${operator}${w.word(b)}`);
    const [x, y] = [w.halves(a), w.halves(b)];
    w.setHalves(d, `${x[0]}${operator}${y[0]}`, `${x[1]}${operator}${y[1]}`);
  };

const not: Rule = (w, [d, a], _, i) => {
  const type = typeIn(i);
  if (type === pred) return w.setPredicate(d, `!${w.predicate(a)}`);
  if (!isWide(type)) return w.setInt(d, type, `~${w.word(a)}`);
  const [low, high] = w.halves(a);
  w.setHalves(d, `~${low}`, `~${high}`);
};
const cnot: Rule = (w, [d, a], _, i) => {
  const type = typeIn(i);
  if (!isWide(type)) return w.setInt(d, type, `${w.int(a, type)}===0?1:0`);
  w.setHalves(d, `(${w.halves(a).join("|")})===0?1:0`, "0");
};

/** The number of bits of a shift, where it is given and smaller than a word. */
const shiftOf = (b: Value): number | undefined => {
  const by = b?.kind === "int" ? Number(BigInt.asUintN(32, b.value)) : 32;
  return by < 32 ? by : undefined;
};

/** A shift of 16 bits is one of 32: what it shifts in from above is zero, or the sign. */
const shl: Rule = (w, [d, a, b], _, i) => {
  const type = typeIn(i);
  const by = shiftOf(b);
  if (isWide(type) && by) {
    const [low, high] = w.halves(a);
    w.setHalves(d, `${low}<<${by}`, `${high}<<${by}|${low}>>>${32 - by}`);
  } else if (isWide(type)) w.setLong(d, `shl64(${w.halves(a)},${w.word(b)})`);
  else if (by !== undefined) w.setInt(d, type, `${w.int(a, type)}<<${by}`);
  else w.setInt(d, type, `shl32(${w.int(a, type)},${w.word(b)})`);
};
const shr: Rule = (w, [d, a, b], _, i) => {
  const type = typeIn(i);
  const kind = isSigned(type) ? "S" : "U";
  const by = shiftOf(b);
  if (isWide(type) && by) {
    const [low, high] = w.halves(a);
    w.setHalves(d, `${low}>>>${by}|${high}<<${32 - by}`, `${high}${kind === "S" ? ">>" : ">>>"}${by}`);
  } else if (isWide(type)) w.setLong(d, `shr${kind}64(${w.halves(a)},${w.word(b)})`);
  else if (by !== undefined) w.setInt(d, type, `${w.int(a, type)}${kind === "S" ? ">>" : ">>>"}${by}`);
  else w.setInt(d, type, `shr${kind}32(${w.int(a, type)},${w.word(b)})`);
};
const shf: Rule = (w, [d, a, b, c], m) => {
  const helper = m.direction === "l" ? "funnelLeft" : "funnelRight";
  w.setInt(d, b32, `${helper}(${w.word(a)},${w.word(b)},${w.word(c)},${m.mode === "clamp"})`);
};
const prmt: Rule = (w, [d, a, b, c], m) => {
  const operands = [w.word(a), w.word(b), w.word(c)];
  w.setInt(d, b32, m.mode ? `permuteBy(${operands},"${m.mode}")` : `permute(${operands})`);
};
const table = (w: Writer, [a, b, c, bits]: readonly Value[]): string =>
  `lop3(${w.word(a)},${w.word(b)},${w.word(c)},${w.word(bits)})`;
/** The predicate: whether the result is not zero, joined with another (PTX ISA 9.7.8.6). */
const lop3WithPredicate: Rule = (w, [d, a, b, c, bits, q], m) => {
  if (d?.kind !== "pair") return;
  const other = w.keep(w.predicate(q));
  const result = w.keep(table(w, [a, b, c, bits]));
  w.setInt(d.first, b32, result);
  w.setPredicate(d.second, combiners[m.combine ?? ""]?.(`${result}!==0`, other) ?? "0");
};

export const logicRules: Rules = {
  setp,
  set,
  selp: (w, [d, a, b, c], _, i) => choose(w, d, typeIn(i), w.choice(w.predicate(c)), a, b),
  slct,
  and: bitwise("&"),
  or: bitwise("|"),
  xor: bitwise("^"),
  not,
  cnot,
  lop3: (w, [d, ...rest]) => w.setInt(d, b32, table(w, rest)),
  "lop3.pred": lop3WithPredicate,
  shl,
  shr,
  shf,
  prmt,
};
