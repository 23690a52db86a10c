/**
 * Requires: compacted buffers. Ensures: threads meet where one of them has written shared or global memory and another reads or overwrites
 * it, or overwrites what the first has read, in the same iteration or the next, and only there.
 */
import { fail } from "../../errors/index.ts";
import { type Access, accessesIn, isByThreads, touchedByProxy } from "../../facts/accesses.ts";
import { extentOf, isThreadTag, type Launch } from "../../facts/launch.ts";
import { isAsync, isIndependent } from "../../facts/marks.ts";
import { groupsOf } from "../../facts/participants.ts";
import { Tags } from "../../facts/tags.ts";
import { intOf, seq, variable } from "../../ir/build.ts";
import type { Buffer, Effect, For, Program, Stmt, ThreadTag, Var } from "../../ir/types.ts";
import { mentions, substituteIn, within } from "../../ir/walk.ts";
import { effects } from "./effects.ts";
import { type Meeting, Meetings, type Together } from "./meetings.ts";

/** Accesses that are not yet behind a meeting of the threads. */
interface Open {
  readonly block: readonly Access[];
  /** Those of them that are not behind one of the warp either. */
  readonly warp: readonly Access[];
}
const nothing: Open = { block: [], warp: [] };
const both = (all: readonly Access[]): Open => ({ block: all, warp: all });
const joined = (a: Open, b: Open): Open => ({
  block: [...new Set([...a.block, ...b.block])],
  warp: [...new Set([...a.warp, ...b.warp])],
});

const isNear = ({ buffer }: Access): boolean => buffer.scope !== "global";
const withoutGlobal = ({ block, warp }: Open): Open => ({ block: block.filter(isNear), warp: warp.filter(isNear) });

/** A statement with its meetings. */
interface Placed {
  readonly stmt: Stmt;
  /** What it touches before its threads meet for the first time. */
  readonly first: Open;
  /** What it touches after they have met for the last time. */
  readonly last: Open;
  /** Who has met in it, surely. */
  readonly met: Meeting;
  /** Copies that have been begun and may not have ended. */
  readonly flight: readonly Access[];
}

/** Where a statement stands. */
interface Place {
  readonly loops: readonly { readonly stmt: Stmt; readonly variable: Var }[];
  readonly around: Around;
  /** Why not all threads come here, and which indices say who does. */
  readonly apart: { readonly why: string; readonly tags: readonly ThreadTag[] } | undefined;
}
type Around = NonNullable<Parameters<typeof accessesIn>[1]>;

const stronger = (a: Meeting, b: Meeting): Meeting => (a === "block" || b === "block" ? "block" : a === "warp" ? a : b);

/** A copy that an iteration before has begun: which one is not known. */
function ofAnyIteration(a: Access, l: For): Access {
  const other = variable(l.variable.name);
  const by = new Map([[l.variable, other]]);
  const loops = a.loops.map((x) => (x === l ? { ...x, variable: other } : x));
  return { ...a, loops, mins: a.mins.map((e) => substituteIn(e, by)) };
}

class Barriers {
  readonly #launch: Launch;
  readonly #meetings: Meetings;

  /** Shared buffers that are touched through the asynchronous proxy, and those of them that are filled so. */
  readonly #proxied: ReadonlySet<Buffer>;
  readonly #filled: ReadonlySet<Buffer>;

  constructor(launch: Launch, tags: Tags, all: readonly Access[]) {
    this.#launch = launch;
    this.#proxied = touchedByProxy(all);
    this.#filled = touchedByProxy(all.filter((a) => a.writes));
    this.#meetings = new Meetings(launch, tags);
  }

  #needed(before: Open, after: Open, together: Together): { readonly meeting: Meeting; readonly because: Access | undefined } {
    let meeting: Meeting = "none";
    let because: Access | undefined;
    for (const a of before.block) {
      for (const b of after.block) {
        const found = this.#meetings.between(a, b, together);
        const open = found === "warp" ? before.warp.includes(a) && after.warp.includes(b) : found === "block";
        if (!open || stronger(meeting, found) === meeting) continue;
        meeting = found;
        because = b;
      }
    }
    return { meeting, because };
  }

  /** The effect, where all threads pass. W5598. */
  #effect(meeting: Meeting, because: Access | undefined, place: Place): Effect {
    const { apart } = place;
    const warp = groupsOf(32, this.#launch);
    const splits = meeting === "block" ? apart !== undefined : apart?.tags.some((tag) => warp?.inner.includes(tag) ?? true);
    const span = because && "span" in because.by ? because.by.span : undefined;
    if (splits && apart) fail("W5598", { buffer: because?.buffer.name ?? "memory", why: apart.why }, span ? [span] : undefined);
    return { kind: "effect", op: meeting === "block" ? "syncThreads" : "syncWarp", args: [], span };
  }

  /** What stands before a meeting, so that wgmma sees what threads have stored, and TMA fills nothing that they still read. */
  #fence(pending: Open, by: Meeting): readonly Stmt[] {
    const ordered = (a: Access): boolean =>
      (a.writes && this.#proxied.has(a.buffer)) || (a.reads && isByThreads(a) && this.#filled.has(a.buffer));
    return by !== "none" && pending[by].some(ordered) ? [{ kind: "effect", op: "fenceProxyAsync", args: [] }] : [];
  }

  place(s: Stmt, place: Place, flight: readonly Access[]): Placed {
    switch (s.kind) {
      case "seq":
        return this.#seq(s.body, place, flight);
      case "for":
        return this.#loop(s, place, flight);
      case "block": {
        const around = { ...place.around, async: place.around.async || isAsync(s.annotations) };
        const body = this.place(s.body, { ...place, around }, flight);
        return { ...body, stmt: { ...s, body: body.stmt } };
      }
      case "if":
        return this.#if(s, place, flight);
      case "effect":
        return this.#given(s, flight);
      default: {
        const all = [...accessesIn(s, place.around)];
        const copies = all.filter((a) => a.async && a.writes);
        const now = both(all);
        return { stmt: s, first: now, last: now, met: "none", flight: [...new Set([...flight, ...copies])] };
      }
    }
  }

  #given(s: Effect, flight: readonly Access[]): Placed {
    const row = Object.hasOwn(effects, s.op) ? effects[s.op] : undefined;
    const last = row?.completes ? both(flight.map((a) => ({ ...a, reads: false, async: false }))) : nothing;
    return { stmt: s, first: nothing, last, met: row?.meets ?? "none", flight };
  }

  #seq(body: readonly Stmt[], place: Place, begun: readonly Access[]): Placed {
    const together: Together = { same: new Set(place.loops.map((l) => l.variable)) };
    const out: Stmt[] = [];
    let [first, last, flight] = [nothing, nothing, begun];
    let met = "none" as Meeting;
    const meet = (by: Meeting): void => {
      if (by === "block") last = nothing;
      if (by === "warp") last = { ...last, warp: [] };
      met = stronger(met, by);
    };
    for (const s of body) {
      const next = this.place(s, place, flight);
      const { meeting, because } = this.#needed(last, next.first, together);
      if (meeting !== "none") {
        for (const s of [...this.#fence(last, meeting), this.#effect(meeting, because, place)]) out.push(s);
        meet(meeting);
      }
      for (const s of this.#fence(last, next.met)) out.push(s);
      if (met !== "block")
        first = {
          block: [...first.block, ...next.first.block],
          warp: met === "warp" ? first.warp : [...first.warp, ...next.first.warp],
        };
      meet(next.met);
      last = joined(last, next.last);
      flight = next.flight;
      out.push(next.stmt);
    }
    return { stmt: seq(...out), first, last, met, flight };
  }

  #loop(s: Stmt & { kind: "for" }, place: Place, begun: readonly Access[]): Placed {
    const around: Around = { ...place.around, loops: [...place.around.loops, s] };
    if (isThreadTag(s.loop) || s.loop.startsWith("blockIdx")) {
      const there = extentOf(this.#launch, s.loop as ThreadTag);
      const some = isThreadTag(s.loop) && s.extent.kind === "const" && Number(s.extent.value) < there;
      const why = `only ${s.extent.kind === "const" ? s.extent.value : "some"} of ${there} indices ${s.loop} come here`;
      const tags = [...(place.apart?.tags ?? []), ...(some ? [s.loop as ThreadTag] : [])];
      const apart = some ? { why: place.apart?.why ?? why, tags } : place.apart;
      const body = this.place(s.body, { ...place, around, apart }, begun);
      return { ...body, stmt: { ...s, body: body.stmt } };
    }
    const inside: Place = {
      loops: [...place.loops, { stmt: s, variable: s.variable }],
      around,
      apart: place.apart ?? this.#split(s, place, `the extent of the loop \`${s.variable.name}\` is not the same in all threads`),
    };
    const once = this.place(s.body, inside, begun);
    if ((intOf(s.extent) ?? 2) <= 1) return { ...once, stmt: { ...s, body: once.stmt } };
    const older = once.flight.filter((a) => !begun.includes(a)).map((a) => ofAnyIteration(a, s));
    const body = older.length > 0 ? this.place(s.body, inside, [...begun, ...older]) : once;
    const outer = new Set(place.loops.map((l) => l.variable));
    const together: Together = body.met === "block" ? { same: outer, next: s.variable } : { same: outer, later: s.variable };
    const between = (open: Open): Open => (isIndependent(s) ? withoutGlobal(open) : open);
    const { meeting, because } = this.#needed(between(body.last), between(body.first), together);
    // A loop that may have no iteration meets nobody for sure.
    const sure = intOf(s.extent) !== undefined;
    if (meeting === "none") return { ...body, stmt: { ...s, body: body.stmt }, met: sure ? body.met : "none" };
    const stmt = { ...s, body: seq(...this.#fence(body.last, meeting), this.#effect(meeting, because, inside), body.stmt) };
    const met = stronger(body.met, meeting);
    const first = meeting === "block" ? nothing : { ...body.first, warp: [] };
    return { ...body, stmt, met: sure ? met : "none", first };
  }

  #if(s: Stmt & { kind: "if" }, place: Place, flight: readonly Access[]): Placed {
    const apart = place.apart ?? this.#split(s, place, "what is asked here is not the same in all threads");
    const around = { ...place.around, conditions: [...place.around.conditions, s] };
    const asked = both([...accessesIn({ ...s, yes: seq(), no: undefined }, place.around)]);
    const yes = this.place(s.yes, { ...place, around, apart }, flight);
    const no = s.no && this.place(s.no, { ...place, around, apart }, yes.flight);
    const first = joined(asked, no ? joined(yes.first, no.first) : yes.first);
    const last = joined(asked, no ? joined(yes.last, no.last) : yes.last);
    const met = no && yes.met === no.met ? yes.met : "none";
    return { stmt: { ...s, yes: yes.stmt, no: no?.stmt }, first, last, met, flight: (no ?? yes).flight };
  }

  /** Do the threads of a block differ in what decides here? */
  #split(s: Stmt, place: Place, why: string): Place["apart"] {
    const decides = s.kind === "if" ? s.condition : s.kind === "for" ? s.extent : undefined;
    if (!decides) return undefined;
    const bound = place.around.loops.filter((l) => isThreadTag(l.loop));
    const tags = bound.filter((l) => mentions(decides, new Set([l.variable]))).map((l) => l.loop as ThreadTag);
    const loads = [...within(decides)].some((e) => e.kind === "load" && e.buffer.scope !== "global");
    if (loads) return { why, tags: ["threadIdx.x", "threadIdx.y", "threadIdx.z"] };
    return tags.length > 0 ? { why, tags } : undefined;
  }
}

/** Puts in what makes threads meet. */
export function insertBarriers(program: Program, launch: Launch): Program {
  if (launch.block.every((n) => n === 1)) return program;
  const tags = new Tags(launch);
  for (const { loops } of accessesIn(program.body)) for (const l of loops) tags.of(l);
  const around: Around = { loops: [], conditions: [], async: false };
  const barriers = new Barriers(launch, tags, [...accessesIn(program.body)]);
  return { ...program, body: barriers.place(program.body, { loops: [], around, apart: undefined }, []).stmt };
}
