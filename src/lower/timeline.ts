/** What a kernel records for its timeline (src/timeline-layout.ts). */
import { bitsOf, isFloat, isScalar, type Op, type Value } from "../ir/index.ts";
import type { timelineOps } from "../ir/ops/timeline.ts";
import { address, type Imm, int, type Reg, sink, special, vec } from "../ptx/index.ts";
import { observerWords, timelineLayout } from "../timeline-layout.ts";
import { addressOf, pointer, sharedStart } from "./address.ts";
import {
  bindScalar,
  branch,
  type Context,
  emit,
  fresh,
  guardOf,
  nextLabel,
  operand,
  placeLabel,
  type RuleOf,
  register,
  sharedRegister,
  unless,
  when,
} from "./context.ts";
import { readSpecial as read } from "./special-register.ts";
import { linearThread } from "./thread.ts";

const warpSize = 32;

/** Several lanes of a warp write one record, mostly the same words: weak writes would race, and relaxed ones of the block do not. */
const ofWarp = { scope: "cta", space: "global" } as const;

/** The low word of the address of the warp's next place, which alone moves. A register for each of two words is all that a warp keeps. */
const lowOf = (ctx: Context): Reg => sharedRegister(ctx, "timeline.low", "b32", () => {});
/** No record begins from there on; 0 where the block has no slice. */
const endOf = (ctx: Context): Reg => sharedRegister(ctx, "timeline.end", "b32", () => {});

function parameter(ctx: Context): Reg {
  const param = ctx.graph.params.find((p) => p.kind === "timeline");
  if (!param) throw new TypeError("a graph with ops of a timeline has a parameter of that kind");
  return register(ctx, param.value);
}

/** Slices do not cross a multiple of 2^32: their high word is that of the parameter, which is read anew each time. */
function highOf(ctx: Context): Reg {
  const high = fresh(ctx, "b32");
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([sink, high]), parameter(ctx)]);
  return high;
}

/** Slices begin at multiples of their size. */
function sliceLow(ctx: Context): Reg {
  const [bits, size, slice] = [sliceBits(ctx), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "shl", { type: "b32" }, [size, int(-1), bits]);
  emit(ctx, "and", { type: "b32" }, [slice, endOf(ctx), size]);
  return slice;
}

function readTime(ctx: Context): readonly [low: Reg, high: Reg] {
  const [time, low, high] = [fresh(ctx, "b64"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "mov.long", {}, [time, special("globaltimer")]);
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([low, high]), time]);
  return [low, high];
}

function addressFrom(ctx: Context, low: Reg, high: Reg): Reg {
  const at = fresh(ctx, "b64");
  emit(ctx, "mov.pack", { type: "b64" }, [at, vec([low, high])]);
  return at;
}

/** Where the block's shared memory begins: records have addresses of barriers. */
const startOfShared = (ctx: Context): Reg | Imm =>
  ctx.graph.shared.length === 0 && ctx.graph.dynamicShared === 0 ? int(0) : sharedStart(ctx);

/** ctaid.x + nctaid.x * (ctaid.y + nctaid.y * ctaid.z) */
function linearBlock(ctx: Context): Reg {
  const row = fresh(ctx, "b32");
  emit(ctx, "mad.lo", { type: "u32" }, [row, read(ctx, "ctaid.z"), read(ctx, "nctaid.y"), read(ctx, "ctaid.y")]);
  const block = fresh(ctx, "b32");
  emit(ctx, "mad.lo", { type: "u32" }, [block, row, read(ctx, "nctaid.x"), read(ctx, "ctaid.x")]);
  return block;
}

/** Bits of the parameter as a number. */
function bitsFrom(ctx: Context, first: number, count: number): Reg {
  const [low, shifted, masked] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([low, sink]), parameter(ctx)]);
  emit(ctx, "shr", { type: "u32" }, [shifted, low, int(first)]);
  emit(ctx, "and", { type: "b32" }, [masked, shifted, int(2 ** count - 1)]);
  return masked;
}

const sliceBits = (ctx: Context): Reg => bitsFrom(ctx, 0, 6);

/** Finds the slice, and gives where it begins and whether there is one for this block. */
function findSlice(ctx: Context, thread: Reg): { readonly slice: Reg; readonly there: Reg } {
  const bits = sliceBits(ctx);
  const block = linearBlock(ctx);
  const [above, there] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
  emit(ctx, "shr", { type: "u32" }, [above, block, bitsFrom(ctx, 6, 6)]);
  emit(ctx, "setp", { is: "eq", type: "u32" }, [there, above, int(0)]);
  const warps = Math.ceil(ctx.graph.launch.block.reduce((n, extent) => n * extent, 1) / warpSize);
  const [warp, number, first, slice] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "shr", { type: "u32" }, [warp, thread, int(5)]);
  emit(ctx, "mad.lo", { type: "u32" }, [number, block, int(warps), warp]);
  emit(ctx, "shl", { type: "b32" }, [number, number, bits]);
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([first, sink]), parameter(ctx)]);
  emit(ctx, "and", { type: "b32" }, [first, first, int(~0xfff)]);
  emit(ctx, "add", { type: "s32" }, [slice, first, number]);
  const [bytes, end] = [fresh(ctx, "b32"), endOf(ctx)];
  emit(ctx, "shl", { type: "b32" }, [bytes, int(1), bits]);
  emit(ctx, "add", { type: "s32" }, [end, slice, bytes]);
  emit(ctx, "sub", { type: "s32" }, [end, end, int(timelineLayout.slack * timelineLayout.recordBytes)]);
  emit(ctx, "selp", { type: "b32" }, [end, end, int(0), there]);
  emit(ctx, "add", { type: "s32" }, [lowOf(ctx), slice, int(4 * timelineLayout.records)]);
  return { slice, there };
}

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

/** The barrier that a lane looks at: the `lane`th of all. */
function barrierOfLane(ctx: Context, lane: Reg, { operands: { bars }, attrs: { counts } }: Op<"timeline.observe">): Reg {
  const bar = fresh(ctx, "b32");
  let first = 0;
  for (const [i, start] of bars.entries()) {
    const { base, offset } = pointer(ctx, start);
    const [own, behind] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
    emit(ctx, "mad.lo", { type: "u32" }, [own, lane, int(8), int(offset - 8 * first)]);
    emit(ctx, "add", { type: "s32" }, [own, own, base]);
    if (i === 0) emit(ctx, "mov", { type: "b32" }, [bar, own]);
    else {
      emit(ctx, "setp", { is: "ge", type: "u32" }, [behind, lane, int(first)]);
      emit(ctx, "selp", { type: "b32" }, [bar, own, bar, behind]);
    }
    first += counts[i] ?? 0;
  }
  const [total, beyond] = [counts.reduce((n, count) => n + count, 0), fresh(ctx, "pred")];
  // Lanes without one look at the first one, and record nothing.
  emit(ctx, "setp", { is: "ge", type: "u32" }, [beyond, lane, int(total)]);
  const [start] = bars;
  if (start) emit(ctx, "selp", { type: "b32" }, [bar, operand(ctx, start), bar, beyond]);
  return bar;
}

/** Nanoseconds between two looks of the observer where nothing has come. */
const pause = 20;

/** All lanes go through it together; each has a barrier and the parity of the phase that it looks for. */
function lowerObserve(ctx: Context, op: Op<"timeline.observe">): void {
  const { words } = op.operands;
  const name = nextLabel(ctx, "observe");
  const others = ctx.graph.launch.block.reduce((n, extent) => n * extent, 1) - warpSize;
  const total = op.attrs.counts.reduce((n, count) => n + count, 0);
  const [started, ended, over, hit] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "pred"), fresh(ctx, "pred")];
  const look = (to: Reg, word: number): void =>
    emit(ctx, "ld.relaxed", { scope: "cta", space: "shared", type: "b32" }, [to, addressOf(ctx, words, word)]);
  /** Lanes may look at different moments: what one of them has seen holds for all, so that they stay together. */
  const anyLane = (seen: Reg): void => emit(ctx, "vote.sync", { mode: "any", type: "pred" }, [seen, seen, int(-1)]);
  const lane = read(ctx, "laneid");
  const below = read(ctx, "lanemask_lt");
  const bar = barrierOfLane(ctx, lane, op);
  const [own, parity, tag] = [fresh(ctx, "pred"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "setp", { is: "lt", type: "u32" }, [own, lane, int(total)]);
  emit(ctx, "mov", { type: "b32" }, [parity, int(0)]);
  emit(ctx, "mad.lo", { type: "u32" }, [tag, bar, int(2 ** (siteBits - 3)), int(op.attrs.site + 1)]);
  // Where no load is issued, nobody says that the barriers are there.
  placeLabel(ctx, `${name}_starts`);
  look(ended, observerWords.ended);
  emit(ctx, "setp", { is: "ge", type: "u32" }, [over, ended, int(others)]);
  anyLane(over);
  branch(ctx, `${name}_end`, when(over));
  const ready = addressOf(ctx, words, observerWords.started);
  emit(ctx, "ld.acquire", { scope: "cta", space: "shared", type: "b32" }, [started, ready]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [hit, started, int(0)]);
  anyLane(hit);
  emit(ctx, "nanosleep", {}, [int(pause)], unless(hit));
  branch(ctx, `${name}_starts`, unless(hit));
  // A vote orders no memory, and not each lane has seen the word itself.
  emit(ctx, "bar.warp.sync", {}, [int(-1)]);

  placeLabel(ctx, name);
  // Read before the barriers are: when all have ended, what is seen after it is all there is.
  look(ended, observerWords.ended);
  emit(ctx, "setp", { is: "ge", type: "u32" }, [over, ended, int(others)]);
  anyLane(over);
  // It orders nothing: who looks at phases as they come may be behind, and reads nothing on their word.
  emit(ctx, "mbarrier.look", {}, [hit, address(bar), parity]);
  const clock = read(ctx, "clock");
  emit(ctx, "and", { type: "pred" }, [hit, hit, own]);
  const [found, place, count, low] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "vote.sync.ballot", {}, [found, hit, int(-1)]);
  emit(ctx, "and", { type: "b32" }, [place, found, below]);
  emit(ctx, "popc", { type: "b32" }, [place, place]);
  emit(ctx, "mad.lo", { type: "u32" }, [low, place, int(timelineLayout.recordBytes), lowOf(ctx)]);
  const [room, word, flipped] = [fresh(ctx, "pred"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "setp", { is: "lt", type: "u32" }, [room, low, endOf(ctx)]);
  emit(ctx, "and", { type: "pred" }, [room, room, hit]);
  emit(ctx, "shl", { type: "b32" }, [flipped, parity, int(31)]);
  emit(ctx, "add", { type: "s32" }, [word, tag, flipped]);
  const at = addressFrom(ctx, low, highOf(ctx));
  emit(ctx, "st.relaxed", { ...ofWarp, vec: "v4", type: "b32" }, [address(at), vec([word, clock, int(0), int(0)])], when(room));
  emit(ctx, "xor", { type: "b32" }, [parity, parity, int(1)], when(hit));
  emit(ctx, "popc", { type: "b32" }, [count, found]);
  emit(ctx, "mad.lo", { type: "u32" }, [lowOf(ctx), count, int(timelineLayout.recordBytes), lowOf(ctx)]);
  const idle = fresh(ctx, "pred");
  emit(ctx, "setp", { is: "eq", type: "u32" }, [idle, found, int(0)]);
  emit(ctx, "nanosleep", {}, [int(pause)], when(idle));
  branch(ctx, name, unless(over));
  placeLabel(ctx, `${name}_end`);
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
