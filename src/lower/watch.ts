/** What a watched kernel records for the host (src/watch-layout.ts). Nothing of it is kept in registers from one record to the next. */
import type { Op, Value } from "../ir/index.ts";
import type { watchOps } from "../ir/ops/watch.ts";
import { address, type Imm, instruction, int, type Reg, vec } from "../ptx/index.ts";
import { answered, asks, watchBytes, watchLayout } from "../watch-layout.ts";
import { addressOf, sharedStart } from "./address.ts";
import {
  branch,
  type Context,
  emit,
  fresh,
  lowered,
  nextLabel,
  operand,
  placeLabel,
  type RuleOf,
  register,
  sharedRegister,
  unless,
  when,
} from "./context.ts";
import { parityOf } from "./mbarrier.ts";
import { readSpecial as read } from "./special-register.ts";
import { linearThread } from "./thread.ts";

const relaxed = { scope: "gpu", space: "global" } as const;

/** The two hidden parameters. */
function hidden(ctx: Context): { readonly records: Reg; readonly launch: Reg | Imm } {
  const [records, launch] = ctx.graph.params.filter((p) => p.kind === "watch").map((p) => lowered(ctx, p.value));
  if (records?.kind !== "pointer" || launch?.kind !== "scalar")
    throw new TypeError("a graph with watch ops has two parameters of kind watch");
  return { records: records.base, launch: launch.operand };
}

/** The address of what there is for the warp, in an array of so many bytes for each. */
function ofWarp(ctx: Context, bytes: number): Reg {
  const { rows, warpsPerRow } = watchLayout;
  const [row, warp, at] = [read(ctx, "smid"), read(ctx, "warpid"), fresh(ctx, "b64")];
  emit(ctx, "and", { type: "b32" }, [row, row, int(rows - 1)]);
  emit(ctx, "and", { type: "b32" }, [warp, warp, int(warpsPerRow - 1)]);
  emit(ctx, "mad.lo", { type: "u32" }, [warp, row, int(warpsPerRow), warp]);
  emit(ctx, "mad.wide.u32", {}, [at, warp, int(bytes), hidden(ctx).records]);
  return at;
}

/** The address of the warp's slot. */
const slot = (ctx: Context): Reg => ofWarp(ctx, watchLayout.slotBytes);

const siteAt = (site: number): number => 4 * (watchLayout.sites + (site % watchLayout.places));
const toldAt = (site: number, word: number): number =>
  4 * (watchLayout.told + (site % watchLayout.places) * watchLayout.toldWords + word);

const store = (ctx: Context, at: Reg, byte: number, word: Reg | Imm): void =>
  emit(ctx, "st.relaxed", { ...relaxed, type: "b32" }, [address(at, byte), word]);

const storeFour = (ctx: Context, at: Reg, byte: number, words: readonly (Reg | Imm)[]): void =>
  emit(ctx, "st.relaxed", { ...relaxed, vec: "v4", type: "b32" }, [address(at, byte), vec(words)]);

/** What a site tells beside its lanes. What takes registers is made when it is stored: a kernel may have few left. */
interface Told {
  /** The clock tells this wait from the next at the same site, where nothing else does. */
  readonly clock?: true;
  readonly number?: Reg | Imm | undefined;
  readonly place?: () => Reg | Imm;
  /** 64 bits each. */
  readonly found?: () => Reg | undefined;
  readonly address?: () => Reg;
}

/** The site itself goes last: what it tells is there when it is. Word by word, as four registers in a row may be more than are left. */
function record(ctx: Context, site: number, lanes: Reg, { clock, number, place, found, address: looked }: Told): void {
  const at = slot(ctx);
  store(ctx, at, toldAt(site, watchLayout.lanes), lanes);
  if (clock) store(ctx, at, toldAt(site, watchLayout.clock), read(ctx, "clock"));
  if (number) store(ctx, at, toldAt(site, watchLayout.number), number);
  if (place) store(ctx, at, toldAt(site, watchLayout.place), place());
  storeLong(ctx, at, toldAt(site, watchLayout.found), found?.());
  storeLong(ctx, at, toldAt(site, watchLayout.address), looked?.());
  store(ctx, at, siteAt(site), int(site + 1));
}

function storeLong(ctx: Context, at: Reg, byte: number, value: Reg | undefined): void {
  if (value) emit(ctx, "st.relaxed", { ...relaxed, type: "b64" }, [address(at, byte), value]);
}

/** Goes to the label where the host has not said that the launch hangs; gives what it has said. */
function heard(ctx: Context, orElse: string): Reg {
  const [said, silent] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
  emit(ctx, "ld.relaxed", { ...relaxed, type: "b32" }, [said, address(ofWarp(ctx, 4), watchBytes)]);
  emit(ctx, "setp", { is: "eq", type: "u32" }, [silent, said, int(0)]);
  branch(ctx, orElse, when(silent));
  return said;
}

/** Whoever comes here does nothing any more. */
function stay(ctx: Context, name: string): void {
  placeLabel(ctx, `${name}_stays`);
  branch(ctx, `${name}_stays`);
}

/**
 * The lane that is named asks the mbarrier: an arrival gives the state, which nothing else does (decision 30). All stay: nobody may go on whom that arrival
 * releases, so whoever has waited for long listens to the host before it goes on.
 */
function answerAndStay(ctx: Context, site: number, bar: Value, said: Reg, name: string): void {
  const [asked, state, at] = [fresh(ctx, "pred"), fresh(ctx, "b64"), slot(ctx)];
  emit(ctx, "sub", { type: "s32" }, [said, said, int(asks(site, 0))]);
  emit(ctx, "setp", { is: "eq", type: "u32" }, [asked, said, read(ctx, "laneid")]);
  emit(ctx, "mbarrier.arrive.state", { space: "shared::cta", type: "b64" }, [state, addressOf(ctx, bar)], when(asked));
  const [low, high] = [fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([low, high]), state]);
  const answer = vec([low, high, hidden(ctx).launch, int(answered)]);
  const found = address(at, toldAt(site, watchLayout.found));
  emit(ctx, "st.relaxed", { ...relaxed, vec: "v4", type: "b32" }, [found, answer], when(asked));
  stay(ctx, name);
}

function activeLanes(ctx: Context): Reg {
  const lanes = fresh(ctx, "b32");
  emit(ctx, "activemask", {}, [lanes]);
  return lanes;
}

/** Goes to the label where a lower lane is here, too. */
function leaveToFirst(ctx: Context, lanes: Reg, orElse: string): void {
  const [below, other] = [read(ctx, "lanemask_lt"), fresh(ctx, "pred")];
  emit(ctx, "and", { type: "b32" }, [below, below, lanes]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [other, below, int(0)]);
  branch(ctx, orElse, when(other));
}

function lowerBegin(ctx: Context): void {
  const { launch, warp, sites } = watchLayout;
  const block = [read(ctx, "ctaid.x"), read(ctx, "ctaid.y"), read(ctx, "ctaid.z")];
  const number = linearThread(ctx);
  const index = fresh(ctx, "b32");
  emit(ctx, "shr", { type: "u32" }, [index, number, int(5)]);
  const lanes = activeLanes(ctx);
  const at = slot(ctx);
  const zero = int(0);
  storeFour(ctx, at, 4 * sites, [zero, zero, zero, zero]);
  storeFour(ctx, at, 4 * warp, [index, zero, lanes, zero]);
  storeFour(ctx, at, 4 * launch, [hidden(ctx).launch, ...block]);
}

function lowerEnd(ctx: Context): void {
  const name = nextLabel(ctx, "watch");
  const lanes = activeLanes(ctx);
  leaveToFirst(ctx, lanes, `${name}_end`);
  emit(ctx, "red", { order: "relaxed", ...relaxed, op: "or", type: "b32" }, [address(slot(ctx), 4 * watchLayout.ended), lanes]);
  placeLabel(ctx, `${name}_end`);
}

/** All lanes write the same. */
function lowerWaits(ctx: Context, { operands: { id }, attrs: { site } }: Op<"watch.wait">): void {
  const known = id && ctx.literals.has(id.id);
  record(ctx, site, activeLanes(ctx), { clock: true, number: known ? undefined : id && operand(ctx, id) });
}

const lowerLeave = (ctx: Context, { attrs: { site } }: Op<"watch.leave">): void => store(ctx, slot(ctx), siteAt(site), int(0));

/** Of the looks of a loop one of so many is recorded: a power of two. */
const looksApart = 256;

/** Which mbarrier, and the parity that is waited for. What it lacks nobody can read: the hardware keeps that apart from memory (decision 30). */
const mbarrierState = (ctx: Context, bar: Value, parity: Reg | Imm): Told => ({
  number: parity,
  place: () => {
    const place = fresh(ctx, "b32");
    emit(ctx, "sub", { type: "s32" }, [place, operand(ctx, bar), sharedStart(ctx)]);
    return place;
  },
});

/** Not where `count` is no multiple of `apart`. */
function skipMost(ctx: Context, count: Reg, apart: number, to: string): void {
  const [part, skips] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
  emit(ctx, "and", { type: "b32" }, [part, count, int(apart - 1)]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [skips, part, int(0)]);
  branch(ctx, to, when(skips));
}

/** Clocks after which a wait listens to the host, half a millisecond: each try costs a load from then on. */
const longWait = 2 ** 20;

function lowerMbarrierWait(ctx: Context, { operands: { bar, parity }, attrs: { site } }: Op<"watch.mbarrier.wait">): void {
  const done = fresh(ctx, "pred");
  const asked = parityOf(ctx, parity);
  const name = nextLabel(ctx, "wait");
  const tryIt = (): void => emit(ctx, "mbarrier.try_wait", {}, [done, addressOf(ctx, bar), asked]);
  tryIt();
  branch(ctx, `${name}_end`, when(done));
  const [lanes, begun] = [activeLanes(ctx), read(ctx, "clock")];
  leaveToFirst(ctx, lanes, name);
  record(ctx, site, lanes, { clock: true, ...mbarrierState(ctx, bar, asked) });
  placeLabel(ctx, name);
  tryIt();
  branch(ctx, `${name}_over`, when(done));
  const [since, short] = [read(ctx, "clock"), fresh(ctx, "pred")];
  emit(ctx, "sub", { type: "s32" }, [since, since, begun]);
  emit(ctx, "setp", { is: "lt", type: "u32" }, [short, since, int(longWait)]);
  branch(ctx, name, when(short));
  placeLabel(ctx, `${name}_long`);
  // Not a try: that may sleep for longer than the host listens.
  emit(ctx, "mbarrier.test_wait", {}, [done, addressOf(ctx, bar), asked]);
  const said = heard(ctx, `${name}_silent`);
  answerAndStay(ctx, site, bar, said, name);
  placeLabel(ctx, `${name}_silent`);
  branch(ctx, `${name}_long`, unless(done));
  placeLabel(ctx, `${name}_over`);
  store(ctx, slot(ctx), siteAt(site), int(0));
  placeLabel(ctx, `${name}_end`);
}

/** How often a loop has looked since it was last left. Changed in place. */
const looksOf = (ctx: Context, site: number): Reg =>
  sharedRegister(ctx, `watch.looks${site}`, "b32", (r) => ctx.prologue.push(instruction("mov", { type: "b32" }, [r, int(0)])));

/** A value of at most 64 bits in 64 bits. */
function wide(ctx: Context, value: Value): Reg {
  const given = register(ctx, value);
  const out = fresh(ctx, "b64");
  if (given.cls === "b64" || given.cls === "f64") emit(ctx, "mov", { type: "b64" }, [out, given]);
  else {
    const word = fresh(ctx, "b32");
    if (given.cls === "pred") emit(ctx, "selp", { type: "b32" }, [word, int(1), int(0), given]);
    else if (given.cls === "b16") emit(ctx, "cvt", { to: "u32", from: "u16" }, [word, given]);
    else emit(ctx, "mov", { type: "b32" }, [word, given]);
    emit(ctx, "cvt", { to: "u64", from: "u32" }, [out, word]);
  }
  return out;
}

function lookedAt(ctx: Context, ptr: Value, offset: number): Reg {
  const at = wide(ctx, ptr);
  if (offset !== 0) emit(ctx, "add", { type: "s64" }, [at, at, int(offset)]);
  return at;
}

function lowerLook(ctx: Context, { operands: { ptr, value, parity }, attrs: { site, offset } }: Op<"watch.look">): void {
  const looks = looksOf(ctx, site);
  const name = nextLabel(ctx, "look");
  emit(ctx, "add", { type: "s32" }, [looks, looks, int(1)]);
  skipMost(ctx, looks, looksApart, `${name}_end`);
  const lanes = activeLanes(ctx);
  leaveToFirst(ctx, lanes, `${name}_recorded`);
  if (parity) record(ctx, site, lanes, mbarrierState(ctx, ptr, parityOf(ctx, parity)));
  else record(ctx, site, lanes, { found: () => value && wide(ctx, value), address: () => lookedAt(ctx, ptr, offset) });
  placeLabel(ctx, `${name}_recorded`);
  const said = heard(ctx, `${name}_end`);
  if (parity) answerAndStay(ctx, site, ptr, said, name);
  else stay(ctx, name);
  placeLabel(ctx, `${name}_end`);
}

function lowerLeft(ctx: Context, { attrs: { site } }: Op<"watch.left">): void {
  const looks = looksOf(ctx, site);
  const [name, few] = [nextLabel(ctx, "looked"), fresh(ctx, "pred")];
  emit(ctx, "setp", { is: "lt", type: "u32" }, [few, looks, int(looksApart)]);
  emit(ctx, "mov", { type: "b32" }, [looks, int(0)]);
  branch(ctx, `${name}_end`, when(few));
  heard(ctx, `${name}_goes_on`);
  stay(ctx, name);
  placeLabel(ctx, `${name}_goes_on`);
  store(ctx, slot(ctx), siteAt(site), int(0));
  placeLabel(ctx, `${name}_end`);
}

export const watchRules = {
  "watch.begin": lowerBegin,
  "watch.end": lowerEnd,
  "watch.wait": lowerWaits,
  "watch.leave": lowerLeave,
  "watch.mbarrier.wait": lowerMbarrierWait,
  "watch.look": lowerLook,
  "watch.left": lowerLeft,
} satisfies { [K in keyof typeof watchOps]: RuleOf<K> };
