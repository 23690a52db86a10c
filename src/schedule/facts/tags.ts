import { int, intOf, variable } from "../ir/build.ts";
import { type Bounds, bounded, type Known } from "../ir/simplify.ts";
import type { Expr, For, ThreadTag, Var } from "../ir/types.ts";
import { substituteIn } from "../ir/walk.ts";
import { blockTags, extentOf, isBlockTag, isThreadTag, type Launch, threadTags } from "./launch.ts";

/** The indices of the hardware as variables: loops bound to one index have one value. */
export class Tags {
  readonly #launch: Launch;
  readonly #variables = new Map<ThreadTag, Var>();

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  of(l: For): Var {
    return isThreadTag(l.loop) || isBlockTag(l.loop) ? this.variable(l.loop) : l.variable;
  }
  variable(tag: ThreadTag): Var {
    const known = this.#variables.get(tag) ?? variable(tag);
    this.#variables.set(tag, known);
    return known;
  }
  isThread(v: Var): boolean {
    return threadTags.some((tag) => this.#variables.get(tag) === v);
  }
  isBlock(v: Var): boolean {
    return blockTags.some((tag) => this.#variables.get(tag) === v);
  }

  /** The expression with indices of the hardware for loops that are bound to them. */
  canonical(e: Expr, loops: readonly For[]): Expr {
    return substituteIn(e, new Map(loops.map((l): [Var, Expr] => [l.variable, this.of(l)])));
  }
  /** The same the other way: loops of that place for indices of the hardware. */
  local(e: Expr, loops: readonly For[]): Expr {
    return substituteIn(e, new Map(loops.map((l): [Var, Expr] => [this.of(l), l.variable])));
  }
  /**
   * The bounds of the variables of those loops, indices of the hardware outermost: all that there are, or with `own` those that come to that
   * place.
   */
  known(loops: readonly For[], own = false): Known {
    const serial = loops.filter((l) => !isThreadTag(l.loop) && !isBlockTag(l.loop));
    return new Map([
      ...[...this.#variables].map(([tag, v]): [Var, Bounds] => [v, this.#bounds(tag, own ? loops : [])]),
      ...serial.map((l): [Var, Bounds] => [l.variable, bounded(this.canonical(l.extent, loops))]),
    ]);
  }

  #bounds(tag: ThreadTag, loops: readonly For[]): Bounds {
    const there = extentOf(this.#launch, tag);
    const extents = loops.filter((l) => l.loop === tag).map((l) => intOf(l.extent) ?? there);
    return bounded(int(Math.min(there, ...extents)));
  }
}
