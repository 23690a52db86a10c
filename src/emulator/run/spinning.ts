/**
 * Warps that poll. A warp that comes back to the same instruction with the same registers, and has changed nothing on its way, will do the
 * same again until another warp changes what it reads. So it rests meanwhile, like a warp whose wait was refused. Loops that count, or read
 * the clock, cannot be found this way: in kernels that listen to other blocks they get short turns, and not in every round.
 */
import type { Activation } from "../machine/activation.ts";
import { lanes } from "../machine/lanes.ts";
import type { Split, Warp } from "../machine/warp.ts";
import type { Program } from "../program/program.ts";
import { hasTrait } from "../program/traits.ts";
import type { Progress } from "./progress.ts";

/** Backward branches in a turn before a warp is looked at for the first time, and after it has rested; then twice as many each time. */
const firstLook = 2;
const lookAgain = 1;
/** Rounds that a warp may be passed over at most, while others change something. */
const longestRest = 32;
/** A warp that listens to others gets short turns after this many turns without an effect; their steps; the most rounds between two of them. */
const idleTurns = 2;
const idleSteps = 16;
const longestPause = 16;

interface Position {
  readonly split: Split;
  readonly pc: number;
  readonly mask: number;
  readonly activation: Activation;
}

const isAt = ({ split, pc, mask, activation }: Position, other: Split | undefined): boolean =>
  split === other && pc === other.pc && mask === other.mask && activation === other.activation && other.token === undefined;

/** All of a warp as it was: where its lanes are, and what their registers hold. */
class Look {
  #positions: readonly Position[] = [];
  #first = -1;
  #words = new Int32Array(0);
  readonly #carry = new Int32Array(lanes);
  /** Where it differed the last time: the counter of a loop, mostly. */
  #differs = 0;

  forget(): void {
    this.#first = -1;
  }

  take(warp: Warp, split: Split): void {
    const { i32, carry, splits } = warp;
    this.#first = split.pc;
    this.#positions = splits.map((each) => ({ split: each, pc: each.pc, mask: each.mask, activation: each.activation }));
    if (this.#words.length !== i32.length) this.#words = new Int32Array(i32.length);
    this.#words.set(i32);
    this.#carry.set(carry);
  }

  /** Whether the warp, whose turn is at this split, is so again. */
  fits(warp: Warp, split: Split): boolean {
    if (split.pc !== this.#first || warp.splits.length !== this.#positions.length) return false;
    return this.#positions.every((place, i) => isAt(place, warp.splits[i])) && this.#holds(warp);
  }

  #holds({ i32, carry }: Warp): boolean {
    const words = this.#words;
    if (i32[this.#differs] !== words[this.#differs]) return false;
    for (let i = 0; i < words.length; i++) {
      if (i32[i] === words[i]) continue;
      this.#differs = i;
      return false;
    }
    return this.#carry.every((bit, lane) => bit === carry[lane]);
  }
}

/** A warp that need not take its turn. */
interface Rest {
  /** Changes until it began, where it waits for the next one; undefined where it is only passed over for a while. */
  readonly since: number | undefined;
  readonly until: number;
  /** How many turns in a row have come to nothing. */
  readonly streak: number;
}

/** Of one launch. */
export class Spinning {
  readonly #program: Program;
  readonly #rests = new Map<Warp, Rest>();
  readonly #look = new Look();
  #round = 0;
  /** Rounds in which something has changed, and landings. */
  #changes = 0;
  /** In the turn: the last place, how often it was behind the one before, and when to look again. */
  #last = 0;
  #backs = 0;
  #next = 0;
  #gap = firstLook;
  /** Of the round, when the turn began. */
  #before: Pick<Progress, "ran" | "effect"> = { ran: false, effect: false };
  /** In the turn: a split spins; something has changed. */
  #found = false;
  #acted = false;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Something that a warp may wait for is different. */
  changed(): void {
    this.#changes += 1;
  }

  nextRound(): void {
    this.#round += 1;
  }

  /** Whether there is a warp that spins. */
  get any(): boolean {
    for (const [warp, { since }] of this.#rests) if (since !== undefined && warp.live !== 0) return true;
    return false;
  }

  isSpinning(warp: Warp): boolean {
    return this.#rests.get(warp)?.since !== undefined;
  }

  rests(warp: Warp): boolean {
    const rest = this.#rests.get(warp);
    return rest !== undefined && (rest.since === this.#changes || this.#round < rest.until);
  }

  /** Nobody else goes on: whoever is only passed over takes a turn. Gives whether there is one. */
  wake(): boolean {
    let some = false;
    for (const [warp, rest] of this.#rests) {
      if (warp.live === 0) this.#rests.delete(warp);
      if (warp.live === 0 || rest.since === this.#changes || rest.until <= this.#round) continue;
      this.#rests.set(warp, { ...rest, until: this.#round });
      some = true;
    }
    return some;
  }

  /** A turn of the warp begins; gives how many steps it has, of that many. */
  begins(warp: Warp, progress: Progress, steps: number): number {
    const rest = this.#rests.get(warp);
    this.#before = { ran: progress.ran, effect: progress.effect };
    this.#found = this.#acted = progress.effect = progress.hidden = false;
    this.#last = -1;
    this.#backs = 0;
    this.#gap = rest ? lookAgain : firstLook;
    this.#next = this.#gap;
    this.#look.forget();
    return rest && rest.since === undefined && rest.streak > idleTurns ? Math.min(steps, idleSteps) : steps;
  }

  /** Before a step of a split, in whose place it then waits: whether the warp is where it has been before. */
  recurs(warp: Warp, split: Split): boolean {
    const last = this.#last;
    this.#last = split.pc;
    if (split.pc > last) return false;
    if (this.#look.fits(warp, split)) {
      split.waiting = this.#found = true;
      return true;
    }
    if (++this.#backs < this.#next) return false;
    this.#look.take(warp, split);
    this.#gap *= 2;
    this.#next = this.#backs + this.#gap;
    return false;
  }

  /** After a step. What it has changed others may wait for, those of other splits, too. */
  took(progress: Progress): void {
    if (!progress.effect && !progress.hidden) return;
    this.#acted ||= progress.effect;
    this.#found = progress.effect = progress.hidden = false;
    this.#look.forget();
    this.#gap = firstLook;
    this.#next = this.#backs + this.#gap;
  }

  ends(warp: Warp, progress: Progress): void {
    const { ran, effect } = this.#before;
    const waits = warp.splits.every((split) => split.waiting);
    const spins = this.#found && waits;
    // A warp that spins has done nothing.
    if (spins && !this.#acted) progress.ran = ran;
    progress.effect = effect || this.#acted;
    const streak = (this.#rests.get(warp)?.streak ?? 0) + 1;
    if (spins) this.#rests.set(warp, { since: this.#changes, until: this.#round + Math.min(2 ** streak, longestRest), streak });
    else if (!this.#acted && !waits && hasTrait(this.#program, "pollsBlocks")) {
      const pause = streak > idleTurns ? Math.min(streak, longestPause) : 0;
      this.#rests.set(warp, { since: undefined, until: this.#round + pause, streak });
    } else this.#rests.delete(warp);
  }
}
