/** Loads, stores (PTX ISA 9.7.9), atomics (9.7.13). */

import type { Operand, Register, Scalar } from "../../../ptx/parse/index.ts";
import { b16, b32, b128, type DataType, f32, f64, u16, u32 } from "../../../ptx/parse/index.ts";
import { isSharedAccess } from "../communicates.ts";
import { storageOf } from "./layout.ts";
import { type MemoryOperand, memoryOperand } from "./memory-operand.ts";
import { isSigned, isWide, type Operands, type Rule, type Rules, typeIn } from "./rule.ts";
import { Unsupported } from "./unsupported.ts";
import type { Writer } from "./writer.ts";

const bytesOf = (type: DataType): number => type.bits / 8;

const itemsOf = (o: Operand | undefined): readonly Scalar[] =>
  o?.kind === "vector" ? o.items : o === undefined ? [] : [o as Scalar];
const isFloatRegister = (o: Operand | undefined): o is Register => o?.kind === "register" && storageOf(o.type) === "float";
const isDoubleRegister = (o: Operand | undefined): o is Register => o?.kind === "register" && storageOf(o.type) === "double";

/** The index of an element of some bytes in the view of its size, `at` bytes behind `offset`. */
const indexAt = (offset: string, at: number) => (size: number) =>
  `${at === 0 ? offset : `(${offset}+${at})`}>>>${Math.log2(size)}`;

function loadOne(w: Writer, d: Scalar, type: DataType, { view, offset }: MemoryOperand, at: number): void {
  const index = indexAt(offset, at);
  const bytes = bytesOf(type);
  if (bytes === 1) w.setInt(d, type, `${view("bytes")}[${index(1)}]`);
  else if (bytes === 2) w.setInt(d, isSigned(type) ? type : u16, `${view("u16")}[${index(2)}]`);
  else if (bytes === 4 && isFloatRegister(d)) w.setNumber(d, f32, `${view("f32")}[${index(4)}]`);
  else if (bytes === 4) w.setInt(d, isSigned(type) ? type : u32, `${view("i32")}[${index(4)}]`);
  else if (isDoubleRegister(d)) w.setNumber(d, f64, `${view("f64")}[${index(8)}]`);
  else if (bytes === 8) {
    const k = w.keep(index(4));
    w.setHalves(d, `${view("i32")}[${k}]`, `${view("i32")}[${k}+1]`);
  } else {
    const k = w.keep(index(4));
    w.setQuarters(
      d,
      [0, 1, 2, 3].map((n) => `${view("i32")}[${k}+${n}]`),
    );
  }
}

function storeOne(w: Writer, a: Scalar, type: DataType, { view, offset }: MemoryOperand, at: number): void {
  const index = indexAt(offset, at);
  const bytes = bytesOf(type);
  if (bytes === 1) w.line(`${view("bytes")}[${index(1)}]=${w.word(a)};`);
  else if (bytes === 2) w.line(`${view("u16")}[${index(2)}]=${w.word(a)};`);
  else if (bytes === 4 && isFloatRegister(a)) w.line(`${view("f32")}[${index(4)}]=${w.number(a, f32)};`);
  else if (bytes === 4)
    w.line(`${view("i32")}[${index(4)}]=${type === f32 && a.kind === "float" ? w.word({ ...a, type: "f32" }) : w.word(a)};`);
  else if (type === f64 && a.kind !== "register") w.line(`${view("f64")}[${index(8)}]=${w.number(a, f64)};`);
  else if (isDoubleRegister(a)) w.line(`${view("f64")}[${index(8)}]=${w.number(a, f64)};`);
  else if (bytes === 8) {
    const k = w.keep(index(4));
    const [low, high] = w.halves(a);
    w.line(`${view("i32")}[${k}]=${low};${view("i32")}[${k}+1]=${high};`);
  } else {
    const k = w.keep(index(4));
    w.quarters(a).forEach((word, n) => void w.line(`${view("i32")}[${k}+${n}]=${word};`));
  }
}

const ld: Rule = (w, [d, address], m, i) => {
  const type = typeIn(i);
  const items = itemsOf(d);
  const bytes = bytesOf(type);
  const from = memoryOperand(w, address, m.space, bytes * items.length, i, "read");
  for (const [n, item] of items.entries()) loadOne(w, item, type, from, n * bytes);
};

const st: Rule = (w, [address, a], m, i) => {
  const type = typeIn(i);
  const items = itemsOf(a);
  const bytes = bytesOf(type);
  const all = bytes * items.length;
  const to = memoryOperand(w, address, m.space, all, i, "write");
  const careful = w.careful && isSharedAccess(i);
  const change = to.tellChange || careful ? changing(w, to, all) : undefined;
  for (const [n, item] of items.entries()) storeOne(w, item, type, to, n * bytes);
  if (careful) w.line(`if(${change})w.noticed=true;`);
  if (change) to.tellChange?.(change);
};

/** What an atomic operation leaves, of up to 32 bits. `old` and `b` are signed or not as the type is. */
function combine(op: string, old: string, b: string): string {
  switch (op) {
    case "add":
      return `${old}+${b}`;
    case "min":
    case "max":
      return `Math.${op}(${old},${b})`;
    case "and":
      return `${old}&${b}`;
    case "or":
      return `${old}|${b}`;
    case "xor":
      return `${old}^${b}`;
    case "exch":
      return b;
    case "inc":
      return `${old}>=${b}?0:${old}+1`;
    case "dec":
      return `${old}===0||${old}>${b}?${b}:${old}-1`;
    default:
      throw new Unsupported(`the atomic operation ${op}`);
  }
}

function combineFloats(op: string, old: string, b: string): string {
  if (op === "add") return `${old}+${b}`;
  if (op === "min" || op === "max") return `${op}imum(${old},${b})`;
  if (op === "exch") return b;
  throw new Unsupported(`the atomic operation ${op} of floats`);
}

function combineWide(op: string, old: readonly [string, string], b: readonly [string, string], type: DataType): string {
  if (op === "add") return `add64(${old},${b})`;
  if (op === "exch") return `join64(${b})`;
  const bitwise = { and: "&", or: "|", xor: "^" }[op];
  if (bitwise) return `join64(${old[0]}${bitwise}${b[0]},${old[1]}${bitwise}${b[1]})`;
  if (op !== "min" && op !== "max") throw new Unsupported(`the atomic operation ${op} of 64 bits`);
  const less = `less64${isSigned(type) ? "S" : "U"}(${op === "min" ? old : b},${op === "min" ? b : old})`;
  return `${less}?join64(${old}):join64(${b})`;
}

/** Writes an atomic operation on one number, of which `d` gets the old value. */
type Atomic = (w: Writer, d: Operand | undefined, b: Operand | undefined, type: DataType, op: string, to: MemoryOperand) => void;

const atomicWide: Atomic = (w, d, b, type, op, { view, offset }) => {
  const k = w.keep(`${offset}>>>2`);
  const old = [w.keep(`${view("i32")}[${k}]`), w.keep(`${view("i32")}[${k}+1]`)] as const;
  const low = w.keep(combineWide(op, old, w.halves(b), type));
  w.line(`${view("i32")}[${k}]=${low};${view("i32")}[${k}+1]=upper[0];`);
  w.setHalves(d, ...old);
};

const atomicPacked: Atomic = (w, d, b, type, op, { view, offset }) => {
  const half = (type.element ?? type).name;
  const k = w.keep(`${offset}>>>2`);
  const [old, by] = [w.keep(`${view("i32")}[${k}]`), w.keep(w.word(b))];
  const one = (shift: number) => {
    const [x, y] = [old, by].map((word) => `${half}Value(${word}>>>${shift}&65535)`);
    return `${half}Bits(${combineFloats(op, x as string, y as string)})`;
  };
  w.line(`${view("i32")}[${k}]=${one(0)}|${one(16)}<<16;`);
  w.setInt(d, b32, old);
};

const atomicOf = (type: DataType): Atomic => {
  if (type.lanes === 2) return atomicPacked;
  if (type.kind === "float") return atomicFloat;
  if (type === b128) return exchangeQuad;
  return isWide(type) ? atomicWide : atomicWord;
};

const wordsAt = (w: Writer, { view, offset }: MemoryOperand): readonly string[] => {
  const k = w.keep(`${offset}>>>2`);
  return [0, 1, 2, 3].map((n) => `${view("i32")}[${k}+${n}]`);
};

/** `.exch`, the only operation of 128 bits but for `.cas`. */
const exchangeQuad: Atomic = (w, d, b, _type, _op, to) => {
  const words = wordsAt(w, to);
  const old = words.map((word) => w.keep(word));
  w.quarters(b).forEach((value, n) => void w.line(`${words[n]}=${value};`));
  w.setQuarters(d, old);
};

function swapQuad(w: Writer, [d, , b, c]: Operands, to: MemoryOperand): void {
  const words = wordsAt(w, to);
  const old = words.map((word) => w.keep(word));
  const [expected, wanted] = [w.quarters(b), w.quarters(c)];
  w.line(`if(${old.map((word, n) => `${word}===(${expected[n]}|0)`).join("&&")}){`);
  words.forEach((word, n) => void w.line(`${word}=${wanted[n]};`));
  w.line("}");
  w.setQuarters(d, old);
}

const atomicFloat: Atomic = (w, d, b, type, op, { region, view, offset }) => {
  if (type === f64 || type === f32) {
    const at = `${view(type === f64 ? "f64" : "f32")}[${offset}>>>${type === f64 ? 3 : 2}]`;
    const old = w.keep(at);
    const by = w.number(b, type);
    // Sums of f32 in global memory flush what is subnormal, those in shared memory do not (PTX ISA 9.7.13.7).
    const flushes = type === f32 && op === "add";
    w.line(`${at}=${flushes ? `atomicSum(${old},${by},${region}.space==="global")` : combineFloats(op, old, by)};`);
    w.setNumber(d, type, old);
  } else {
    const at = `${view("u16")}[${offset}>>>1]`;
    const old = w.keep(at);
    const sum = combineFloats(op, `${type.name}Value(${old})`, w.number(b, type));
    w.line(`${at}=${type.name}Bits(${sum});`);
    w.setInt(d, b16, old);
  }
};

const atomicWord: Atomic = (w, d, b, type, op, { view, offset }) => {
  const old = w.keep(`${view(isSigned(type) ? "i32" : "u32")}[${offset}>>>2]`);
  const by = w.keep(isSigned(type) ? w.int(b, type) : w.unsigned(b, type));
  w.line(`${view("i32")}[${offset}>>>2]=${combine(op, old, by)};`);
  w.setInt(d, b32, old);
};

/** To be called before memory is written; what it gives tells afterwards whether that has changed anything. */
function changing(w: Writer, { view, offset }: MemoryOperand, bytes: number): string {
  const words = Array.from({ length: bytes / 4 }, (_, n) => `${view("i32")}[(${offset}>>>2)+${n}]`);
  const views = bytes === 1 ? [`${view("bytes")}[${offset}]`] : bytes === 2 ? [`${view("u16")}[${offset}>>>1]`] : words;
  return views.map((view) => `${view}!==${w.keep(view)}`).join("||");
}

/** The same of an atomic operation: others notice only what changes memory. */
function noticing(w: Writer, to: MemoryOperand, bytes: number): () => void {
  const change = changing(w, to, bytes);
  return () => w.line(`if(${change})w.noticed=true;`);
}

const atom: Rule = (w, [d, address, b], m, i) => {
  const type = typeIn(i);
  const [results, sources] = [itemsOf(d), itemsOf(b)];
  const bytes = bytesOf(type);
  const to = memoryOperand(w, address, m.space, bytes * sources.length, i, "atomic");
  const notice = (d || w.careful) && noticing(w, to, bytes * sources.length);
  for (const [n, source] of sources.entries()) {
    const at = n === 0 ? to : { ...to, offset: w.keep(`${to.offset}+${n * bytes}`) };
    atomicOf(type)(w, results[n], source, type, m.op ?? "", at);
  }
  if (notice) notice();
};

function compareAndSwap(w: Writer, operands: Operands, type: DataType, to: MemoryOperand): void {
  const [d, , b, c] = operands;
  const { view, offset } = to;
  if (type === b128) {
    swapQuad(w, operands, to);
    return;
  }
  if (isWide(type)) {
    const k = w.keep(`${offset}>>>2`);
    const old = [w.keep(`${view("i32")}[${k}]`), w.keep(`${view("i32")}[${k}+1]`)] as const;
    const [expected, wanted] = [w.halves(b), w.halves(c)];
    w.line(`if(${old[0]}===(${expected[0]}|0)&&${old[1]}===(${expected[1]}|0)){`);
    w.line(`${view("i32")}[${k}]=${wanted[0]};${view("i32")}[${k}+1]=${wanted[1]};}`);
    w.setHalves(d, ...old);
    return;
  }
  const short = type.bits === 16;
  const there = short ? `${view("u16")}[${offset}>>>1]` : `${view("i32")}[${offset}>>>2]`;
  const old = w.keep(there);
  w.line(`if(${old}===${short ? w.int(b, u16) : `(${w.word(b)}|0)`})${there}=${w.word(c)};`);
  w.setInt(d, short ? b16 : b32, old);
}

const cas: Rule = (w, operands, m, i) => {
  const type = typeIn(i);
  const to = memoryOperand(w, operands[1], m.space, bytesOf(type), i, "atomic");
  const notice = noticing(w, to, bytesOf(type));
  compareAndSwap(w, operands, type, to);
  notice();
};

export const memoryRules: Rules = {
  ld,
  ldu: ld,
  st,
  atom,
  red: (w, [address, b], m, i) => atom(w, [undefined, address, b], m, i),
  "atom.cas": cas,
};
