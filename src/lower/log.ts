import { noSpans } from "../base/diag/index.ts";
import { logLayout } from "../base/log-layout.ts";
import { bitsOf, isFloat, isSigned, type Op, type ScalarType, type Value } from "../ir/index.ts";
import { address, type Imm, int, type Reg, type SpecialRegister, special } from "../ptx/index.ts";
import {
  branch,
  type Context,
  emit,
  fresh,
  guardOf,
  lowered,
  nextLabel,
  operand,
  placeLabel,
  register,
  sharedRegister,
  unless,
  when,
} from "./context.ts";

const places: readonly SpecialRegister[] = ["ctaid.x", "ctaid.y", "ctaid.z", "tid.x", "tid.y", "tid.z"];

/** The address of the header: the kernel's hidden parameter. */
function header(ctx: Context): Reg {
  const param = ctx.graph.params.find((p) => p.kind === "log");
  const known = param && lowered(ctx, param.value);
  if (known?.kind !== "pointer") throw new TypeError("a graph with log or assert ops has a parameter of kind log");
  return known.base;
}

const words = (type: ScalarType): number => (bitsOf(type) === 64 ? 2 : 1);

/** Stores at `at` what stands before the values of every record. */
function writePrefix(ctx: Context, at: Reg, site: Reg | Imm): void {
  for (const [i, place] of places.entries()) {
    const r = fresh(ctx, "b32");
    emit(ctx, "mov.special", {}, [r, special(place)]);
    emit(ctx, "st", { space: "global", type: "b32" }, [address(at, 4 * (i + 1)), r]);
  }
  emit(ctx, "st", { space: "global", type: "b32" }, [address(at), site]);
}

function writeValue(ctx: Context, at: Reg, offset: number, value: Value): void {
  const type = value.type as ScalarType;
  if (bitsOf(type) === 64) {
    emit(ctx, "st", { space: "global", type: "b32" }, [address(at, offset), half(ctx, value, 0)]);
    emit(ctx, "st", { space: "global", type: "b32" }, [address(at, offset + 4), half(ctx, value, 32)]);
    return;
  }
  const word = fresh(ctx, "b32");
  writeWord(ctx, word, value);
  emit(ctx, "st", { space: "global", type: "b32" }, [address(at, offset), word]);
}

/** A value of at most 32 bits as a word. */
function writeWord(ctx: Context, word: Reg, value: Value): void {
  const type = value.type as ScalarType;
  if (type === "pred") emit(ctx, "selp", { type: "b32" }, [word, int(1), int(0), register(ctx, value)]);
  else if (bitsOf(type) === 32) emit(ctx, "mov", { type: "b32" }, [word, operand(ctx, value)]);
  else if (isSigned(type) && !isFloat(type)) emit(ctx, "cvt", { to: "s32", from: "s16" }, [word, register(ctx, value)]);
  else emit(ctx, "cvt", { to: "u32", from: "u16" }, [word, register(ctx, value)]);
}

/** Bits `from` to `from` + 31 of a 64-bit value: records are aligned to words only. */
function half(ctx: Context, value: Value, from: 0 | 32): Reg {
  const bits = fresh(ctx, "b64");
  emit(ctx, "mov", { type: "b64" }, [bits, operand(ctx, value)]);
  return halfOf(ctx, bits, from);
}

/** The same of a register, which is shifted for the upper half. */
function halfOf(ctx: Context, bits: Reg, from: 0 | 32): Reg {
  const part = fresh(ctx, "b32");
  if (from === 32) emit(ctx, "shr", { type: "u64" }, [bits, bits, int(32)]);
  emit(ctx, "cvt", { to: "u32", from: "u64" }, [part, bits]);
  return part;
}

function recordArea(ctx: Context, head: Reg): Reg {
  const area = fresh(ctx, "b64");
  emit(ctx, "ld", { space: "global", type: "b64" }, [area, address(head, logLayout.records)]);
  emit(ctx, "cvta.to.global", {}, [area, area]);
  return area;
}

const wordsOf = (values: readonly Value[]): number => values.reduce((n, v) => n + words(v.type as ScalarType), 0);

/** The place of a record of so many words; where there is no room for it, goes to the label. */
function takePlace(ctx: Context, size: number, orElse: string): Reg {
  const head = header(ctx);
  const [index, room, full] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "pred")];
  emit(ctx, "atom", { order: "relaxed", scope: "gpu", space: "global", op: "add", type: "u32" }, [
    index,
    address(head, logLayout.next),
    int(size),
  ]);
  emit(ctx, "ld", { space: "global", type: "b32" }, [room, address(head, logLayout.capacity)]);
  emit(ctx, "sub", { type: "s32" }, [room, room, int(size)]);
  emit(ctx, "setp", { is: "gt", type: "s32" }, [full, index, room]);
  const area = recordArea(ctx, head);
  emit(ctx, "st", { space: "global", type: "b32" }, [address(area, 4 * logLayout.dropped), int(1)], when(full));
  branch(ctx, orElse, when(full));
  const at = fresh(ctx, "b64");
  emit(ctx, "mad.wide.u32", {}, [at, index, int(4), area]);
  return at;
}

/** Values from that word of the record on. */
function writeValues(ctx: Context, at: Reg, from: number, values: readonly Value[]): void {
  let offset = 4 * from;
  for (const v of values) {
    writeValue(ctx, at, offset, v);
    offset += 4 * words(v.type as ScalarType);
  }
}

function lowerLog(ctx: Context, op: Op<"log">): void {
  const { values, pred } = op.operands;
  const end = `${nextLabel(ctx, "log")}_end`;
  const guard = guardOf(ctx, pred);
  if (guard) branch(ctx, end, { ...guard, negate: true });
  const at = takePlace(ctx, logLayout.prefix + wordsOf(values), end);
  writeValues(ctx, at, logLayout.prefix, values);
  writePrefix(ctx, at, int(op.attrs.site + 1));
  placeLabel(ctx, end);
}

/** Words of what every mark records before its values: the time, and the multiprocessor. */
const markWords = 3;

/** The first lane of those that are here reads the clock before anything else; only it goes on. */
function lowerMark(ctx: Context, op: Op<"mark">): void {
  const { values } = op.operands;
  const end = `${nextLabel(ctx, "mark")}_end`;
  const [mask, below, other, time] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "pred"), fresh(ctx, "b64")];
  emit(ctx, "activemask", {}, [mask]);
  emit(ctx, "mov.special", {}, [below, special("lanemask_lt")]);
  emit(ctx, "and", { type: "b32" }, [below, below, mask]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [other, below, int(0)]);
  emit(ctx, "mov.long", {}, [time, special("globaltimer")], unless(other));
  branch(ctx, end, when(other));
  const at = takePlace(ctx, logLayout.prefix + markWords + wordsOf(values), end);
  const sm = fresh(ctx, "b32");
  emit(ctx, "mov.special", {}, [sm, special("smid")]);
  const from = 4 * logLayout.prefix;
  emit(ctx, "st", { space: "global", type: "b32" }, [address(at, from), halfOf(ctx, time, 0)]);
  emit(ctx, "st", { space: "global", type: "b32" }, [address(at, from + 4), halfOf(ctx, time, 32)]);
  emit(ctx, "st", { space: "global", type: "b32" }, [address(at, from + 8), sm]);
  writeValues(ctx, at, logLayout.prefix + markWords, values);
  writePrefix(ctx, at, int(op.attrs.site + 1));
  placeLabel(ctx, end);
}

const trapLabel = "assert_fails";

/** Which assertion failed, for the code at the kernel's end that all of them share. */
const siteRegister = (ctx: Context): Reg => sharedRegister(ctx, "assert.site", "b32", () => {});

/** Value `i` of the assertion that failed, for the same code: its bits from the low end on. */
const valueRegister = (ctx: Context, i: number): Reg => sharedRegister(ctx, `assert.value${i}`, "b64", () => {});

function lowerAssert(ctx: Context, op: Op<"assert">): void {
  const { condition, values } = op.operands;
  const fails = unless(register(ctx, condition));
  if (values.length === 0) {
    emit(ctx, "mov", { type: "b32" }, [siteRegister(ctx), int(op.attrs.site + 1)], fails);
    branch(ctx, trapLabel, fails);
    return;
  }
  siteRegister(ctx);
  const label = nextLabel(ctx, "assert_fails");
  ctx.failures.push({ label, op });
  branch(ctx, label, fails);
}

function keepValue(ctx: Context, to: Reg, value: Value): void {
  const type = value.type as ScalarType;
  if (bitsOf(type) === 64) {
    emit(ctx, "mov", { type: "b64" }, [to, operand(ctx, value)]);
    return;
  }
  const word = fresh(ctx, "b32");
  writeWord(ctx, word, value);
  emit(ctx, "cvt", { to: "u64", from: "u32" }, [to, word]);
}

/** What each assertion with values does where it fails, out of the way of those that hold. */
function lowerFailures(ctx: Context): number {
  let most = 0;
  for (const { label, op } of ctx.failures) {
    placeLabel(ctx, label);
    const { values } = op.operands;
    for (const [i, value] of values.entries()) keepValue(ctx, valueRegister(ctx, i), value);
    emit(ctx, "mov", { type: "b32" }, [siteRegister(ctx), int(op.attrs.site + 1)]);
    branch(ctx, trapLabel);
    most = Math.max(most, values.length);
  }
  return most;
}

/**
 * What a failed assertion does, after the kernel's own end. The first thread writes the record and traps; the others wait until
 * it stands, because a trap ends the whole launch.
 */
export function lowerTrap(ctx: Context): void {
  if (!ctx.shared.has("assert.site")) return;
  ctx.spans = noSpans;
  const count = lowerFailures(ctx);
  placeLabel(ctx, trapLabel);
  const name = nextLabel(ctx, "assert");
  const [old, other] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
  const head = header(ctx);
  const flag = address(head, logLayout.assertFlag);
  emit(ctx, "atom.cas", { order: "relaxed", scope: "gpu", space: "global", op: "cas", type: "b32" }, [old, flag, int(0), int(1)]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [other, old, int(0)]);
  branch(ctx, `${name}_wait`, when(other));
  const area = recordArea(ctx, head);
  writePrefix(ctx, area, siteRegister(ctx));
  for (let i = 0; i < count; i++) {
    const at = 4 * (logLayout.assertValues + 2 * i);
    const bits = valueRegister(ctx, i);
    emit(ctx, "st", { space: "global", type: "b32" }, [address(area, at), halfOf(ctx, bits, 0)]);
    emit(ctx, "st", { space: "global", type: "b32" }, [address(area, at + 4), halfOf(ctx, bits, 32)]);
  }
  emit(ctx, "fence", { order: "sc", scope: "sys" }, []);
  emit(ctx, "st.relaxed", { scope: "gpu", space: "global", type: "b32" }, [flag, int(2)]);
  branch(ctx, `${name}_trap`);
  placeLabel(ctx, `${name}_wait`);
  emit(ctx, "ld.relaxed", { scope: "gpu", space: "global", type: "b32" }, [old, flag]);
  emit(ctx, "setp", { is: "eq", type: "u32" }, [other, old, int(2)]);
  branch(ctx, `${name}_wait`, unless(other));
  placeLabel(ctx, `${name}_trap`);
  emit(ctx, "trap", {}, []);
  emit(ctx, "exit", {}, []);
}

export const logRules = { log: lowerLog, mark: lowerMark, assert: lowerAssert };
