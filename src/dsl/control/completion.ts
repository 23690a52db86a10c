import type { StagedScalar } from "../trace/scalar.ts";
import { type Known, nothingKnown } from "./known.ts";

export type ExitKind = "ret" | "brk" | "cont";

/** One way in which a statement list may end early. `flag`: where it did; true where it surely did. */
export interface Exit {
  readonly kind: ExitKind;
  readonly label: string | undefined;
  readonly flag: StagedScalar | true;
  /** What `return` gave; `absent` for the others. */
  readonly value: unknown;
  /** What is known where the list ended so. */
  readonly known: Known;
}

/** Stands for a value on the ways on which there is none and nobody reads it. */
export const absent: unique symbol = Symbol("no value");

/** Why a statement list ended, where it may have ended early. */
export class Leaving {
  readonly exits: readonly Exit[];
  /** It never ran to its end. */
  readonly sure: boolean;
  /** The thread has ended. */
  readonly exited: boolean;
  /** What is known where the list ran to its end. */
  readonly stays: Known;
  constructor(exits: readonly Exit[], sure: boolean, { exited = false, stays = nothingKnown } = {}) {
    this.exits = exits;
    this.sure = sure;
    this.exited = exited;
    this.stays = stays;
  }
}

export type Ended = Leaving | undefined;

/** The thread has ended: nothing after it is reached. */
export const threadEnded = new Leaving([], true, { exited: true });

export const leave = (kind: ExitKind, label: string | undefined, value: unknown = absent): Leaving =>
  new Leaving([{ kind, label, flag: true, value, known: nothingKnown }], true);

export const exitKey = (exit: Exit): string => `${exit.kind} ${exit.label ?? ""}`;

/** A completion as hooks pass it through transformed code, which does not look into it. Made here alone. */
export function ended(completion: unknown): Ended {
  if (completion === undefined) return undefined;
  if (completion instanceof Leaving) return completion;
  throw new TypeError("a statement ended in a way that no hook made");
}

/** What remains when the statement that `names` ends here: the exits that go further, and whether its end is surely not reached. */
export function without(end: Ended, ends: (exit: Exit) => boolean): Ended {
  if (!end || end.exited) return end;
  const exits = end.exits.filter((exit) => !ends(exit));
  if (exits.length === 0) return undefined;
  if (exits.length === end.exits.length) return end;
  const goOn = end.exits.filter(ends).map((exit) => exit.known);
  return new Leaving(exits, false, { stays: common(end.sure ? goOn : [end.stays, ...goOn]) });
}

/** What is known on each of several ways. */
export const common = (ways: readonly Known[]): Known => (ways.length === 0 ? nothingKnown : ways.reduce((a, b) => a.and(b)));

/** Does the exit name a loop or block with these labels? Breaks and continues without a label name the innermost. */
export const names = (exit: Exit, kinds: readonly ExitKind[], labels: readonly string[], unlabelled = true): boolean =>
  kinds.includes(exit.kind) && (exit.label === undefined ? unlabelled : labels.includes(exit.label));
