/**
 * What fences pass on and hear (PTX ISA 8.8): a relaxed write behind a fence passes on what its thread had to pass on there; a fence behind a relaxed
 * read hears what was passed on with the value.
 *
 * Both are of one thread. Working code has each thread of a block fence, meet the others at a barrier, and one of them write for all; and one
 * read, meet, and each fence (PyTorch's and Fuser's reductions over blocks). The manual does not promise that; the hardware has done at a fence
 * what it asks for. So threads that meet share what their fences pass on, as something that is assumed.
 */
import { Notes } from "../../../machine/notes.ts";
import type { Tolerance } from "../../../run/reports.ts";
import { type Home, Knowledge } from "./clock.ts";

/** By lane. What is in it is not changed any more. */
type OfLanes = (Knowledge | undefined)[];

/** `passed`: at the last fence; `released`: at the last one of the whole machine; `heard`: read since the last fence. */
const kinds = ["passed", "released", "heard"] as const;
type Kind = (typeof kinds)[number];

/** Of those who meet, what each brings. */
interface Brought extends Record<Kind, Set<Knowledge>> {
  /** Stands for all of it, and refers to none. */
  readonly token: object;
}

const brought = new Notes<Brought>();
/** What was made of all that was brought to one meeting: who has it has the rest. */
const madeAt = new Notes<object>();

/** Of the lanes of one warp. */
export class Fences {
  readonly #home: Home;
  readonly #of: Record<Kind, OfLanes> = { passed: [], released: [], heard: [] };
  /** Something is there. */
  #any = false;

  constructor(home: Home) {
    this.#home = home;
  }

  get(kind: Kind, lane: number): Knowledge | undefined {
    return this.#of[kind][lane];
  }

  set(kind: Kind, lane: number, known: Knowledge | undefined): void {
    this.#of[kind][lane] = known;
    this.#any ||= known !== undefined;
  }

  /** No lane has read anything that was passed on. */
  get hasHeardNothing(): boolean {
    return this.#of.heard.every((heard) => heard === undefined);
  }

  /** Lanes come to a barrier of their block. */
  bring(mask: number, meeting: object): void {
    if (!this.#any) return;
    let all = brought.get(meeting);
    if (!all) {
      all = { passed: new Set(), released: new Set(), heard: new Set(), token: {} };
      brought.set(meeting, all);
    }
    for (const kind of kinds) this.#each(kind, mask, (known) => all[kind].add(known));
  }

  /** Lanes leave it. */
  take(mask: number, meeting: object, tolerance: Tolerance): void {
    const all = brought.get(meeting);
    if (!all) return;
    for (const kind of kinds) {
      if (all[kind].size === 0) continue;
      const shared = new Map<Knowledge | undefined, Knowledge>();
      for (let lane = 0; lane < 32; lane++) {
        if (((mask >>> lane) & 1) === 0) continue;
        const own = this.#of[kind][lane];
        let both = shared.get(own);
        if (!both) {
          both = this.#with(own, all[kind], all.token, tolerance);
          shared.set(own, both);
        }
        this.set(kind, lane, both);
      }
    }
  }

  /** Its own, and that of others, which is assumed. */
  #with(own: Knowledge | undefined, others: ReadonlySet<Knowledge>, token: object, tolerance: Tolerance): Knowledge {
    const made = own && madeAt.get(own);
    const isKnown = (other: Knowledge): boolean => other === own || (made !== undefined && madeAt.get(other) === made);
    if (own && [...others].every(isKnown)) return own;
    const both = new Knowledge(this.#home);
    if (own) both.join(own);
    for (const other of others) {
      if (other === own) continue;
      if (tolerance === "ignore") both.join(other);
      else if (tolerance === "warn") both.assumes(other);
      else both.supposes(other);
    }
    madeAt.set(both, token);
    return both;
  }

  #each(kind: Kind, mask: number, visit: (known: Knowledge) => void): void {
    const of = this.#of[kind];
    for (let lane = 0; lane < of.length; lane++) {
      const known = of[lane];
      if (known && ((mask >>> lane) & 1) !== 0) visit(known);
    }
  }
}
