/** PTX that the author wrote: what it is, and what is refused in it. */

import type { Spans } from "../base/diag/index.ts";
import { isPointer, type Literal, type Op, opSpec, type PointerType, type ScalarType, type Type } from "../ir/index.ts";
import {
  clockRegisters,
  computes,
  dataType,
  type Fragment,
  type Given,
  type Instruction,
  type Label,
  otherStatements,
  type PtxType,
  parseFragment,
  type Register,
  readForm,
  registersUsed,
  traitsOf,
  type Word,
  wordsOf,
} from "../ptx/parse/index.ts";
import { type ErrorCode, fail } from "./errors.ts";
import { blockStarts, isBackwards, mayPart, reachesEnd, registerFlow } from "./inline-flow.ts";
import { literalFrom, withLiterals } from "./inline-literals.ts";
import { placeInText, readingText } from "./inline-text.ts";

export type InlineOp = Op<"ptx.inline"> | Op<"ptx.sync"> | Op<"ptx.pure">;

/** The text of an op, read. */
export interface InlinePtx {
  readonly instructions: readonly Instruction[];
  readonly labels: readonly Label[];
  /** Of `$0`, `$1`, …; of literals, which have none, undefined. */
  readonly registers: readonly (Register | undefined)[];
  /** Those that have no value on some way to where they are read: they are 0 there. */
  readonly cleared: ReadonlySet<Register>;
}

/** A text that is read, for errors. */
interface Reading {
  readonly op: InlineOp;
  readonly text: string;
  readonly spans: Spans;
}

function refuse<K extends ErrorCode>(
  r: Reading,
  code: K,
  args: Parameters<typeof fail<K>>[1],
  word: { readonly text: string; readonly line: number; readonly column: number } | undefined,
): never {
  return fail(code, args, word ? placeInText(r.spans, r.text, { ...word, length: word.text.length }) : r.spans);
}

/** Where the instruction names a register; the instruction, where it does not. */
function placeOfName(r: Reading, i: Instruction, name: string): Word {
  const isBehind = ({ line, column }: Word): boolean => line > i.line || (line === i.line && column > i.column);
  const guard = i.guard?.register.name === name;
  return (guard ? undefined : wordsOf(r.text, (word) => word === name).find(isBehind)) ?? placeOf(i);
}

const placeOf = ({ opcode: { text }, line, column }: Instruction): Word => ({ text, line, column });

const types: Readonly<Record<ScalarType | PointerType, PtxType>> = {
  pred: "pred",
  i8: "s16",
  u8: "u16",
  i16: "s16",
  u16: "u16",
  i32: "s32",
  u32: "u32",
  i64: "s64",
  u64: "u64",
  f16: "f16",
  bf16: "bf16",
  f32: "f32",
  f64: "f64",
  e4m3: "b16",
  e5m2: "b16",
  "ptr.global": "u64",
  "ptr.shared": "u32",
  "ptr.cluster": "u32",
};
const typeOf = (type: Type): PtxType => types[type as ScalarType | PointerType];

const isPlaceholder = (word: string): boolean => /^\$\d+$/.test(word);
const nameOf = (at: number): string => `$${at}`;

/** Each result and operand is named, and nothing else is. W2801, W2802. */
function checkNames(r: Reading): void {
  const [results, operands] = [r.op.results.length, r.op.operands.values.length];
  const words = wordsOf(r.text, isPlaceholder);
  const named = new Set(words.map(({ text }) => Number(text.slice(1))));
  const beyond = words.find(({ text }) => Number(text.slice(1)) >= results + operands);
  if (beyond) refuse(r, "W2801", { name: beyond.text, results, operands }, beyond);
  for (let at = 0; at < results + operands; at++)
    if (!named.has(at)) refuse(r, "W2802", { name: nameOf(at), what: at < results ? "result" : "operand" }, undefined);
}

/** What the names stand for. */
function namesOf({ results, operands, attrs }: InlineOp, literal: (id: number) => Literal | undefined): Map<string, Given> {
  const names = new Map<string, Given>();
  results.forEach(({ type }, at) => {
    names.set(nameOf(at), { kind: "register", type: typeOf(type) });
  });
  operands.values.forEach(({ type, id }, at) => {
    const known = attrs.literals.includes(at) ? literal(id) : undefined;
    const given: Given = known === undefined ? { kind: "register", type: typeOf(type) } : literalFrom(known);
    names.set(nameOf(results.length + at), given);
  });
  return names;
}

/** W2805 */
function checkStatements(r: Reading): void {
  const [other] = otherStatements(r.text);
  if (!other) return;
  refuse(
    r,
    "W2805",
    { what: `\`${other.text}\``, why: "it holds instructions, labels, and declarations of registers (`.reg`)" },
    other,
  );
}

/** What an instruction may not be. W2805, W2809. */
function checkKind(r: Reading, i: Instruction): void {
  const { form, text } = i.opcode;
  const { jumps, collective } = traitsOf(i);
  const leaves = jumps && form !== "bra";
  if (leaves)
    refuse(r, "W2805", { what: `\`${text}\``, why: "a text is left at its end, and branches to its own labels" }, placeOf(i));
  if (collective && r.op.name === "ptx.inline") throw new TypeError(`${text} is run by a warp, and its op by each thread alone`);
  if (r.op.name !== "ptx.pure") return;
  const clock = i.operands.find((o) => o?.kind === "special" && clockRegisters.has(o.name));
  const what = clock?.kind === "special" ? `%${clock.name}` : text;
  if (isBackwards(i)) refuse(r, "W2818", { opcode: text }, placeOf(i));
  if (form === "bra") return;
  if (!computes(form) || clock) refuse(r, "W2809", { what }, placeOf(i));
}

/** An address is an integer: of 64 bits, but in shared memory. W2815. */
function checkAddresses(r: Reading, i: Instruction): void {
  const { access } = traitsOf(i);
  const far = access !== undefined && ["", "global"].includes(i.opcode.modifiers.space ?? "");
  for (const o of i.operands) {
    if (o?.kind !== "address" || o.base?.kind !== "register") continue;
    const { name, type } = o.base;
    const { kind, bits, lanes } = dataType(type);
    const isNumber = (kind === "bits" || kind === "signed" || kind === "unsigned") && lanes === 1;
    if (isNumber && (bits === 64 || (bits === 32 && !far))) continue;
    refuse(r, "W2815", { name, type, wanted: far ? "64 bits" : "32 or 64 bits" }, placeOfName(r, i, name));
  }
}

/** Addresses that an instruction takes are of the space that it says. W2808. */
function checkSpaces(r: Reading, i: Instruction, pointers: ReadonlyMap<Register, PointerType>): void {
  const { form, modifiers, text } = i.opcode;
  const { access, modifiers: slots } = readForm(form);
  if (!access || !slots?.space) return;
  const space = modifiers.space ?? "";
  for (const o of i.operands) {
    if (o?.kind !== "address" || o.base?.kind !== "register") continue;
    const pointer = pointers.get(o.base);
    if (!pointer) continue;
    const fits = pointer === "ptr.global" ? space === "" || space === "global" : space.startsWith("shared");
    const nearer = pointer === "ptr.cluster" && space !== "shared::cluster";
    if (fits && !nearer) continue;
    const memory = pointer === "ptr.global" ? "global" : pointer === "ptr.shared" ? "shared" : "shared::cluster";
    refuse(r, "W2808", { name: o.base.name, memory, opcode: text, space }, placeOfName(r, i, o.base.name));
  }
}

/** The text has an end, and no threads part in it on the way to what they run together. W2816, W2817. */
function checkBranches(r: Reading, instructions: readonly Instruction[]): void {
  const parts = opSpec(r.op.name).participants ? instructions.find(mayPart) : undefined;
  if (parts) refuse(r, "W2817", { opcode: parts.opcode.text }, placeOf(parts));
  const [first] = instructions;
  if (first && !reachesEnd(instructions, 0, () => false)) refuse(r, "W2816", {}, placeOf(instructions.at(-1) ?? first));
}

/** Nothing is read before it is written, and no operand is written. W2803, W2804, W2806. */
function checkRegisters(r: Reading, instructions: readonly Instruction[], registers: readonly (Register | undefined)[]) {
  const { length: results } = r.op.results;
  const operands = new Set(registers.slice(results).filter((register) => register !== undefined));
  const { early, unsure, end } = registerFlow(instructions, operands);
  instructions.forEach((i, at) => {
    const unknown = early.get(at);
    if (unknown) refuse(r, "W2806", { name: unknown.name }, placeOfName(r, i, unknown.name));
    const operand = registersUsed(i).writes.find((register) => operands.has(register));
    if (operand) refuse(r, "W2804", { name: operand.name, opcode: i.opcode.text }, placeOfName(r, i, operand.name));
  });
  const cleared = new Set(unsure);
  registers.slice(0, results).forEach((register, at) => {
    const name = nameOf(at);
    if (!register || !end?.some.has(register)) refuse(r, "W2803", { name }, wordsOf(r.text, (text) => text === name)[0]);
    if (!end.all.has(register)) cleared.add(register);
  });
  return cleared;
}

/** A carry comes from the text itself, and from the straight line that the instruction is in. W2812. */
function checkCarries(r: Reading, instructions: readonly Instruction[]): void {
  const starts = blockStarts(instructions);
  let left = false;
  instructions.forEach((i, at) => {
    if (starts.has(at)) left = false;
    const [mnemonic = ""] = i.opcode.text.split(".");
    if (!left && /^(add|sub|mad)c$/.test(mnemonic)) refuse(r, "W2812", { opcode: i.opcode.text }, placeOf(i));
    left ||= traitsOf(i).carries === true;
  });
}

/** Products that are under way have landed when the text ends: their registers are read behind it. W2813. */
function checkProducts(r: Reading, instructions: readonly Instruction[]): void {
  const isProduct = (i: Instruction): boolean => traitsOf(i).async === "product";
  const waitsForAll = ({ opcode, guard, operands: [count] }: Instruction): boolean =>
    opcode.form === "wgmma.wait_group" && !guard && count?.kind === "int" && count.value === 0n;
  const open = instructions.findLast((i, at) => isProduct(i) && reachesEnd(instructions, at, waitsForAll));
  if (open) refuse(r, "W2813", { opcode: open.opcode.text }, placeOf(open));
}

const wideTypes: ReadonlySet<PtxType> = new Set(["b128"]);

function checkTypes(r: Reading, { body }: Fragment): void {
  const wide = body.registers.find(({ type }) => wideTypes.has(type));
  if (wide) refuse(r, "W2805", { what: `a register of .${wide.type}`, why: "registers have up to 64 bits" }, undefined);
}

/** Reads the text of an op. `literal`: the number that a value is, where that is known. */
export function readInlinePtx(op: InlineOp, literal: (id: number) => Literal | undefined): InlinePtx {
  const { text } = op.attrs;
  const r: Reading = { op, text, spans: op.spans };
  checkNames(r);
  checkStatements(r);
  const names = namesOf(op, literal);
  const fragment = readingText(r.spans, text, (file) => {
    const read = parseFragment(text, file, names);
    for (const unknown of read.body.unknown) unknown.refuse();
    return read;
  });
  checkTypes(r, fragment);
  const registers = Array.from({ length: op.results.length + op.operands.values.length }, (_, at) =>
    fragment.given.get(nameOf(at)),
  );
  const numbers = new Map([...names].flatMap(([name, given]) => (given.kind === "register" ? [] : [[given, name] as const])));
  const pointers = new Map<Register, PointerType>();
  op.operands.values.forEach(({ type }, at) => {
    const register = registers[op.results.length + at];
    if (register && isPointer(type)) pointers.set(register, type);
  });
  const instructions = fragment.body.instructions.map((i) => {
    checkKind(r, i);
    checkSpaces(r, i, pointers);
    checkAddresses(r, i);
    return withLiterals(i, numbers, (name, value, type) => refuse(r, "W2807", { name, value, type }, placeOfName(r, i, name)));
  });
  checkBranches(r, instructions);
  const cleared = checkRegisters(r, instructions, registers);
  checkCarries(r, instructions);
  checkProducts(r, instructions);
  const labels = fragment.body.statements.filter((s) => s.kind === "label");
  return { instructions, labels, registers, cleared };
}
