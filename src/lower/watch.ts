/**
 * What a watched kernel records for the host (src/base/watch-layout.ts). One register is kept from the first record to the last: the number of the warp's slot. Reading where
 * a warp is takes longer than the rest of a record.
 */

import { answered, asks, watchBytes, watchLayout, zBits } from "../base/watch-layout.ts";
import type { Op, Value, watchOps } from "../ir/index.ts";
import { address, type Imm, instruction, int, type Reg, vec } from "../ptx/index.ts";
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
  rarely,
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

/** The number of the warp's slot: where the warp is. It is read where the warp says that it has begun, behind what it loads first. */
const slotNumber = (ctx: Context): Reg =>
  sharedRegister(ctx, "watch.slot", "b32", (number) => {
    const { rows, warpsPerRow } = watchLayout;
    const [row, warp] = [read(ctx, "smid"), read(ctx, "warpid")];
    emit(ctx, "and", { type: "b32" }, [row, row, int(rows - 1)]);
    emit(ctx, "and", { type: "b32" }, [warp, warp, int(warpsPerRow - 1)]);
    emit(ctx, "mad.lo", { type: "u32" }, [number, row, int(warpsPerRow), warp]);
  });

/** The address of what there is for the warp, in an array of so many bytes for each. */
function ofWarp(ctx: Context, bytes: number): Reg {
  const at = fresh(ctx, "b64");
  emit(ctx, "mad.wide.u32", {}, [at, slotNumber(ctx), int(bytes), hidden(ctx).records]);
  return at;
}

/** The address of the warp's slot. */
const slot = (ctx: Context): Reg => ofWarp(ctx, watchLayout.slotBytes);

const toldAt = (site: number, word: number): number =>
  4 * (watchLayout.told + (site % watchLayout.places) * watchLayout.toldWords + word);

const store = (ctx: Context, at: Reg, byte: number, word: Reg | Imm): void =>
  emit(ctx, "st.relaxed", { ...relaxed, type: "b32" }, [address(at, byte), word]);

const storeFour = (ctx: Context, at: Reg, byte: number, words: readonly (Reg | Imm)[]): void =>
  emit(ctx, "st.relaxed", { ...relaxed, vec: "v4", type: "b32" }, [address(at, byte), vec(words)]);

/** What a site tells beside its lanes. What takes registers is made when it is stored: a kernel may have few left. */
interface Told {
  /** The clock: read where there is none. 0 where what is told says by itself that something has changed. */
  readonly clock?: Reg | Imm;
  readonly number?: () => Reg | Imm | undefined;
  /** 64 bits each. */
  readonly found?: () => Reg | undefined;
  readonly address?: () => Reg;
}

/** The site itself goes last: what it tells is there when it is. */
function record(ctx: Context, site: number, lanes: Reg, { clock, number, found, address: looked }: Told): void {
  const at = slot(ctx);
  storeLong(ctx, at, toldAt(site, watchLayout.found), found?.());
  storeLong(ctx, at, toldAt(site, watchLayout.address), looked?.());
  const told = number?.() ?? int(0);
  storeFour(ctx, at, toldAt(site, watchLayout.site), [int(site + 1), clock ?? read(ctx, "clock"), lanes, told]);
}

/** Nobody of the warp waits at the site any more. */
const leave = (ctx: Context, site: number): void => store(ctx, slot(ctx), toldAt(site, watchLayout.site), int(0));

function storeLong(ctx: Context, at: Reg, byte: number, value: Reg | undefined): void {
  if (value) emit(ctx, "st.relaxed", { ...relaxed, type: "b64" }, [address(at, byte), value]);
}

/** What the host says to the warp. */
function saidTo(ctx: Context): Reg {
  const said = fresh(ctx, "b32");
  emit(ctx, "ld.relaxed", { ...relaxed, type: "b32" }, [said, address(ofWarp(ctx, 4), watchBytes)]);
  return said;
}

/** Whether the host asks what the mbarrier of a site lacks. */
function isAsked(ctx: Context, site: number): Reg {
  const asked = fresh(ctx, "pred");
  emit(ctx, "setp", { is: "eq", type: "u32" }, [asked, saidTo(ctx), int(asks(site))]);
  return asked;
}

/**
 * The state of the mbarrier goes to the host. The hardware keeps it apart from shared memory; `mbarrier.inval` writes it back there, and nothing else does (decision 30). What
 * waits for the barrier goes on waiting.
 */
function answer(ctx: Context, site: number, bar: Value, number: Reg): void {
  const state = fresh(ctx, "b64");
  emit(ctx, "mbarrier.inval", {}, [addressOf(ctx, bar)]);
  emit(ctx, "ld.relaxed", { scope: "cta", space: "shared", type: "b64" }, [state, addressOf(ctx, bar)]);
  const at = slot(ctx);
  storeLong(ctx, at, toldAt(site, watchLayout.found), state);
  store(ctx, at, toldAt(site, watchLayout.address), hidden(ctx).launch);
  emit(ctx, "add", { type: "s32" }, [number, number, int(answered | 0)]);
  store(ctx, at, toldAt(site, watchLayout.address) + 4, number);
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
  const lanes = activeLanes(ctx);
  const at = slot(ctx);
  const [number, yz] = [fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "shr", { type: "u32" }, [number, linearThread(ctx), int(5)]);
  emit(ctx, "add", { type: "s32" }, [number, number, hidden(ctx).launch]);
  emit(ctx, "mad.lo", { type: "u32" }, [yz, read(ctx, "ctaid.z"), int(2 ** zBits), read(ctx, "ctaid.y")]);
  storeFour(ctx, at, 4 * watchLayout.launch, [number, read(ctx, "ctaid.x"), yz, lanes]);
}

/** Most warps end as a whole, and write that: a store takes less than an atomic does. */
function lowerEnd(ctx: Context): void {
  const [name, whole, others] = [nextLabel(ctx, "watch"), fresh(ctx, "pred"), fresh(ctx, "b32")];
  const lanes = activeLanes(ctx);
  const at = slot(ctx);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [whole, lanes, int(-1)]);
  branch(ctx, `${name}_parted`, when(whole));
  store(ctx, at, 4 * watchLayout.live, int(0));
  placeLabel(ctx, `${name}_end`);
  rarely(ctx, () => {
    placeLabel(ctx, `${name}_parted`);
    leaveToFirst(ctx, lanes, `${name}_end`);
    emit(ctx, "not", { type: "b32" }, [others, lanes]);
    emit(ctx, "red", { order: "relaxed", ...relaxed, op: "and", type: "b32" }, [address(at, 4 * watchLayout.live), others]);
    branch(ctx, `${name}_end`);
  });
}

/** All lanes write the same. */
function lowerWaits(ctx: Context, { operands: { id }, attrs: { site } }: Op<"watch.wait">): void {
  const known = id && ctx.literals.has(id.id);
  record(ctx, site, activeLanes(ctx), { number: () => (known ? undefined : id && operand(ctx, id)) });
}

const lowerLeave = (ctx: Context, { attrs: { site } }: Op<"watch.leave">): void => leave(ctx, site);

/** Of the looks of a loop one of so many is recorded: a power of two. */
const looksApart = 256;

/** Which mbarrier, and the parity that is waited for: the place is a multiple of 8. */
function mbarrierNumber(ctx: Context, bar: Value, parity: Reg | Imm): Reg {
  const place = fresh(ctx, "b32");
  emit(ctx, "sub", { type: "s32" }, [place, operand(ctx, bar), sharedStart(ctx)]);
  emit(ctx, "add", { type: "s32" }, [place, place, parity]);
  return place;
}

/** Not where `count` is no multiple of `apart`. */
function skipMost(ctx: Context, count: Reg, apart: number, to: string): void {
  const [part, skips] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
  emit(ctx, "and", { type: "b32" }, [part, count, int(apart - 1)]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [skips, part, int(0)]);
  branch(ctx, to, when(skips));
}

/**
 * Of so many clocks a wait that is recorded listens to the host in so many: about once in 70 µs. A load behind each try would come between a phase that is over and the next try.
 */
const [listensFor, listensOf] = [2 ** 13, 2 ** 17];

/**
 * A try that fails has waited: 4.2 µs on an H100, whatever time it is given (test/tools/try-wait.ts). So most waits are over at the first one, and the others are recorded.
 * What a record says is little, as products may have taken all registers: which lanes wait for which phase of which mbarrier is told when the host has found that the launch
 * hangs. All of it comes back to the wait: where lanes could leave it for good, ptxas would keep what is the same for a warp in registers of lanes from there on (102 `R2UR` in
 * attention instead of 43).
 */
function lowerMbarrierWait(ctx: Context, { operands: { bar, parity }, attrs: { site } }: Op<"watch.mbarrier.wait">): void {
  const done = fresh(ctx, "pred");
  const asked = parityOf(ctx, parity);
  const name = nextLabel(ctx, "wait");
  const tryIt = (): Reg => {
    emit(ctx, "mbarrier.try_wait", {}, [done, addressOf(ctx, bar), asked]);
    return done;
  };
  branch(ctx, `${name}_waits`, unless(tryIt()));
  placeLabel(ctx, `${name}_end`);
  rarely(ctx, () => {
    placeLabel(ctx, `${name}_waits`);
    const at = slot(ctx);
    store(ctx, at, toldAt(site, watchLayout.lanes), int(0));
    store(ctx, at, toldAt(site, watchLayout.clock), read(ctx, "clock"));
    store(ctx, at, toldAt(site, watchLayout.site), int(site + 1));
    placeLabel(ctx, name);
    branch(ctx, `${name}_over`, when(tryIt()));
    listen(ctx, name, site, bar, asked);
    branch(ctx, name);
    placeLabel(ctx, `${name}_over`);
    leave(ctx, site);
    branch(ctx, `${name}_end`);
  });
}

/** Goes back to the label `name` where the host has said nothing, or is not listened to now; else tells, and answers what is asked. */
function listen(ctx: Context, name: string, site: number, bar: Value, parity: Reg | Imm): void {
  const [deaf, quiet, other] = [fresh(ctx, "pred"), fresh(ctx, "pred"), fresh(ctx, "pred")];
  const clock = read(ctx, "clock");
  emit(ctx, "and", { type: "b32" }, [clock, clock, int(listensOf - listensFor)]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [deaf, clock, int(0)]);
  branch(ctx, name, when(deaf));
  const said = saidTo(ctx);
  emit(ctx, "setp", { is: "eq", type: "u32" }, [quiet, said, int(0)]);
  branch(ctx, name, when(quiet));
  const at = slot(ctx);
  store(ctx, at, toldAt(site, watchLayout.number), mbarrierNumber(ctx, bar, parity));
  store(ctx, at, toldAt(site, watchLayout.lanes), activeLanes(ctx));
  emit(ctx, "setp", { is: "ne", type: "u32" }, [other, said, int(asks(site))]);
  branch(ctx, name, when(other));
  answer(ctx, site, bar, mbarrierNumber(ctx, bar, parity));
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
  const clock = int(0);
  if (parity) record(ctx, site, lanes, { clock, number: () => mbarrierNumber(ctx, ptr, parityOf(ctx, parity)) });
  else record(ctx, site, lanes, { clock, found: () => value && wide(ctx, value), address: () => lookedAt(ctx, ptr, offset) });
  placeLabel(ctx, `${name}_recorded`);
  if (parity) {
    branch(ctx, `${name}_end`, unless(isAsked(ctx, site)));
    answer(ctx, site, ptr, mbarrierNumber(ctx, ptr, parityOf(ctx, parity)));
  }
  placeLabel(ctx, `${name}_end`);
}

function lowerLeft(ctx: Context, { attrs: { site } }: Op<"watch.left">): void {
  const looks = looksOf(ctx, site);
  const [name, few] = [nextLabel(ctx, "looked"), fresh(ctx, "pred")];
  emit(ctx, "setp", { is: "lt", type: "u32" }, [few, looks, int(looksApart)]);
  emit(ctx, "mov", { type: "b32" }, [looks, int(0)]);
  branch(ctx, `${name}_end`, when(few));
  leave(ctx, site);
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
