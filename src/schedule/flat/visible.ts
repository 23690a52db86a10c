/**
 * Whether threads and blocks of a launch see what they read. Each thread has registers of its own and each block shared memory of its own: what
 * they read there they have written themselves. Blocks do not wait for one another: what one of them writes to global memory no other one
 * touches, unless all of them write the same before they read it. And what threads store at the same time in the same place is the same.
 */

import type { Span } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { type Access, accessesIn } from "../facts/accesses.ts";
import { blockTags, isBlockTag, isThreadTag, threadTags } from "../facts/launch.ts";
import { apart, type Part } from "../facts/order.ts";
import { fillsRegisters } from "../intrinsics/access.ts";
import { int, intOf } from "../ir/build.ts";
import { type Bounds, bounded, simplify } from "../ir/simplify.ts";
import type { Buffer, Expr, For, Program, ThreadTag, Var } from "../ir/types.ts";
import { loopsOf, substituteIn, within } from "../ir/walk.ts";
import { flattenBlocks } from "./flatten-blocks.ts";
import { lowerInit } from "./lower-init.ts";
import { simplifyIndices } from "./simplify-indices.ts";

/** Two accesses of a buffer by different threads, or blocks, that do not see its memory of one another. */
export interface Unseen {
  readonly buffer: Buffer;
  readonly tag: ThreadTag;
  readonly write: Access;
  readonly other: Access;
  /** The loops of that index around each, the innermost; undefined where there is none. */
  readonly loops: readonly [For | undefined, For | undefined];
}

const tags = [...blockTags, ...threadTags];
const isTag = (l: For): boolean => isThreadTag(l.loop) || isBlockTag(l.loop);
const innermost = ({ loops }: Access, tag: ThreadTag): For | undefined => loops.findLast((l) => l.loop === tag);

class Visibility {
  readonly #all: readonly Access[];
  /** Indices that there is more than one of. */
  readonly #several: readonly ThreadTag[];
  readonly #variables = new Map<ThreadTag, Var>();
  readonly #sizes: ReadonlySet<Var>;

  constructor(program: Program) {
    const flat = simplifyIndices(flattenBlocks(lowerInit(program)));
    this.#all = [...accessesIn(flat.body)];
    const loops = loopsOf(flat);
    this.#several = tags.filter((tag) => loops.some((l) => l.loop === tag && intOf(l.extent) !== 1));
    this.#sizes = new Set(program.sizes);
  }

  *unseen(): Generator<Unseen> {
    if (this.#several.length === 0) return;
    for (const buffer of new Set(this.#all.map((a) => a.buffer))) {
      const of = this.#all.filter((a) => a.buffer === buffer);
      const writes = of.filter((a) => a.writes);
      for (const write of writes)
        for (const other of of) {
          const found = buffer.scope === "global" ? this.#betweenBlocks(write, other, writes) : this.#ofOthers(write, other);
          if (found) yield found;
        }
      if (buffer.scope === "shared" || buffer.scope === "global")
        for (const write of writes) {
          const found = this.#overwritten(write);
          if (found) yield found;
        }
    }
  }

  /** Iterations that run at the same time store something else in one place, which no index chooses by them. */
  #overwritten(write: Access): Unseen | undefined {
    const { by, buffer, loops, conditions } = write;
    if (by.kind !== "store") return undefined;
    const tag = this.#several.find((t) => {
      const loop = innermost(write, t);
      if (!loop || (buffer.scope === "shared" && isBlockTag(t))) return false;
      const own = loops.filter((l) => l.loop === t);
      const depends = (e: Expr): boolean => own.some((l) => mentions(e, l));
      return depends(by.value) && !by.indices.some(depends) && !conditions.some((c) => choosesOne(c.condition, loop));
    });
    const loop = tag && innermost(write, tag);
    return tag && { buffer, tag, write, other: write, loops: [loop, loop] };
  }

  /** Something is read of memory of its own that another thread, or block, has written. */
  #ofOthers(write: Access, read: Access): Unseen | undefined {
    if (!read.reads) return undefined;
    const { buffer } = write;
    const own = this.#several.filter((tag) => buffer.scope !== "shared" || isBlockTag(tag));
    // What is not bound runs in all of them, but for what a group of threads stores in memory, which one of the groups does.
    const { by } = write;
    const inEachThread = by.kind === "store" || (by.kind === "intrinsic" && fillsRegisters(by));
    const runsInAll = (tag: ThreadTag): boolean => inEachThread || isBlockTag(tag);
    const tag = own.find((t) => {
      const [a, b] = [innermost(write, t), innermost(read, t)];
      return a !== b && !(a === undefined && runsInAll(t)) && (!a || !b || this.#mayDiffer(write, read, t));
    });
    return tag && { buffer, tag, write, other: read, loops: [innermost(write, tag), innermost(read, tag)] };
  }

  /** Something in global memory is touched by a block while another one writes it. */
  #betweenBlocks(write: Access, other: Access, writes: readonly Access[]): Unseen | undefined {
    const tag = this.#several.filter(isBlockTag).find((t) => {
      const [a, b] = [innermost(write, t), innermost(other, t)];
      if (a !== b)
        return (!a || !b || this.#mayDiffer(write, other, t)) && !(a === undefined && this.#isSame(write, other, writes));
      return a === undefined && !this.#isSame(write, other, writes);
    });
    return tag && { buffer: write.buffer, tag, write, other, loops: [innermost(write, tag), innermost(other, tag)] };
  }

  /** All blocks write the same, of what nobody writes, and read it afterwards. */
  #isSame(write: Access, other: Access, writes: readonly Access[]): boolean {
    const { by, loops } = write;
    if (by.kind !== "store" || writes.some((w) => w.by !== by)) return false;
    const isPure = [...within(by.value)].every(
      (e) => e.kind !== "load" || !this.#all.some((a) => a.writes && a.buffer === e.buffer),
    );
    const isLater = this.#all.indexOf(other) >= this.#all.indexOf(write);
    const again = loops.some((l) => other.loops.includes(l) && other.by !== by && !by.indices.some((i) => mentions(i, l)));
    return isPure && isLater && !again;
  }

  /** Whether accesses of one element may have different values of that index. */
  #mayDiffer(a: Access, b: Access, tag: ThreadTag): boolean {
    const same = new Set(this.#sizes);
    for (const t of tags) if (innermost(a, t) && innermost(a, t) === innermost(b, t)) same.add(this.#tag(t));
    const [x, y] = [this.#part(a, new Map()), this.#part(b, twins(a, b))];
    const loops = new Set([...x.known.keys(), ...y.known.keys()].filter((v) => !same.has(v)));
    return apart(x, y, loops, same)?.has(this.#tag(tag)) ?? false;
  }

  #tag(tag: ThreadTag): Var {
    const known = this.#variables.get(tag) ?? ({ kind: "var", name: tag, dtype: "i32" } as const);
    this.#variables.set(tag, known);
    return known;
  }

  /** An access in indices of the hardware. */
  #part(a: Access, by: ReadonlyMap<Var, Var>): Part {
    const to = new Map<Var, Expr>(by);
    const known = new Map<Var, Bounds>();
    for (const l of a.loops) {
      const v = isTag(l) ? this.#tag(l.loop as ThreadTag) : (by.get(l.variable) ?? l.variable);
      to.set(l.variable, v);
      known.set(v, bounded(substituteIn(l.extent, to)));
    }
    return { mins: a.mins.map((e) => substituteIn(e, to)), extents: a.extents.map((e) => substituteIn(e, to)), known };
  }
}

/** Iterations that are looked at one by one. */
const mostTried = 1024;

/** Whether a condition holds in one iteration of a loop at most. One that merely depends on it may hold in several, which run at the same time. */
function choosesOne(condition: Expr, loop: For): boolean {
  if (condition.kind === "binary" && condition.op === "&&") return choosesOne(condition.a, loop) || choosesOne(condition.b, loop);
  if (!mentions(condition, loop)) return false;
  const { variable, extent } = loop;
  if (condition.kind === "binary" && condition.op === "===") {
    const { a, b } = condition;
    if ((a === variable && !mentions(b, loop)) || (b === variable && !mentions(a, loop))) return true;
  }
  const count = intOf(extent) ?? Number.POSITIVE_INFINITY;
  if (count > mostTried) return false;
  let left = 1;
  for (let i = 0; i < count && left >= 0; i++) {
    const holds = simplify(substituteIn(condition, new Map([[variable, int(i)]])), new Map());
    if (holds.kind !== "const" || holds.value !== false) left--;
  }
  return left >= 0;
}

const mentions = (e: Expr, { variable }: For): boolean => [...within(e)].includes(variable);

/** Loops around the second access alone as loops around the first alone that run as often. */
function twins(a: Access, b: Access): ReadonlyMap<Var, Var> {
  const mine = a.loops.filter((l) => !isTag(l) && !b.loops.includes(l));
  const found = new Map<Var, Var>();
  for (const l of b.loops) {
    if (isTag(l) || a.loops.includes(l)) continue;
    const at = mine.findIndex((m) => intOf(m.extent) !== undefined && intOf(m.extent) === intOf(l.extent));
    const [twin] = at < 0 ? [] : mine.splice(at, 1);
    if (twin) found.set(l.variable, twin.variable);
  }
  return found;
}

const spanOf = ({ by }: Access): Span | undefined => ("span" in by ? by.span : undefined);

/** Whether a loop has iterations that no thread of a loop around it, bound to the same index, comes to. */
export const isLonger = (inner: For, outer: For): boolean =>
  (intOf(inner.extent) ?? 0) > (intOf(outer.extent) ?? Number.POSITIVE_INFINITY);
export const whyLonger = (inner: For, outer: For): string =>
  `'${inner.variable.name}' has ${String(intOf(inner.extent))} iterations, and ${String(intOf(outer.extent))} threads come there, those of '${outer.variable.name}'`;

/** What a bound loop makes wrong, with others that are bound. What is not bound yet may still be, and so may loops that share out what all threads do. */
export function unseenIn(program: Program, loop: Var): Unseen | undefined {
  for (const found of new Visibility(program).unseen()) {
    const [a, b] = found.loops;
    if (!a || !b || (a.variable !== loop && b.variable !== loop)) continue;
    if (found.write === found.other && a === b) return found;
    if (found.write.mins.some((e) => mentions(e, a)) && found.other.mins.some((e) => mentions(e, b))) return found;
  }
  return undefined;
}

/** Why something is not seen, as a sentence. */
export function whyUnseen({ buffer, tag, write, other, loops: [a, b] }: Unseen): string {
  const who = isBlockTag(tag) ? "block" : "thread";
  if (write === other && a && a === b)
    return `${who}s would store something else in the same elements of ${buffer.name}, in iterations of '${a.variable.name}'`;
  const of = (l: For | undefined): string => (l ? `'${l.variable.name}'` : `no loop bound to ${tag}`);
  if (buffer.scope !== "global")
    return `each ${who} has its own ${buffer.name}, in ${buffer.scope}, and what is read under ${of(b)} others have written, under ${of(a)}`;
  const does = other.writes ? "write" : "read";
  return a === b && !a
    ? `all blocks would ${write === other ? "compute" : does} ${buffer.name}, each while others may be further on`
    : `blocks ${does} ${buffer.name} under ${of(b)} where others write it, under ${of(a)}, and blocks do not wait for one another`;
}

/** What mends it where iterations of one loop store in the same elements; undefined where something else is wrong. */
export function insteadOf({ buffer, write, other, loops: [a, b] }: Unseen): string | undefined {
  if (write !== other || !a || a !== b) return undefined;
  const loop = a.variable.name;
  return `where iterations of '${loop}' make an element of ${buffer.name} together, its axis is no \`spatial\` one: call it \`reduce(${loop})\`, and bind the loops of the other axes; where each makes elements of its own, it has to choose among those of ${buffer.name}`;
}

/** Refuses a program whose threads or blocks would not see what they read. W5580. */
export function checkVisible(program: Program): void {
  for (const outer of loopsOf(program)) {
    const inner = isTag(outer)
      ? loopsOf({ ...program, body: outer.body }).find((l) => l.loop === outer.loop && isLonger(l, outer))
      : undefined;
    if (inner) fail("W5580", { program: program.name, why: whyLonger(inner, outer) }, inner.span ? [inner.span] : []);
  }
  for (const found of new Visibility(program).unseen()) {
    const spans = [spanOf(found.other), spanOf(found.write)].flatMap((s, n, all) => (s && all.indexOf(s) === n ? [s] : []));
    fail("W5580", { program: program.name, why: whyUnseen(found), instead: insteadOf(found) }, spans);
  }
}
