/** What a kernel records for its timeline (src/base/timeline-layout.ts). */

import { observerWords, timelineLayout } from "../base/timeline-layout.ts";
import type { timelineOps } from "../ir/index.ts";
import { bitsOf, isFloat, isScalar, type Op, type Value } from "../ir/index.ts";
import { address, type Imm, int, type Reg, special, vec } from "../ptx/index.ts";
import { addressOf, pointer, sharedStart } from "./address.ts";
import {
  bindScalar,
  type Context,
  emit,
  fresh,
  guardOf,
  operand,
  type RuleOf,
  register,
  sharedRegister,
  when,
} from "./context.ts";
import { readSpecial as read } from "./special-register.ts";
import { linearThread } from "./thread.ts";
import { lowerObserve } from "./timeline-observe.ts";
import { addressFrom, endOf, findSlice, highOf, lowOf, ofWarp, sliceLow } from "./timeline-slice.ts";

function readTime(ctx: Context): readonly [low: Reg, high: Reg] {
  const [time, low, high] = [fresh(ctx, "b64"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "mov.long", {}, [time, special("globaltimer")]);
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([low, high]), time]);
  return [low, high];
}

/** Where the block's shared memory begins: records have addresses of barriers. */
const startOfShared = (ctx: Context): Reg | Imm =>
  ctx.graph.shared.length === 0 && ctx.graph.dynamicShared === 0 ? int(0) : sharedStart(ctx);

function lowerBegin(ctx: Context, op: Op<"timeline.begin">): void {
  const thread = linearThread(ctx);
  const { slice, there } = findSlice(ctx, thread);
  const { words } = op.operands;
  if (words) {
    const first = fresh(ctx, "pred");
    emit(ctx, "setp", { is: "eq", type: "u32" }, [first, thread, int(0)]);
    for (const word of [observerWords.started, observerWords.ended])
      emit(ctx, "st.relaxed", { scope: "cta", space: "shared", type: "b32" }, [addressOf(ctx, words, word), int(0)], when(first));
    emit(ctx, "bar.sync", {}, [int(0), undefined]);
  }
  const [leader, writes] = [fresh(ctx, "pred"), fresh(ctx, "pred")];
  emit(ctx, "setp", { is: "eq", type: "u32" }, [leader, read(ctx, "laneid"), int(0)]);
  emit(ctx, "and", { type: "pred" }, [writes, leader, there]);
  const at = addressFrom(ctx, slice, highOf(ctx));
  const shared = startOfShared(ctx);
  const [low, high] = readTime(ctx);
  const clock = read(ctx, "clock");
  const first = vec([int(1), read(ctx, "smid"), clock, shared]);
  emit(ctx, "st.relaxed", { ...ofWarp, vec: "v4", type: "b32" }, [address(at), first], when(writes));
  const second = vec([low, high, int(0), int(0)]);
  emit(
    ctx,
    "st.relaxed",
    { ...ofWarp, vec: "v4", type: "b32" },
    [address(at, 4 * timelineLayout.beginTime), second],
    when(writes),
  );
}

/** Lanes may end one after the other: the last one writes last. */
function lowerEnd(ctx: Context, op: Op<"timeline.end">): void {
  const there = fresh(ctx, "pred");
  emit(ctx, "setp", { is: "ne", type: "u32" }, [there, endOf(ctx), int(0)]);
  const slice = sliceLow(ctx);
  const at = addressFrom(ctx, slice, highOf(ctx));
  const taken = fresh(ctx, "b32");
  emit(ctx, "sub", { type: "s32" }, [taken, lowOf(ctx), slice]);
  emit(ctx, "sub", { type: "s32" }, [taken, taken, int(4 * timelineLayout.records)]);
  const clock = read(ctx, "clock");
  const [low, high] = readTime(ctx);
  const ending = vec([clock, taken, low, high]);
  emit(ctx, "st.relaxed", { ...ofWarp, vec: "v4", type: "b32" }, [address(at, 4 * timelineLayout.endClock), ending], when(there));
  const { words } = op.operands;
  if (words)
    emit(ctx, "red", { order: "relaxed", scope: "cta", space: "shared", op: "add", type: "u32" }, [
      addressOf(ctx, words, observerWords.ended),
      int(1),
    ]);
}

const { siteBits } = timelineLayout;

/** A value as a word: what is wider is cut. */
function wordOf(ctx: Context, value: Value): Reg | Imm {
  const { type } = value;
  if (!isScalar(type) || type === "pred" || isFloat(type) || bitsOf(type) !== 32) return int(0);
  return operand(ctx, value);
}

/** Site + 1, and, where there is a barrier, its number, or its address and the parity. */
function tagOf(ctx: Context, site: number, bar: Value | undefined, parity: Value | undefined, id: Value | undefined): Reg | Imm {
  if (id) {
    const numbered = fresh(ctx, "b32");
    emit(ctx, "mad.lo", { type: "u32" }, [numbered, operand(ctx, id), int(2 ** siteBits), int(site + 1)]);
    return numbered;
  }
  if (!bar) return int(site + 1);
  const { base, offset } = pointer(ctx, bar);
  const literal = parity && ctx.literals.get(parity.id);
  const flips = literal === undefined ? 0 : Number(literal);
  const known = (site + 1 + offset * 2 ** (siteBits - 3) + flips * 2 ** 31) % 2 ** 32;
  const tag = fresh(ctx, "b32");
  emit(ctx, "mad.lo", { type: "u32" }, [tag, base, int(2 ** (siteBits - 3)), int(known)]);
  if (!parity || literal !== undefined) return tag;
  const p = operand(ctx, parity);
  const bit = fresh(ctx, "b32");
  if (p.kind === "reg" && p.cls === "pred") emit(ctx, "selp", { type: "b32" }, [bit, int(2 ** 31), int(0), p]);
  else emit(ctx, "shl", { type: "b32" }, [bit, p, int(31)]);
  emit(ctx, "add", { type: "s32" }, [tag, tag, bit]);
  return tag;
}

function advance(ctx: Context, places: number): void {
  if (places === 0) return;
  const low = lowOf(ctx);
  emit(ctx, "add", { type: "s32" }, [low, low, int(places * timelineLayout.recordBytes)]);
}

/** Where a record is put, and whether there is room. No branch: between products of wgmma one would cost more than the record. */
function placeOf(ctx: Context, pred: Value | undefined): { readonly at: Reg; readonly room: Reg } {
  const room = fresh(ctx, "pred");
  emit(ctx, "setp", { is: "lt", type: "u32" }, [room, lowOf(ctx), endOf(ctx)]);
  const guard = guardOf(ctx, pred);
  if (guard) emit(ctx, "and", { type: "pred" }, [room, room, guard.reg]);
  return { at: addressFrom(ctx, lowOf(ctx), highOf(ctx)), room };
}

/** Words that nobody writes are 0. */
function lowerRecord(ctx: Context, op: Op<"timeline.record">): void {
  const { time, bar, parity, id, values, pred } = op.operands;
  const tag = tagOf(ctx, op.attrs.site, bar, parity, id);
  const { at, room } = placeOf(ctx, pred);
  const start = op.attrs.ahead * timelineLayout.recordBytes;
  const which = when(room);
  const [first, second] = values.map((value) => wordOf(ctx, value));
  if (first && second) {
    const all = vec([tag, register(ctx, time), first, second]);
    emit(ctx, "st.relaxed", { ...ofWarp, vec: "v4", type: "b32" }, [address(at, start), all], which);
    return;
  }
  const head = vec([tag, register(ctx, time)]);
  emit(ctx, "st.relaxed", { ...ofWarp, vec: "v2", type: "b32" }, [address(at, start), head], which);
  // Not with the head: four words have to lie in registers side by side, which products have not left. Records of two values are those of copies and marks.
  if (first) emit(ctx, "st.relaxed", { ...ofWarp, type: "b32" }, [address(at, start + 8), first], which);
}

/** What a loop carries: site + 1, 0 where there is nothing; when the wait began and ended. */
const carriedRegisters = (ctx: Context): readonly [site: Reg, time: Reg, end: Reg] => [
  sharedRegister(ctx, "timeline.carried.site", "b32", () => {}),
  sharedRegister(ctx, "timeline.carried.time", "b32", () => {}),
  sharedRegister(ctx, "timeline.carried.end", "b32", () => {}),
];

function lowerCarry(ctx: Context, { operands: { time, end }, attrs }: Op<"timeline.carry">): void {
  const [site, from, until] = carriedRegisters(ctx);
  emit(ctx, "mov", { type: "b32" }, [site, int(attrs.site === undefined ? 0 : attrs.site + 1)]);
  emit(ctx, "mov", { type: "b32" }, [from, time ? register(ctx, time) : int(0)]);
  emit(ctx, "mov", { type: "b32" }, [until, end ? register(ctx, end) : int(0)]);
}

function lowerCarried(ctx: Context, op: Op<"timeline.carried">): void {
  const [site, from, until] = carriedRegisters(ctx);
  const { at, room } = placeOf(ctx, op.operands.pred);
  const start = op.attrs.ahead * timelineLayout.recordBytes;
  emit(ctx, "st.relaxed", { ...ofWarp, vec: "v2", type: "b32" }, [address(at, start), vec([site, from])], when(room));
  emit(ctx, "st.relaxed", { ...ofWarp, type: "b32" }, [address(at, start + 8), until], when(room));
  emit(ctx, "mov", { type: "b32" }, [site, int(0)]);
}

function lowerJoin(ctx: Context): void {
  const mask = fresh(ctx, "b32");
  const low = lowOf(ctx);
  emit(ctx, "activemask", {}, [mask]);
  emit(ctx, "redux.sync", { op: "max", type: "u32" }, [low, low, mask]);
}

export const timelineRules = {
  "timeline.begin": lowerBegin,
  "timeline.end": lowerEnd,
  "timeline.clock": (ctx, op) => bindScalar(ctx, op.results[0], read(ctx, "clock")),
  "timeline.record": lowerRecord,
  "timeline.advance": (ctx, op) => advance(ctx, op.attrs.places),
  "timeline.carry": lowerCarry,
  "timeline.carried": lowerCarried,
  "timeline.join": lowerJoin,
  /** Whoever issues a load knows that its barrier was initialised, and passes that on. */
  "timeline.start": (ctx, op) =>
    emit(ctx, "st.release", { scope: "cta", space: "shared", type: "b32" }, [
      addressOf(ctx, op.operands.words, observerWords.started),
      int(1),
    ]),
  "timeline.observe": lowerObserve,
} satisfies { [K in keyof typeof timelineOps]: RuleOf<K> };
