/**
 * Where lanes of a warp have come from. Lanes that came to a function by the same calls share one activation, so that they can join
 * there; each lane has registers, local memory and parameters of its own.
 *
 * The registers of a function are rows like those of the kernel, at fixed places: a function that is not called from within itself
 * needs nothing more. A recursive call saves the rows of its lanes, and the return brings them back.
 */

import { forEachLane, lanes } from "./lanes.ts";

/** One function called at one place, as far as the registers of its lanes are concerned. */
export interface CallSite {
  readonly callee: {
    /** Its registers in the buffer of a warp; `at` from the first of them. */
    readonly firstWord: number;
    readonly words: number;
    readonly rows: readonly { readonly at: number; readonly width: number }[];
  };
}

export interface Activation {
  readonly outer: Activation | undefined;
  /** Undefined for the kernel. */
  readonly call: CallSite | undefined;
  readonly depth: number;
  /** Who is in it, or in what it has called. */
  lanes: number;
  inner: Map<CallSite, Activation> | undefined;
  /** The one of `inner` that was left last: a loop calls the same again. */
  spare: Activation | undefined;
  /** The stacks of the lanes as they were before the call. */
  readonly base: Int32Array;
  readonly top: Int32Array;
  /** What the rows held that the call uses anew. */
  readonly saved: Int32Array | undefined;
  /** Of a thread: return addresses and registers, of this activation and those around it, in bytes. */
  readonly savedBytes: number;
}

const none = new Int32Array(0);
const addressBytes = 8;
export const kernelActivation = (mask: number): Activation => ({
  outer: undefined,
  call: undefined,
  depth: 0,
  lanes: mask,
  inner: undefined,
  spare: undefined,
  base: none,
  top: none,
  saved: undefined,
  savedBytes: 0,
});

function isActive(a: Activation, callee: CallSite["callee"]): boolean {
  for (let at: Activation | undefined = a; at; at = at.outer) if (at.call?.callee === callee) return true;
  return false;
}

/** The activation that a call leads to. */
export function activate(outer: Activation, call: CallSite, mask: number): Activation {
  const spare = outer.spare?.call === call ? outer.spare : undefined;
  outer.inner ??= new Map();
  const activation = outer.inner.get(call) ?? spare ?? make(outer, call);
  activation.lanes |= mask;
  outer.inner.set(call, activation);
  return activation;
}

function make(outer: Activation, call: CallSite): Activation {
  const { words } = call.callee;
  const recursive = isActive(outer, call.callee);
  return {
    outer,
    call,
    depth: outer.depth + 1,
    lanes: 0,
    inner: undefined,
    spare: undefined,
    base: new Int32Array(lanes),
    top: new Int32Array(lanes),
    saved: recursive ? new Int32Array(words) : undefined,
    savedBytes: outer.savedBytes + addressBytes + (recursive ? (4 * words) / lanes : 0),
  };
}

/** Lanes leave an activation. */
export function release(a: Activation, mask: number): void {
  a.lanes &= ~mask;
  if (a.lanes !== 0 || !a.call || !a.outer) return;
  a.outer.inner?.delete(a.call);
  a.outer.spare = a;
}

/** Copies the registers of lanes between a function's rows and what is saved of them. */
export function copyRegisters(a: Activation, all: Int32Array, mask: number, way: "save" | "restore"): void {
  const { saved, call } = a;
  if (!saved || !call) return;
  const { firstWord, words, rows } = call.callee;
  const registers = all.subarray(firstWord, firstWord + words);
  const [from, to] = way === "save" ? [registers, saved] : [saved, registers];
  if (mask === -1) {
    to.set(from);
    return;
  }
  for (const { at, width } of rows) {
    forEachLane(mask, (lane) => {
      for (let k = at + width * lane; k < at + width * (lane + 1); k++) to[k] = from[k] ?? 0;
    });
  }
}
