/**
 * Requires: no block has axes. Ensures: what no loop for a thread index of the launch contains stands under one of extent 1, so that one
 * thread runs it, but for what writes registers, which each thread has of its own, and intrinsics, which a group of threads runs together. What stands in such a loop
 * and stores the same in each of its iterations, in memory that threads share, is run by one of them, too. Loops of one index that
 * stand in each other agree.
 */
import { fail } from "../../errors/index.ts";
import { extentOf, isThreadTag, type Launch, threadTags } from "../../facts/launch.ts";
import { groupFor } from "../../facts/participants.ts";
import { fillsRegisters } from "../../intrinsics/access.ts";
import { intrinsicOf, participantThreads, type TensorIntrinsic } from "../../intrinsics/registry.ts";
import { isInt, loop, one, seq, variable } from "../../ir/build.ts";
import type { Buffer, Expr, For, Intrinsic, Program, Stmt, Store, ThreadTag, Var } from "../../ir/types.ts";
import { expressions, expressionsOf, mentions, statements, within } from "../../ir/walk.ts";

const spanOf = (s: { readonly span?: For["span"] }) => (s.span ? [s.span] : undefined);

/** Where a leaf stands: the loop for each thread index that there is one for, and what is asked on the way to the leaf. */
interface Place {
  readonly bound: ReadonlyMap<ThreadTag, For>;
  readonly asked: readonly Expr[];
}

const isMemory = ({ scope }: Buffer): boolean => scope === "shared" || scope === "global";

/** The indices whose loops a store stands in and has nothing of: all their threads would store the same in the same place. */
function idle(s: Store, { bound, asked }: Place): readonly ThreadTag[] {
  const all = [...expressionsOf(s), ...asked];
  const own = all.some((e) => [...within(e)].some((x) => x.kind === "load" && (!isMemory(x.buffer) || x.buffer === s.buffer)));
  if (own) return [];
  return [...bound].flatMap(([tag, l]) => {
    const depends = isInt(l.extent, 1) || all.some((e) => mentions(e, new Set([l.variable])));
    return depends ? [] : [tag];
  });
}

/** The indices that have to be 0 where a leaf runs. W5594. */
function missing(s: Stmt, place: Place, launch: Launch): readonly ThreadTag[] {
  const { bound } = place;
  const open = threadTags.filter((tag) => extentOf(launch, tag) > 1 && !bound.has(tag));
  if (s.kind === "effect") return [];
  if (s.kind === "store") return s.buffer.scope === "local" ? [] : isMemory(s.buffer) ? [...open, ...idle(s, place)] : open;
  if (s.kind !== "intrinsic") return open;
  const called = intrinsicOf(s.name, spanOf(s));
  const { inner, outer, first } = groupFor(called, launch, spanOf(s));
  const apart = inner.find((tag) => bound.has(tag) && extentOf(launch, tag) > 1);
  if (apart !== undefined && called.participants !== "block")
    fail("W5594", { name: s.name, participants: called.participants, tag: apart }, spanOf(s));
  if (fillsRegisters(s)) return [];
  if (first?.tag === "threadIdx.x" && storesTile(s)) refusePart(s, called, extentOf(launch, first.tag));
  const copiesAlone = called.maps !== undefined && called.participants === "thread";
  const again = copiesAlone ? [...bound].filter(([tag, l]) => extentOf(launch, tag) > 1 && !chooses(l, s)) : [];
  return [...open.filter((tag) => outer.includes(tag)), ...again.map(([tag]) => tag)];
}

/** Whether it stores registers that all warps of a warpgroup would store together: those of mma.sync, whose matrices are tiles. */
const storesTile = ({ args }: Intrinsic): boolean => args.some(({ buffer }) => buffer.scope === "mma.accumulator");

/** Refuses an intrinsic that a part of the threads along x would run. W5595. */
const refusePart = (s: Intrinsic, { participants }: TensorIntrinsic, threads: number): never =>
  fail(
    "W5595",
    { name: s.name, participants, needed: participantThreads[participants] ?? threads, threads, along: "threadIdx.x" },
    spanOf(s),
  );

/** Whether a loop's iterations copy different parts by TMA: else one of its threads does it for all. */
const chooses = ({ variable }: For, s: Intrinsic): boolean =>
  s.args.some(({ ranges }) => ranges.some((r) => mentions(r.min, new Set([variable]))));

/** W5599. */
function checkNested(outer: For, inner: For, tag: ThreadTag): void {
  const depends = new Set<Buffer | Var>([outer.variable]);
  for (const e of expressions(inner.body))
    if (e.kind === "var" && depends.has(e))
      fail("W5599", { outer: outer.variable.name, inner: inner.variable.name, tag }, spanOf(inner));
}

interface Guarded {
  readonly stmt: Stmt;
  /** Indices that all leaves in it need to be 0, and that no leaf in it is free of. */
  readonly zero: ReadonlySet<ThreadTag>;
}

const none: ReadonlySet<ThreadTag> = new Set();

class Guards {
  readonly #launch: Launch;
  constructor(launch: Launch) {
    this.#launch = launch;
  }

  /** The statement, with loops of extent 1 around what needs them, but for those that the whole of it needs. */
  guard(s: Stmt, place: Place): Guarded {
    switch (s.kind) {
      case "seq": {
        const parts = s.body.map((x) => this.guard(x, place));
        const zero = intersection(parts);
        return { stmt: seq(...joined(parts, zero)), zero };
      }
      case "for": {
        const tag = isThreadTag(s.loop) ? s.loop : undefined;
        const around = tag && place.bound.get(tag);
        if (tag && around) checkNested(around, s, tag);
        const bound = tag ? new Map([...place.bound, [tag, s]]) : place.bound;
        const body = this.guard(s.body, { bound, asked: tag ? place.asked : [...place.asked, s.extent] });
        return { stmt: { ...s, body: body.stmt }, zero: body.zero };
      }
      case "block": {
        const body = this.guard(s.body, place);
        return { stmt: { ...s, body: body.stmt }, zero: body.zero };
      }
      case "if": {
        const inside: Place = { ...place, asked: [...place.asked, s.condition] };
        const [yes, no] = [this.guard(s.yes, inside), s.no && this.guard(s.no, inside)];
        const zero = intersection(no ? [yes, no] : [yes]);
        return { stmt: { ...s, yes: wrap(yes, zero), no: no && wrap(no, zero) }, zero };
      }
      default:
        return { stmt: s, zero: new Set(missing(s, place, this.#launch)) };
    }
  }
}

const intersection = (parts: readonly Guarded[]): ReadonlySet<ThreadTag> => {
  const [first, ...rest] = parts;
  return first ? new Set([...first.zero].filter((tag) => rest.every((p) => p.zero.has(tag)))) : none;
};

/** A statement under loops of extent 1 for what it needs beyond `known`. */
function wrap({ stmt, zero }: Guarded, known: ReadonlySet<ThreadTag>): Stmt {
  return threadTags
    .filter((tag) => zero.has(tag) && !known.has(tag))
    .reduce<Stmt>((body, tag) => loop(variable(`only_${tag.slice(-1)}`), one, body, { loop: tag }), stmt);
}

/** Statements in order; neighbours that need the same stand under one loop. */
function joined(parts: readonly Guarded[], known: ReadonlySet<ThreadTag>): readonly Stmt[] {
  const groups: { zero: ReadonlySet<ThreadTag>; body: Stmt[] }[] = [];
  for (const { stmt, zero } of parts) {
    const last = groups.at(-1);
    if (last && last.zero.size === zero.size && [...zero].every((tag) => last.zero.has(tag))) last.body.push(stmt);
    else groups.push({ zero, body: [stmt] });
  }
  return groups.map(({ zero, body }) => wrap({ stmt: seq(...body), zero }, known));
}

/** Puts what one thread runs under a loop of one iteration for that thread. */
export function bindThreads(program: Program, launch: Launch): Program {
  const whole = new Guards(launch).guard(program.body, { bound: new Map(), asked: [] });
  const hasGuards = [...statements(whole.stmt)].length > 0;
  return { ...program, body: hasGuards ? wrap(whole, none) : whole.stmt };
}
