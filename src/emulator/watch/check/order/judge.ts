/** Whether an access may follow an earlier one, and what to say where it may not. */

import { type Instruction, traitsOf } from "../../../../ptx/parse/index.ts";
import type { ErrorCode } from "../../../errors/index.ts";
import type { Region } from "../../../machine/memory.ts";
import { type CheckContext, inPractice } from "../context.ts";
import { memoryName } from "../names.ts";
import type { Access, Touched } from "./access.ts";
import type { Knowledge } from "./clock.ts";
import type { Judge } from "./touching.ts";

/** `assumed`: in order on today's hardware, though the manual does not promise it. */
type Verdict = "before" | "assumed" | "unordered" | "unfenced";

/** What an access lacks that may not follow. */
type Missing = Exclude<Verdict, "before" | "assumed">;

/** The lane whose program order counts, or none: then every lane must know. */
export const noLane = -1;

/** One access under way. One object serves for all: they come one after the other. */
export class AccessJudge implements Judge {
  readonly #c: CheckContext;
  #access: Access | undefined;
  #known: Knowledge | undefined;
  #lane = noLane;
  #changes = true;
  #ownSlot = -1;
  #region: Region | undefined;
  #offset = 0;
  #bytes = 0;

  constructor(c: CheckContext) {
    this.#c = c;
  }

  /** `ownSlot`: of the warp that does it or issues it. `changes`: it has changed some byte. */
  begin(access: Access, known: Knowledge, ownSlot: number, lane: number, changes = true): this {
    this.#access = access;
    this.#known = known;
    this.#ownSlot = ownSlot;
    this.#lane = lane;
    this.#changes = changes;
    return this;
  }
  /** Where it goes. */
  over(region: Region, offset: number, bytes: number): this {
    this.#region = region;
    this.#offset = offset;
    this.#bytes = bytes;
    return this;
  }
  before(entry: Touched): boolean {
    const verdict = this.#verdict(entry);
    if (verdict === "before" || verdict === "assumed" || !this.#access) return true;
    return this.#c.tolerance !== "report" && this.#isPractice(entry, this.#access, verdict);
  }

  conflict(entry: Touched): boolean {
    if (this.#breaksReadOnly(entry.access)) {
      this.#report(entry, "read-only");
      return true;
    }
    const verdict = this.#verdict(entry);
    const access = this.#access;
    if (verdict === "before" || !access) return true;
    if (verdict === "assumed") {
      if (this.#c.tolerance !== "ignore") this.#report(entry, "unordered", inPractice);
      return true;
    }
    if (!this.#isPractice(entry, access, verdict)) {
      this.#report(entry, verdict);
      return false;
    }
    // Lanes of one instruction that write two values leave one of them: `normal` lets that pass, but there is nothing to be said for it.
    const excuse = entry.access === access && this.#changes ? "" : inPractice;
    if (this.#c.tolerance !== "ignore") this.#report(entry, verdict, excuse);
    return this.#c.tolerance !== "report" && !this.#isSameValue(entry, access);
  }

  get changes(): boolean {
    return this.#changes;
  }

  beside(entry: Touched): boolean {
    return this.#c.tolerance !== "report" && this.#access !== undefined && this.#isSameValue(entry, this.#access);
  }

  /** What working code does although the manual does not promise it (docs/decisions/0008). */
  #isPractice(entry: Touched, access: Access, verdict: Missing): boolean {
    const earlier = entry.access;
    if (verdict === "unfenced" && earlier.writes) return earlier.agent.kind === "cp.async" && access.agent.kind === "wgmma";
    if (verdict === "unfenced") return !traitsOf(this.#instructionOf(earlier)).overtaken;
    // Lanes of one instruction that write the same bytes: mostly equal values.
    return earlier === access || this.#isSameValue(entry, access) || isSameCopy(earlier, access);
  }

  #instructionOf({ at, agent }: Access): Instruction | undefined {
    return (agent.program ?? this.#c.program).instructions[at];
  }
  #isVolatile(access: Access): boolean {
    return this.#instructionOf(access)?.opcode.modifiers.order === "volatile";
  }

  /** Two threads store the same, by one instruction or as a constant: whichever comes last. */
  #isSameValue({ access: earlier, mixed }: Touched, access: Access): boolean {
    if (this.#changes || mixed || !earlier.writes || !access.writes || earlier === access) return false;
    if (earlier.agent.kind !== "lane" || access.agent.kind !== "lane") return false;
    return earlier.at === access.at || (earlier.value !== undefined && earlier.value === access.value);
  }

  /** One of the two reads by the cache that no write reaches, in the same launch. */
  #breaksReadOnly(earlier: Access): boolean {
    return (earlier.nonCoherent || this.#access?.nonCoherent || false) && earlier.agent.kind !== "launch";
  }

  #verdict(entry: Touched): Verdict {
    const access = this.#access;
    const known = this.#known;
    if (!access || !known) return "before";
    const earlier = entry.access;
    const { home, slot, tick } = earlier;
    let { lanes } = entry;
    const own = this.#lane !== noLane && earlier.agent.kind === "lane" && slot === this.#ownSlot && home === known.generic.home;
    if (own) lanes &= ~(1 << this.#lane);
    if (compatible(earlier, access)) {
      // Old code of warps takes volatile accesses of its lanes to be in step.
      const isInStep = own && lanes !== 0 && this.#isVolatile(earlier) && this.#isVolatile(access);
      return isInStep && !known.generic.covers(home, slot, tick, lanes) ? "assumed" : "before";
    }
    const isOrdered = lanes === 0 || known.generic.covers(home, slot, tick, lanes);
    if (!isOrdered && !known.follows(home, slot, tick, lanes)) return "unordered";
    if (access.proxy === "async" && earlier.proxy !== "async") {
      const clock = this.#region?.space === "global" ? known.global : known.shared;
      if (!clock.covers(home, slot, tick, entry.lanes)) return "unfenced";
    }
    return isOrdered ? "before" : "assumed";
  }

  /** `excuse`: what is said for it, where practice tolerates it. */
  #report(entry: Touched, verdict: Missing | "read-only", excuse?: string): void {
    const access = this.#access;
    const region = this.#region;
    if (!access || !region) return;
    const words = () => {
      // Waits have been passed where nothing but a fence is missing.
      const since = verdict === "unordered" ? entry.access.agent.since() : undefined;
      const lanes = this.#lane === noLane ? entry.lanes : 1 << this.#lane;
      return {
        kernel: this.#c.program.name,
        who: access.agent.describe(access, lanes),
        what: memoryName(region.space, region.base + this.#offset, this.#bytes, this.#c),
        other: entry.access.agent.describe(entry.access, entry.lanes),
        since: [since, excuse].filter(Boolean).join("; "),
        ofLoad: entry.access.agent.kind === "load" || entry.access.agent.kind === "cp.async",
        sameInBlocks: isSameStore(entry.access, access) && access.agent.block !== entry.access.agent.block,
      };
    };
    const other = { note: "the other access is at", at: entry.access.at, program: entry.access.agent.program };
    const code = codeOf(entry.access, access, verdict);
    if (excuse === undefined) this.#c.reports.add(code, words, access.at, [other]);
    else this.#c.reports.tolerate(code, words, access.at, [other]);
  }
}

/** Lanes of one instruction issue the same copy: epilogues do with a store, cooperative groups with `cp.async`. The last one stands for all. */
const isSameCopy = (a: Access, b: Access): boolean => a.copy !== undefined && a.copy === b.copy;

/** Several threads together do an access: it has to come after the earlier ones for each of them. */
export function together(judge: AccessJudge, begins: readonly ((judge: AccessJudge) => void)[]): Judge {
  const all = (ask: (entry: Touched) => boolean) => (entry: Touched) =>
    begins.every((begin) => {
      begin(judge);
      return ask(entry);
    });
  return {
    conflict: all((entry) => judge.conflict(entry)),
    before: all((entry) => judge.before(entry)),
    changes: judge.changes,
    beside: (entry) => judge.beside(entry),
  };
}

/** Plain stores of threads by one instruction. */
const isSameStore = (a: Access, b: Access): boolean =>
  a.agent.kind === "lane" &&
  b.agent.kind === "lane" &&
  a.writes &&
  b.writes &&
  a.at === b.at &&
  a.strong === "" &&
  b.strong === "";

/** Atomic accesses to one place do not race where the scope of each holds the other. */
function compatible(a: Access, b: Access): boolean {
  if (a.strong === "" || b.strong === "") return false;
  if (a.agent.block === b.agent.block || (a.strong === "wide" && b.strong === "wide")) return true;
  // A cluster is one home.
  return a.strong !== "cta" && b.strong !== "cta" && a.home === b.home && a.agent.kind !== "launch";
}

type ConflictCode = Extract<
  ErrorCode,
  "W9201" | "W9202" | "W9203" | "W9204" | "W9205" | "W9206" | "W9207" | "W9208" | "W9225" | "W9227" | "W9246"
>;

function codeOf(earlier: Access, later: Access, verdict: Missing | "read-only"): ConflictCode {
  if (verdict === "read-only") return "W9227";
  if (earlier.ofMap) return "W9246";
  if (verdict === "unfenced") return earlier.writes ? "W9202" : "W9203";
  switch (earlier.agent.kind) {
    case "lane":
      // Whoever came first in this run: the other way round it is the same mistake.
      return later.agent.kind === "load" && later.writes ? "W9204" : "W9201";
    case "launch":
      return "W9225";
    case "wgmma":
      return "W9207";
    case "load":
    case "cp.async":
      if (!earlier.writes) return "W9205";
      return later.agent.kind === "load" ? "W9208" : "W9204";
    case "store":
      if (!earlier.writes) return "W9205";
      return later.agent.kind === "store" ? "W9208" : "W9206";
  }
}
