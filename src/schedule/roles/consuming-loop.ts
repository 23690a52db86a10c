/**
 * The loop of the warpgroups that compute: what they do with a stage, and the effects that hand stages to and fro.
 *
 * Products may run on into the next iteration, unless they take A from registers: those are complete before the loop comes back, because ptxas 13.0
 * does not see that they still read their registers there, and writes others into these (docs/hardware.md). So that the tensor cores are busy all
 * the same, A of the next iteration is brought to other registers while the products of this one run.
 */
import { intrinsicOf } from "../intrinsics/registry.ts";
import { add, int, intOf, mul, one, seq, variable, zero } from "../ir/build.ts";
import { copied } from "../ir/copied.ts";
import type { Buffer, Effect, Expr, For, Region, Stmt, Var } from "../ir/types.ts";
import { expressions, mapExpr, mapStmt } from "../ir/walk.ts";
import { fillsOperand, isProduct, leaves, productsOf } from "./products.ts";
import type { SpecializedLoop } from "./specialized-loop.ts";

export const effect = (op: string, loop: For, ...args: readonly Expr[]): Effect => ({
  kind: "effect",
  op,
  args,
  span: loop.span,
});

/** The buffers that copies fill, with a dimension of stages in front. */
export type Staged = ReadonlyMap<Buffer, Buffer>;

/** The statement with a stage of each staged buffer in its place. */
export function inStage(s: Stmt, staged: Staged, stage: Var): Stmt {
  const part = (r: Region): Region => {
    const to = staged.get(r.buffer);
    return to ? { buffer: to, ranges: [{ min: stage, extent: int(1) }, ...r.ranges] } : r;
  };
  const expr = (e: Expr): Expr =>
    mapExpr(e, (x) => {
      const to = x.kind === "load" ? staged.get(x.buffer) : undefined;
      return x.kind === "load" && to ? { ...x, buffer: to, indices: [stage, ...x.indices] } : x;
    });
  return mapStmt(s, { expr, stmt: (x) => (x.kind === "intrinsic" ? { ...x, args: x.args.map(part) } : x) });
}

/** Whether threads read what the copies bring by themselves: each is done with it at another time. */
const readsByThread = (s: Stmt, buffers: readonly Buffer[]): boolean =>
  [...expressions(s)].some((e) => e.kind === "load" && buffers.includes(e.buffer)) ||
  leaves(s).some(
    (x) => x.kind === "intrinsic" && intrinsicOf(x.name).proxy !== "async" && x.args.some((r) => buffers.includes(r.buffer)),
  );

/** What is said of a loop beside its statements. */
interface LoopParts {
  readonly variable?: Var;
  readonly extent?: Expr;
  /** Its first iteration's product replaces what its registers hold. */
  readonly fresh: boolean;
}

/** The loop in two parts: what begins all of its products, and what waits for those that are left running then, and hands back their stages. */
export interface ConsumingLoop {
  readonly issue: readonly Stmt[];
  readonly complete: readonly Stmt[];
}

class Consuming {
  readonly #found: SpecializedLoop;
  readonly #staged: Staged;
  readonly #isFresh: boolean;
  /** Products of an iteration, where the loop waits for them; undefined: each waits for itself. */
  readonly #products: number | undefined;
  /** What fills registers that products take A from. */
  readonly #fills: ReadonlySet<Stmt>;

  constructor(found: SpecializedLoop, staged: Staged, isFresh: boolean) {
    this.#found = found;
    this.#staged = staged;
    this.#isFresh = isFresh;
    this.#products = productsOf(found.others);
    this.#fills = new Set(this.#products === undefined ? [] : found.others.filter(fillsOperand));
  }

  #say(op: string, ...args: readonly Expr[]): Effect {
    return effect(op, this.#found.loop, ...args);
  }

  /**
   * These statements with a stage. Registers are filled when no product runs that may read them. What threads have read of the stage by
   * themselves is fenced before the next copy into it.
   */
  #with(all: readonly Stmt[], stage: Var): readonly Stmt[] {
    const { buffers } = this.#found;
    const out: Stmt[] = [];
    const lastRead = all.findLast((s) => readsByThread(s, buffers));
    let running = false;
    for (const s of all) {
      if (running && this.#fills.has(s)) out.push(this.#say("awaitProducts", zero));
      running = leaves(s).some(isProduct) || (running && !this.#fills.has(s));
      out.push(inStage(s, this.#staged, stage));
      if (s === lastRead) out.push(this.#say("fenceProxyAsync"), this.#say("syncWarp"));
    }
    return out;
  }

  #loop({ variable: v, extent, fresh }: LoopParts, ...body: readonly Stmt[]): For {
    const { loop } = this.#found;
    const annotations = { ...(this.#products === undefined ? {} : { products: "open" }), ...(fresh ? { fresh } : {}) };
    return { ...loop, variable: v ?? loop.variable, extent: extent ?? loop.extent, annotations, body: seq(...body) };
  }
  /** Statements of one iteration, outside of the loop. */
  #once(fresh: boolean, ...body: readonly Stmt[]): For {
    return this.#loop({ variable: variable(this.#found.loop.variable.name), extent: one, fresh }, ...body);
  }

  #inOrder(wait: 0 | 1): ConsumingLoop {
    const { others, loop } = this.#found;
    const stage = variable("stage");
    const run = this.#loop(
      { fresh: this.#isFresh },
      this.#say("awaitStage", stage),
      ...this.#with(others, stage),
      ...(this.#products === undefined ? [] : [this.#say("awaitProducts", int(wait * this.#products))]),
      wait === 1 ? this.#say("releaseStageBefore", loop.variable) : this.#say("releaseStage"),
      this.#say("nextStage"),
    );
    if (wait === 0) return { issue: [run], complete: [] };
    return {
      issue: [this.#say("beginStages"), run],
      complete: [this.#say("awaitProducts", zero), this.#say("releaseStageBefore", one)],
    };
  }

  /** How many statements at the beginning bring A to registers, where the others are products alone. */
  #ahead(): number {
    const { others, buffers } = this.#found;
    const end = others.findIndex((s) => !this.#fills.has(s));
    return others.slice(end).some((s) => this.#fills.has(s) || readsByThread(s, buffers)) ? 0 : end;
  }

  /**
   * The same statements in the same order: the first A before the loop, that of the next iteration behind the products of this one. Two
   * iterations are one, so that the registers of one A are free when the next but one is brought there.
   */
  #loadingAhead(count: number, trips: number): ConsumingLoop {
    const { others, loop } = this.#found;
    const at = (all: readonly Stmt[], trip: Expr, stage: Var): readonly Stmt[] =>
      this.#with(all, stage).map((s) => copied(s, new Set(), "", new Map([[loop.variable, trip]])));
    const left = (trip: Expr): readonly Stmt[] => {
      const stage = variable("next");
      return [this.#say("awaitStage", stage), ...at(others.slice(0, count), trip, stage)];
    };
    const products = (trip: Expr): readonly Stmt[] => {
      const stage = variable("stage");
      return [this.#say("currentStage", stage), ...at(others.slice(count), trip, stage)];
    };
    const iteration = (trip: Expr): readonly Stmt[] => [
      ...products(trip),
      this.#say("beginStages"),
      this.#say("nextStage"),
      ...left(add(trip, one)),
      this.#say("awaitProducts", zero),
      this.#say("releaseStageBefore", one),
    ];
    const before = this.#isFresh && trips > 1 ? 1 : 0;
    const pairs = Math.floor((trips - 1 - before) / 2);
    const pair = variable(loop.variable.name);
    const from = add(mul(pair, int(2)), int(before));
    const odd = before + 2 * pairs < trips - 1;
    const issue = [
      ...left(zero),
      ...(before ? [this.#once(true, ...iteration(zero))] : []),
      ...(pairs > 0
        ? [this.#loop({ variable: pair, extent: int(pairs), fresh: false }, ...iteration(from), ...iteration(add(from, one)))]
        : []),
      ...(odd ? [this.#once(false, ...iteration(int(trips - 2)))] : []),
      this.#once(this.#isFresh && trips === 1, ...products(int(trips - 1))),
    ];
    return { issue, complete: [this.#say("awaitProducts", zero), this.#say("releaseStage"), this.#say("nextStage")] };
  }

  all(): ConsumingLoop {
    const { wait, loop } = this.#found;
    if (this.#fills.size === 0) return this.#inOrder(wait);
    const trips = intOf(loop.extent);
    const ahead = wait === 1 ? this.#ahead() : 0;
    return ahead > 0 && trips !== undefined && trips > 0 ? this.#loadingAhead(ahead, trips) : this.#inOrder(0);
  }
}

/**
 * The loop of those that compute, with what stands before and behind it. `isFresh`: the first iteration's product need not add to what its
 * registers hold.
 */
export const consumingLoop = (found: SpecializedLoop, staged: Staged, isFresh: boolean): ConsumingLoop =>
  new Consuming(found, staged, isFresh).all();
