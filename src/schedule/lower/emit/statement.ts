/** Statements of a lowered program as what the kernel language records. */

import type { Span } from "../../../base/diag/index.ts";
import { elementBytes } from "../../../base/element-types.ts";
import type { Place } from "../../../dsl/emit.ts";
import { asyncCopy, binary, branch, forOf, range, truth, type Variables } from "../../../dsl/emit.ts";
import { fail } from "../../errors/index.ts";
import { type Access, accessesIn } from "../../facts/accesses.ts";
import { isBlockTag, isThreadTag } from "../../facts/launch.ts";
import { isAsync, onlyStore, vectorWidth } from "../../facts/marks.ts";
import type { Surroundings } from "../../intrinsics/registry.ts";
import { int } from "../../ir/build.ts";
import type { Block, Buffer, Effect, Expr, For, Intrinsic, Load, Stmt, Store, ThreadTag, Var } from "../../ir/types.ts";
import { mapExpr, statements, within } from "../../ir/walk.ts";
import { effects, writtenEffects } from "../barriers/effects.ts";
import { asType, evaluate } from "../expressions/evaluate.ts";
import { cellsToStart } from "../start-values/start-values.ts";
import type { Indices } from "../storage/memory.ts";
import { type Cell, Slots } from "../storage/slots.ts";
import { canDefer } from "./defer.ts";
import type { Emission } from "./emission.ts";
import { intrinsicCall } from "./intrinsic.ts";
import { namesStage } from "./pipeline-state.ts";
import { iterationHere } from "./threads.ts";

/** Registers that a part of the program writes: what its loops carry and its branches merge. */
function cellsWritten(s: Stmt, { memory, role }: Emission): readonly Cell[] {
  const written = new Set<Buffer>();
  for (const one of statements(s)) {
    if (one.kind === "store") written.add(one.buffer);
    if (one.kind === "intrinsic") for (const { buffer } of one.args) written.add(buffer);
  }
  const cells = [...written].flatMap((b) => {
    const at = memory.of(b);
    return at instanceof Slots ? at.cells : [];
  });
  return [...(role?.stages.changedBy(s) ?? []), ...cells];
}

/** What a specialized loop tells the products in it: the loop waits for them, and the first iteration may not have to add. */
const toldIn = ({ annotations: { products, fresh } }: For, iteration: unknown): Partial<Surroundings> => ({
  ...(products === "open" ? { wait: undefined } : {}),
  ...(fresh === true ? { accumulate: binary(">", iteration, 0) as boolean } : {}),
});

const asVariables = (cells: readonly Cell[]): Variables => ({
  names: cells.map((c) => c.name),
  spans: cells.map(() => undefined),
  get: () => cells.map((c) => c.value),
  set: (values) => {
    cells.forEach((c, i) => {
      c.value = values[i];
    });
  },
});

/** Records a statement and what is in it. */
export class Emitter {
  readonly #on: Emission;
  readonly #variables = new Map<Var, unknown>();
  /** Inside a block whose copies are asynchronous. */
  #async = false;
  /** What intrinsics are told inside of the loop that runs. */
  #told: Partial<Surroundings> = {};

  #accesses: readonly Access[] = [];
  /** A copy that is asynchronous. */
  #begun: Store | undefined;
  /** What is done at the end of the program. */
  readonly #ends = new Set<() => void>();

  constructor(on: Emission) {
    this.#on = on;
  }

  /** Records a whole part of a program. W5604, W5609. */
  whole(s: Stmt): void {
    this.#accesses = [...accessesIn(s)];
    for (const [cell, { dtype, span }] of cellsToStart(s, this.#on.memory, this.#on.launch))
      this.#at(span, () => {
        cell.value = asType(dtype === "bool" ? false : 0, dtype);
      });
    this.run(s);
    const begun = this.#begun;
    const waits = [...statements(s)].some((x) => x.kind === "effect" && x.op === "asyncWait");
    if (begun && !waits)
      fail(
        "W5604",
        { why: "nothing waits for it, as `pipeline` or the effects `asyncCommit` and `asyncWait` do" },
        begun.span ? [begun.span] : undefined,
      );
    for (const end of this.#ends) end();
  }

  run(s: Stmt): void {
    this.#at("span" in s ? s.span : undefined, () => this.#statement(s));
  }

  #at(span: Span | undefined, run: () => void): void {
    this.#on.trace.at(span, run);
  }

  #statement(s: Stmt): void {
    switch (s.kind) {
      case "seq":
        for (const [n, each] of s.body.entries()) this.#next(each, s.body[n + 1]);
        break;
      case "for":
        this.#loop(s);
        break;
      case "if": {
        const { no } = s;
        this.#if(this.value(s.condition), s, () => this.run(s.yes), no && (() => this.run(no)));
        break;
      }
      case "store":
        this.#store(s);
        break;
      case "effect":
        this.#effect(s);
        break;
      case "intrinsic":
        this.#intrinsic(s);
        break;
      case "block":
        this.#block(s);
        break;
      default:
        s satisfies never;
    }
  }

  /** A statement and the one after it: registers that the latter alone reads, a part at a time, are computed when it does. */
  #next(s: Stmt, after: Stmt | undefined): void {
    const defers = after !== undefined && canDefer(s, after, this.#accesses);
    const told = this.#told;
    if (defers) this.#told = { ...told, defer: true };
    this.run(s);
    this.#told = told;
  }

  /** What flatten-blocks has left of a block: its annotations. */
  #block(s: Block): void {
    if (s.axes.length > 0) throw new Error(`the block ${s.name} still has axes`);
    const around = this.#async;
    this.#async = around || isAsync(s.annotations);
    this.run(s.body);
    this.#async = around;
  }

  #if(condition: unknown, around: Stmt, yes: () => void, no?: () => void): void {
    const c = truth(condition);
    const side = (run: (() => void) | undefined) => (): undefined => void run?.();
    if (c === true) yes();
    else if (c === false) no?.();
    else branch(this.#on.trace, c, side(yes), side(no), asVariables(cellsWritten(around, this.#on)));
  }

  #loop(s: For): void {
    if (isThreadTag(s.loop) || isBlockTag(s.loop)) this.#bound(s, s.loop);
    else if (s.loop === "vectorize") this.#vector(s);
    else this.#iterate(s);
  }

  #iterate(s: For): void {
    const extent = this.value(s.extent);
    const once = (i: unknown): undefined => {
      this.#variables.set(s.variable, i);
      const told = this.#told;
      this.#told = { ...told, ...toldIn(s, i) };
      this.run(s.body);
      this.#told = told;
    };
    if (typeof extent === "number" && (s.loop === "unroll" || extent <= 1)) {
      for (let i = 0; i < extent; i++) once(i);
      return;
    }
    forOf(this.#on.trace, range(extent as number), once, asVariables(cellsWritten(s, this.#on)), []);
  }

  /** A loop whose iterations are threads or blocks: each runs one. */
  #bound(s: For, tag: ThreadTag): void {
    const { value, condition } = iterationHere(s, tag, this.#on);
    this.#variables.set(s.variable, value);
    const body = (): void => this.run(s.body);
    if (condition === undefined) body();
    else this.#if(condition, s, body);
  }

  /** A vectorised loop around one store: loads and stores of neighbours, the arithmetic between them one by one. */
  #vector(s: For): void {
    const width = vectorWidth(s);
    const found = onlyStore(s.body, this.#async);
    if (width === undefined || !found) throw new Error(`the loop ${s.variable.name} was not vectorised`);
    const to = found.store;
    this.#variables.set(s.variable, 0);
    this.#at(to.span, () => {
      if (found.async) {
        this.#copy(to, width);
        return;
      }
      const neighbours = new Map<Load, readonly unknown[]>();
      for (const e of within(to.value)) {
        if (e.kind !== "load" || !this.#moves(e, s.variable)) continue;
        neighbours.set(e, this.#place(e.buffer, e.indices).load({ vector: width as 2 }));
      }
      const values = Array.from({ length: width }, (_, i) => {
        this.#variables.set(s.variable, i);
        return this.#element(to, (e) => neighbours.get(e)?.[i]);
      });
      this.#variables.set(s.variable, 0);
      // The type of elements is a value here; the program has been checked.
      this.#place(to.buffer, to.indices).store(values as never);
    });
  }

  #moves(e: Load, v: Var): boolean {
    return e.indices.some((i) => [...within(i)].includes(v));
  }

  #store(s: Store): void {
    if (this.#async) {
      this.#copy(s, 1);
      return;
    }
    const memory = this.#on.memory.of(s.buffer);
    const value = this.#element(s);
    if (memory instanceof Slots) memory.at(s.indices.map((i) => this.value(i))).value = value;
    // The type of elements is a value here; the program has been checked.
    else this.#place(s.buffer, s.indices).store(value as never);
  }

  #element(s: Store, known?: (e: Load) => unknown): unknown {
    return asType(this.value(s.value, known), s.buffer.dtype);
  }

  /** `cp.async`: an element, or neighbours together. W5604. */
  #copy(s: Store, width: number): void {
    const refuse: (why: string) => never = (why) => fail("W5604", { why }, s.span ? [s.span] : undefined);
    const from = s.value;
    this.#begun = s;
    if (from.kind !== "load" || from.buffer.scope !== "global") refuse("it does more than to copy an element of global memory");
    if (s.buffer.scope !== "shared") refuse(`\`${s.buffer.name}\` does not lie in shared memory`);
    const bytes = width * elementBytes[s.buffer.dtype];
    if (bytes !== 4 && bytes !== 8 && bytes !== 16) refuse(`it moves ${bytes} ${bytes === 1 ? "byte" : "bytes"} at a time`);
    else asyncCopy.copy(this.#place(s.buffer, s.indices), this.#place(from.buffer, from.indices), { bytes });
  }

  #place(buffer: Buffer, indices: readonly Expr[]): Place<"f32"> {
    return this.#on.memory.place(buffer, indices, this.#indices) as Place<"f32">;
  }

  readonly #indices: Indices = {
    value: (e) => this.value(e),
    known: (e) =>
      mapExpr(e, (x) => {
        const value = x.kind === "var" ? this.#variables.get(x) : undefined;
        return typeof value === "number" ? int(value) : x;
      }),
  };

  value(e: Expr, known?: (e: Load) => unknown): unknown {
    return evaluate(e, {
      trace: this.#on.trace,
      variable: (v) => this.#variables.get(v) ?? fail("W5601", { loop: v.name, tag: "a loop around" }),
      load: (l) => known?.(l) ?? this.#load(l),
    });
  }

  #load({ buffer, indices }: Load): unknown {
    const memory = this.#on.memory.of(buffer);
    if (memory instanceof Slots) return memory.at(indices.map((i) => this.value(i))).value;
    return this.#place(buffer, indices).load();
  }

  #effect(s: Effect): void {
    const { role } = this.#on;
    if (role?.stages.has(s.op)) {
      const [named] = s.args;
      const stands = namesStage(s.op) && named?.kind === "var" ? named : undefined;
      const given = role.stages.run(
        s.op,
        s.args.map((a) => (a === stands ? undefined : this.value(a))),
      );
      if (stands) this.#variables.set(stands, given);
      return;
    }
    if (role && s.op === "syncThreads") {
      role.meet();
      return;
    }
    const row = Object.hasOwn(effects, s.op) ? effects[s.op] : undefined;
    const spans = s.span ? [s.span] : undefined;
    if (row?.arguments !== s.args.length) fail("W5600", { op: s.op, known: writtenEffects().join(", ") }, spans);
    row.emit(
      this.#on.trace,
      s.args.map((a) => this.value(a)),
    );
  }

  #intrinsic(s: Intrinsic): void {
    const call = intrinsicCall(s, this.#on, { indices: this.#indices, accesses: this.#accesses, told: this.#told });
    const run = (): void => {
      call.record();
      if (call.atEnd) this.#ends.add(call.atEnd);
    };
    if (call.condition === undefined) run();
    else this.#if(call.condition, s, run);
  }
}
