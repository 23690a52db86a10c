/** A lowered program in the order and in the ways in which `Emitter` records it, for what it does with the registers of a thread. */

import type { Spans } from "../../../base/diag/index.ts";
import { fail } from "../../errors/index.ts";
import { extentOf, isBlockTag, isThreadTag, type Launch } from "../../facts/launch.ts";
import { Tags } from "../../facts/tags.ts";
import { intrinsicAccess } from "../../intrinsics/access.ts";
import { equal, int, intOf, isFalse, isTrue, less, zero } from "../../ir/build.ts";
import { type Bounds, bounded, simplify } from "../../ir/simplify.ts";
import type { Buffer, Expr, For, Stmt, ThreadTag, Var } from "../../ir/types.ts";
import { operandsOf, substituteIn } from "../../ir/walk.ts";
import type { Memory } from "../storage/memory.ts";
import { type Cell, Slots } from "../storage/slots.ts";

const nothing = (): void => {};

/** Goes through what a thread does. Subclasses say what an access, a branch and a loop mean to them. */
export abstract class CellWalk {
  readonly #memory: Memory;
  readonly #launch: Launch;
  readonly #tags: Tags;
  /** What variables are here: numbers in loops that are written out, indices of the hardware in loops that are bound to them. */
  readonly #values = new Map<Var, Expr>();
  /** What the variables are that stay variables, by what they are in the expressions that subclasses get. */
  readonly bounds = new Map<Var, Bounds>();
  #spans: Spans = [];

  constructor(memory: Memory, launch: Launch) {
    this.#memory = memory;
    this.#launch = launch;
    this.#tags = new Tags(launch);
  }

  /** Where the statement that runs was written. */
  get spans(): Spans {
    return this.#spans;
  }

  protected abstract reads(cell: Cell, buffer: Buffer): void;
  protected abstract writes(cell: Cell, buffer: Buffer): void;
  /** Goes through both sides of a condition that is not known while compiling. */
  protected abstract branch(condition: Expr, yes: () => void, no: () => void): void;
  /** A loop that stays a loop. */
  protected abstract loop(s: For, extent: Expr): void;

  /** The body with the loop's variable a number, or any within these bounds. */
  protected iteration(s: For, value: number | Bounds): void {
    if (typeof value === "number") this.#values.set(s.variable, int(value));
    else {
      this.#values.delete(s.variable);
      this.bounds.set(s.variable, value);
    }
    this.walk(s.body);
  }

  walk(s: Stmt): void {
    const before = this.#spans;
    if ("span" in s && s.span) this.#spans = [s.span];
    this.#statement(s);
    this.#spans = before;
  }

  #statement(s: Stmt): void {
    switch (s.kind) {
      case "seq":
        for (const each of s.body) this.walk(each);
        return;
      case "block":
        this.walk(s.body);
        return;
      case "for":
        this.#expr(s.extent);
        this.#for(s);
        return;
      case "if": {
        const { no } = s;
        this.#expr(s.condition);
        this.#either(
          s.condition,
          () => this.walk(s.yes),
          () => no && this.walk(no),
        );
        return;
      }
      case "store":
        for (const e of [...s.indices, s.value]) this.#expr(e);
        this.#touch(s.buffer, s.indices, (cell) => this.writes(cell, s.buffer));
        return;
      case "intrinsic": {
        const how = intrinsicAccess(s);
        for (const [n, { buffer, ranges }] of s.args.entries()) {
          for (const r of ranges) this.#expr(r.min);
          const [mins, { reads, writes } = { reads: true, writes: true }] = [ranges.map((r) => r.min), how[n]];
          if (reads) this.#touch(buffer, mins, (cell) => this.reads(cell, buffer));
          if (writes) this.#touch(buffer, mins, (cell) => this.writes(cell, buffer));
        }
        return;
      }
      case "effect":
        for (const e of s.args) this.#expr(e);
    }
  }

  #for(s: For): void {
    if (isThreadTag(s.loop) || isBlockTag(s.loop)) {
      this.#bound(s, s.loop);
      return;
    }
    const extent = this.#value(s.extent);
    const count = intOf(extent);
    if (count === undefined || (count > 1 && s.loop === "serial")) this.loop(s, extent);
    else for (let i = 0; i < count; i++) this.iteration(s, i);
  }

  #bound(s: For, tag: ThreadTag): void {
    const there = extentOf(this.#launch, tag);
    const extent = intOf(s.extent) ?? there;
    const index = this.#tags.variable(tag);
    this.bounds.set(index, bounded(int(there)));
    this.#values.set(s.variable, there === 1 || extent === 1 ? zero : index);
    const body = (): void => this.walk(s.body);
    if (extent >= there) body();
    else this.branch(extent === 1 ? equal(index, zero) : less(index, int(extent)), body, nothing);
  }

  #value(e: Expr): Expr {
    return simplify(substituteIn(e, this.#values), this.bounds);
  }

  #either(condition: Expr, yes: () => void, no: () => void): void {
    const c = this.#value(condition);
    if (isTrue(c)) yes();
    else if (isFalse(c)) no();
    else this.branch(c, yes, no);
  }

  /** The loads of an expression that happen. */
  #expr(e: Expr): void {
    const then = (x: Expr) => (): void => this.#expr(x);
    if (e.kind === "select" || (e.kind === "binary" && (e.op === "&&" || e.op === "||"))) {
      const [condition, yes, no] =
        e.kind === "select"
          ? [e.condition, then(e.yes), then(e.no)]
          : [e.a, e.op === "&&" ? then(e.b) : nothing, e.op === "||" ? then(e.b) : nothing];
      this.#expr(condition);
      this.#either(condition, yes, no);
      return;
    }
    for (const operand of operandsOf(e)) this.#expr(operand);
    if (e.kind === "load") this.#touch(e.buffer, e.indices, (cell) => this.reads(cell, e.buffer));
  }

  /** An element in registers of a thread. Which one it is not known is refused where it is recorded. */
  #touch(buffer: Buffer, indices: readonly Expr[], run: (cell: Cell) => void): void {
    if (buffer.scope !== "local") return;
    const home = this.#memory.of(buffer);
    if (!(home instanceof Slots) || home.tile.some((n) => n !== 1)) return;
    const at = indices.map((i) => intOf(this.#value(i)));
    if (at.every((i, d) => i !== undefined && i >= 0 && i < (home.counts[d] ?? 1))) run(home.at(at));
  }
}

/** Refuses a read of what nothing has stored. W5609. */
export function refuseUnfilled(buffer: Buffer, where: string | undefined, spans: Spans): never {
  return fail("W5609", { buffer: buffer.name, where }, spans.length > 0 ? spans : buffer.span && [buffer.span]);
}
