/**
 * Which registers of a thread have to begin with a value. The kernel language lets nobody read a register that not every way to the read has assigned,
 * whatever the conditions on the way say, and takes each loop for one that may not run at all. Programs say more: an `init` runs where all reduction axes are 0,
 * which is the first iteration. Registers that need it begin with 0, which no program sees.
 *
 * What nothing has stored must not silently be that 0. So reads are looked at in the first iteration of the loops around: where some thread comes to one for
 * sure, and to none of the stores of that element before it, the program is refused (W5609). Conditions on indices of threads, blocks and loops
 * are tried out. What cannot be told is let through: where a condition asks what memory holds, and where what stores or reads does so in a later iteration alone.
 * There the emulator sees a 0 that was stored, under `strict`, too: for it to see more, kernels would need a value that stands for none, which
 * every pass and the emulator would have to carry along, for programs whose author has said that the two conditions are one.
 */

import type { Launch } from "../../facts/launch.ts";
import { and, intOf, isTrue, less, one, sub, unary, yes, zero } from "../../ir/build.ts";
import { keyOf } from "../../ir/linear.ts";
import { bounded } from "../../ir/simplify.ts";
import type { Buffer, Expr, For, Stmt, Var } from "../../ir/types.ts";
import { expressions, mentions, statements } from "../../ir/walk.ts";
import type { Memory } from "../storage/memory.ts";
import type { Cell } from "../storage/slots.ts";
import { CellWalk, refuseUnfilled } from "./cell-walk.ts";
import { holdsSomewhere } from "./somewhere.ts";

/** What the kernel language sees: it does not know what conditions say, nor whether a loop runs. */
class Assigned extends CellWalk {
  /** Registers that are read where not every way has assigned them. */
  readonly missing = new Map<Cell, Buffer>();
  readonly written = new Set<Cell>();
  #here = new Set<Cell>();

  protected reads(cell: Cell, buffer: Buffer): void {
    if (!this.#here.has(cell)) this.missing.set(cell, buffer);
  }
  protected writes(cell: Cell): void {
    this.written.add(cell);
    this.#here.add(cell);
  }
  protected branch(_: Expr, yesSide: () => void, noSide: () => void): void {
    const before = new Set(this.#here);
    yesSide();
    const afterYes = this.#here;
    this.#here = before;
    noSide();
    const afterNo = this.#here;
    this.#here = new Set([...afterYes].filter((cell) => afterNo.has(cell)));
  }
  protected loop(s: For, extent: Expr): void {
    const before = new Set(this.#here);
    this.iteration(s, bounded(extent));
    this.#here = before;
  }
}

/** What the program means, of some registers: under which conditions they have been filled. */
class Filled extends CellWalk {
  readonly #of: Assigned;
  #path: Expr = yes;
  /** Each is filled where one of these holds. */
  #when = new Map<Cell, readonly Expr[]>();
  /** Those that may be filled elsewhere, too. */
  #perhaps: ReadonlySet<Cell> = new Set();
  /** Registers that loops may fill, which their later iterations do not say. */
  #changing: ReadonlySet<Buffer> = new Set();

  constructor(memory: Memory, launch: Launch, of: Assigned) {
    super(memory, launch);
    this.#of = of;
  }

  protected writes(cell: Cell): void {
    if (!this.#of.missing.has(cell)) return;
    const known = this.#when.get(cell) ?? [];
    if (!known.some((c) => keyOf(c) === keyOf(this.#path))) this.#when.set(cell, [...known, this.#path]);
  }

  protected reads(cell: Cell, buffer: Buffer): void {
    if (!this.#of.missing.has(cell) || this.#perhaps.has(cell) || this.#changing.has(buffer)) return;
    const filled = this.#when.get(cell) ?? [];
    if (filled.some(isTrue)) return;
    if (!this.#of.written.has(cell)) refuseUnfilled(buffer, undefined, this.spans);
    const found = holdsSomewhere(this.#path, filled, this.bounds);
    if (!found) return;
    const where = [...found].map(([v, n]) => `${v.name} is ${n}`).join(" and ");
    refuseUnfilled(buffer, where === "" ? undefined : where, this.spans);
  }

  #under(condition: Expr, run: () => void): void {
    const around = this.#path;
    this.#path = and(around, condition);
    run();
    this.#path = around;
  }

  protected branch(condition: Expr, yesSide: () => void, noSide: () => void): void {
    this.#under(condition, yesSide);
    this.#under(unary("!", condition), noSide);
  }

  /** The first iteration, which finds what was there before the loop; and all later ones at once, which find what any of them may have left. */
  protected loop(s: For, extent: Expr): void {
    const count = intOf(extent);
    const runs = (i: Expr): Expr => (count === undefined ? less(i, extent) : yes);
    this.#under(runs(zero), () => this.iteration(s, 0));
    const [first, changing] = [this.#when, this.#changing];
    this.#when = new Map(first);
    this.#changing = new Set([...changing, ...storedIn(s.body)]);
    this.#under(runs(s.variable), () => this.iteration(s, { min: one, max: sub(extent, one) }));
    const own = new Set<Var>([s.variable]);
    const later = [...this.#when].filter(([cell, c]) => c.length > (first.get(cell)?.length ?? 0));
    for (const [cell, c] of later)
      if (c.slice(first.get(cell)?.length ?? 0).some((x) => mentions(x, own))) this.#perhaps = new Set([...this.#perhaps, cell]);
    this.#when = new Map([...this.#when].map(([cell, c]) => [cell, c.filter((x) => !mentions(x, own))]));
    this.#changing = changing;
  }
}

function storedIn(body: Stmt): ReadonlySet<Buffer> {
  const found = new Set<Buffer>();
  for (const s of statements(body)) {
    if (s.kind === "store") found.add(s.buffer);
    if (s.kind === "intrinsic") for (const { buffer } of s.args) found.add(buffer);
  }
  return found;
}

const loadedIn = (body: Stmt): readonly Buffer[] => [...expressions(body)].flatMap((e) => (e.kind === "load" ? [e.buffer] : []));

/** The registers of a thread that begin with a value, and the buffers that they are of. W5609. */
export function cellsToStart(body: Stmt, memory: Memory, launch: Launch): ReadonlyMap<Cell, Buffer> {
  if (![...storedIn(body), ...loadedIn(body)].some((b) => b.scope === "local")) return new Map();
  const assigned = new Assigned(memory, launch);
  assigned.walk(body);
  if (assigned.missing.size > 0) new Filled(memory, launch, assigned).walk(body);
  return assigned.missing;
}
