/** What statements of a program read and write, with intrinsics as their descriptions say. */
import { intrinsicAccess } from "../intrinsics/access.ts";
import { type Accesses, accessesOf, axesKnown } from "../ir/regions.ts";
import type { Known } from "../ir/simplify.ts";
import type { Block, Buffer, Stmt, Var } from "../ir/types.ts";
import { expressions, statements } from "../ir/walk.ts";

/** By the statement, then by what is known there and what is over it: a step asks the same of each buffer, and nobody changes any of them. */
const found = new WeakMap<Stmt, WeakMap<Known, WeakMap<ReadonlySet<Var>, Accesses>>>();
const nothing: ReadonlySet<Var> = new Set();

/** The parts of buffers that a statement touches: `accessesOf`. */
export function touchedBy(s: Stmt, known: Known, over: ReadonlySet<Var> = nothing): Accesses {
  const of = over.size === 0 ? nothing : over;
  const here = found.get(s) ?? new WeakMap<Known, WeakMap<ReadonlySet<Var>, Accesses>>();
  found.set(s, here);
  const there = here.get(known) ?? new WeakMap<ReadonlySet<Var>, Accesses>();
  here.set(known, there);
  const accesses = there.get(of) ?? accessesOf(s, known, intrinsicAccess, of);
  there.set(of, accesses);
  return accesses;
}
/** The parts that one instance of a block touches, in its axes; what only its init reads is left out. */
export const touchedByBlock = (b: Block, known: Known = new Map()): Accesses => touchedBy(b.body, axesKnown(b, known));

interface Touched {
  readonly reads: ReadonlySet<Buffer>;
  readonly writes: ReadonlySet<Buffer>;
}
const buffersOf = new WeakMap<Stmt, Touched>();

function touched(s: Stmt): Touched {
  const known = buffersOf.get(s);
  if (known) return known;
  const [read, written] = [new Set<Buffer>(), new Set<Buffer>()];
  for (const e of expressions(s)) if (e.kind === "load") read.add(e.buffer);
  for (const x of statements(s)) {
    if (x.kind === "store") written.add(x.buffer);
    if (x.kind !== "intrinsic") continue;
    const does = intrinsicAccess(x);
    x.args.forEach((region, i) => {
      if (does[i]?.reads) read.add(region.buffer);
      if (does[i]?.writes) written.add(region.buffer);
    });
  }
  const made: Touched = { reads: read, writes: written };
  buffersOf.set(s, made);
  return made;
}

/** Whether a statement writes a buffer somewhere. */
export const writes = (s: Stmt, buffer: Buffer): boolean => touched(s).writes.has(buffer);
/** Whether a statement reads a buffer somewhere. */
export const reads = (s: Stmt, buffer: Buffer): boolean => touched(s).reads.has(buffer);

/** The buffers that a block writes, in the order they first appear. */
export function writtenBuffers(b: Block): readonly Buffer[] {
  const all = new Set<Buffer>();
  for (const s of statements(b.body)) {
    if (s.kind === "store") all.add(s.buffer);
    if (s.kind === "intrinsic") for (const [i, r] of s.args.entries()) if (intrinsicAccess(s)[i]?.writes) all.add(r.buffer);
  }
  return [...all];
}
/** The buffers that a block reads, in the order they first appear; with an init, what it adds to is not among them. */
export function readBuffers(b: Block): readonly Buffer[] {
  const written = new Set(writtenBuffers(b));
  const all = new Set<Buffer>();
  const add = (x: Buffer): void => void (!(b.init && written.has(x)) && all.add(x));
  for (const e of expressions(b.body)) if (e.kind === "load") add(e.buffer);
  for (const s of statements(b.body))
    if (s.kind === "intrinsic") for (const [i, r] of s.args.entries()) if (intrinsicAccess(s)[i]?.reads) add(r.buffer);
  return [...all];
}
