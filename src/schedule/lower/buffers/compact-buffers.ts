/**
 * Requires: no block has axes. Ensures: each buffer that the program allocates has room for what is touched of it where it is needed, and
 * no more: inside the loops that stand around all that touches it. Of shared memory a block has one for all its threads; of registers each
 * thread, or group of threads, has its own. What comes from one iteration of such a loop to the next keeps its place.
 */

import { type Access, accessesIn } from "../../facts/accesses.ts";
import { isBlockTag, isThreadTag, type Launch } from "../../facts/launch.ts";
import { Tags } from "../../facts/tags.ts";
import { int, intOf, isInt, sub } from "../../ir/build.ts";
import { rangeOver, union } from "../../ir/regions.ts";
import { simplify } from "../../ir/simplify.ts";
import type { Buffer, Expr, For, Program, Range, Region, Stmt, Var } from "../../ir/types.ts";
import { mapExpr, mapStmt, mentions } from "../../ir/walk.ts";

/** The part of a buffer that is kept, in variables of loops around all accesses and in indices of the hardware. */
interface Kept {
  readonly ranges: readonly Range[];
}

const commonLoops = (all: readonly Access[]): readonly For[] => {
  const [first, ...rest] = all;
  const loops = first?.loops ?? [];
  const count = loops.findIndex((l, i) => rest.some((a) => a.loops[i] !== l));
  return count < 0 ? loops : loops.slice(0, count);
};

const isSerial = (l: For): boolean => !isThreadTag(l.loop) && !isBlockTag(l.loop);

class Compaction {
  readonly #buffer: Buffer;
  readonly #all: readonly Access[];
  readonly #tags: Tags;

  constructor(buffer: Buffer, all: readonly Access[], tags: Tags) {
    this.#buffer = buffer;
    this.#all = all;
    this.#tags = tags;
  }

  /** Does a loop's value say where the part lies, and does not merely choose inside of it? */
  #isOuter(l: For, outer: ReadonlySet<For>): boolean {
    if (isBlockTag(l.loop)) return true;
    if (isThreadTag(l.loop)) return this.#buffer.scope !== "shared";
    return outer.has(l);
  }

  #region({ loops, mins, extents }: Access, outer: ReadonlySet<For>): Region {
    const known = this.#tags.known(loops, true);
    const inner = new Set(loops.filter((l) => !this.#isOuter(l, outer)).map((l) => this.#tags.of(l)));
    const ranges = mins.map((index, d): Range => {
      const all = { min: int(0), extent: this.#buffer.shape[d] ?? int(1) };
      const from = rangeOver(this.#tags.canonical(index, loops), inner, known);
      const extra = intOf(extents[d] ?? int(1));
      const count = from && intOf(from.extent);
      if (!from || count === undefined || extra === undefined || mentions(from.min, inner)) return all;
      return { min: simplify(from.min, known), extent: int(count + extra - 1) };
    });
    return { buffer: this.#buffer, ranges };
  }

  #hull(accesses: readonly Access[], outer: ReadonlySet<For>): Region | undefined {
    const [first, ...rest] = accesses.map((a) => this.#region(a, outer));
    const known = this.#tags.known(commonLoops(this.#all));
    const all = first && rest.reduce((sum, r) => union(sum, r, known), first);
    // Conditions are not looked at: a part that they keep in the buffer may look larger than it.
    return all && { ...all, ranges: all.ranges.map((r, d) => this.#withinBuffer(r, d)) };
  }

  #withinBuffer(range: Range, d: number): Range {
    const [count, most] = [intOf(range.extent), intOf(this.#buffer.shape[d] ?? int(1))];
    return count !== undefined && most !== undefined && count > most ? { min: int(0), extent: int(most) } : range;
  }

  /** Each iteration of the outer loops writes what it reads, before. */
  #isLocal(outer: ReadonlySet<For>): boolean {
    const [first] = this.#all;
    if (!first?.writes || first.reads) return false;
    const outerVars = new Set([...outer].map((l) => l.variable));
    // Where a condition around all accesses does not hold, nothing is touched.
    const own = first.conditions.filter((c) => !this.#all.every((a) => a.conditions.includes(c)));
    const sometimes = own.some((c) => {
      const loopsInside = first.loops.filter((l) => !outer.has(l)).map((l) => l.variable);
      return mentions(c.condition, outerVars) && !mentions(c.condition, new Set(loopsInside));
    });
    if (sometimes) return false;
    const writes = this.#hull(
      this.#all.filter((a) => a.writes),
      outer,
    );
    const all = this.#hull(this.#all, outer);
    const known = this.#tags.known(commonLoops(this.#all));
    return (
      all?.ranges.every((r, d) => {
        const w = writes?.ranges[d];
        return w && isInt(simplify(sub(r.min, w.min), known), 0) && isInt(simplify(sub(r.extent, w.extent), known), 0);
      }) ?? false
    );
  }

  /** The smallest part that does: of all loops around, those are outer that leave no value from iteration to iteration. */
  kept(): Kept | undefined {
    const around = commonLoops(this.#all).filter(isSerial);
    for (let count = around.length; count >= 0; count--) {
      const outer = new Set(around.slice(0, count));
      const whole = this.#hull(this.#all, outer);
      if (!whole) return undefined;
      const moves = [...outer].some((l) => whole.ranges.some((r) => mentions(r.min, new Set([l.variable]))));
      if (!moves || this.#isLocal(outer)) return whole;
    }
    return undefined;
  }
}

const smaller = (buffer: Buffer, { ranges }: Kept): boolean =>
  ranges.some((r, d) => !isInt(r.min, 0) || intOf(r.extent) !== intOf(buffer.shape[d] ?? int(1)));

interface Moved {
  readonly to: Buffer;
  readonly mins: readonly Expr[];
}

/** Writes accesses of the smaller buffers. */
class Mover {
  readonly #moved: ReadonlyMap<Buffer, Moved>;
  readonly #tags: Tags;
  constructor(moved: ReadonlyMap<Buffer, Moved>, tags: Tags) {
    this.#moved = moved;
    this.#tags = tags;
  }

  #index(index: Expr, min: Expr, loops: readonly For[]): Expr {
    const known = this.#tags.known(loops);
    const moved = simplify(sub(this.#tags.canonical(index, loops), min), known);
    return this.#tags.local(moved, loops);
  }

  #expr(e: Expr, loops: readonly For[]): Expr {
    return mapExpr(e, (x) => {
      const moved = x.kind === "load" ? this.#moved.get(x.buffer) : undefined;
      if (x.kind !== "load" || !moved) return x;
      return { ...x, buffer: moved.to, indices: x.indices.map((i, d) => this.#index(i, moved.mins[d] ?? int(0), loops)) };
    });
  }

  run(s: Stmt, loops: readonly For[] = []): Stmt {
    const expr = (e: Expr): Expr => this.#expr(e, loops);
    switch (s.kind) {
      case "seq":
        return { ...s, body: s.body.map((x) => this.run(x, loops)) };
      case "for":
        return { ...s, extent: expr(s.extent), body: this.run(s.body, [...loops, s]) };
      case "block":
        return { ...s, body: this.run(s.body, loops) };
      case "if":
        return { ...s, condition: expr(s.condition), yes: this.run(s.yes, loops), no: s.no && this.run(s.no, loops) };
      case "store": {
        const moved = this.#moved.get(s.buffer);
        const [indices, value] = [s.indices.map(expr), expr(s.value)];
        if (!moved) return { ...s, indices, value };
        return { ...s, buffer: moved.to, value, indices: indices.map((i, d) => this.#index(i, moved.mins[d] ?? int(0), loops)) };
      }
      case "intrinsic":
        return { ...s, args: s.args.map((r) => this.#part(r, loops)) };
      case "effect":
        return mapStmt(s, { expr });
    }
  }

  #part({ buffer, ranges }: Region, loops: readonly For[]): Region {
    const moved = this.#moved.get(buffer);
    if (!moved) return { buffer, ranges: ranges.map((r) => ({ ...r, min: this.#expr(r.min, loops) })) };
    return {
      buffer: moved.to,
      ranges: ranges.map((r, d) => ({ ...r, min: this.#index(this.#expr(r.min, loops), moved.mins[d] ?? int(0), loops) })),
    };
  }
}

/** Indices of the hardware that a part's place names stand under a loop at each access. */
const isWithin = (all: readonly Access[], kept: Kept, tags: Tags): boolean =>
  all.every(({ loops }) => {
    const here = new Set(loops.map((l) => tags.of(l)));
    return kept.ranges.every((r) => {
      const names: Var[] = [];
      mapExpr(r.min, (x) => {
        if (x.kind === "var") names.push(x);
        return x;
      });
      return names.every((v) => here.has(v));
    });
  });

/** Buffers become as small as what is touched of them at a time. */
export function compactBuffers(program: Program, launch: Launch): Program {
  const tags = new Tags(launch);
  const all = [...accessesIn(program.body)];
  for (const { loops } of all) for (const l of loops) tags.of(l);
  const moved = new Map<Buffer, Moved>();
  for (const buffer of program.buffers) {
    const of = all.filter((a) => a.buffer === buffer);
    const kept = new Compaction(buffer, of, tags).kept();
    if (!kept || !smaller(buffer, kept) || !isWithin(of, kept, tags)) continue;
    moved.set(buffer, { to: { ...buffer, shape: kept.ranges.map((r) => r.extent) }, mins: kept.ranges.map((r) => r.min) });
  }
  const used = program.buffers.filter((b) => all.some((a) => a.buffer === b));
  const buffers = used.map((b) => moved.get(b)?.to ?? b);
  return { ...program, buffers, body: new Mover(moved, tags).run(program.body) };
}
