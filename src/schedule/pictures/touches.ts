/** Who touches which element of a buffer: the accesses of a program, run for the values of their loops. */

import { type Access, accessesIn, knownOf } from "../facts/accesses.ts";
import { blockTags, extentOf, isBlockTag, isThreadTag, type Launch, threadTags } from "../facts/launch.ts";
import { intrinsicOf, participantThreads } from "../intrinsics/registry.ts";
import { intOf } from "../ir/build.ts";
import { numberOf } from "../ir/evaluate.ts";
import { linearOf } from "../ir/simplify.ts";
import type { Buffer, Expr, For, Var } from "../ir/types.ts";
import { mentions, statements } from "../ir/walk.ts";
import { type LaidOut, refuse } from "./laid-out.ts";

/** One access as it comes by: who, and which part. */
export interface Touch {
  /** The block of the launch, x fastest; -1 where all of them do it. */
  readonly block: number;
  /** The thread of the block, x fastest; the first one where several do it together. */
  readonly thread: number;
  /** How many threads do it together. */
  readonly together: number;
  readonly values: ReadonlyMap<Var, number>;
  /** Where the part begins, and how many elements it has in each dimension. */
  readonly mins: readonly number[];
  readonly extents: readonly number[];
}

/** Which accesses, and what is asked of them besides. */
export interface Asked {
  readonly buffer: Buffer;
  readonly access: "read" | "write";
  /** Loops whose value is asked for: each of their iterations comes by. */
  readonly loops: (l: For) => boolean;
  /** Loops that run at one value alone. */
  readonly only: (l: For) => number | undefined;
  /** Those alone. Default: all accesses of the buffer. */
  readonly accesses?: readonly Access[];
  /** Iterations of serial loops come by one after the other, and not as one part. */
  readonly inTurn: boolean;
  /** Accesses that are looked at before a picture is given up. Default: 4 million. */
  readonly most?: number | undefined;
}

/** Accesses that are looked at before a picture is given up. */
const mostTouches = 4_000_000;

const isTag = (l: For): boolean => isThreadTag(l.loop) || isBlockTag(l.loop);

/** The accesses of that kind. */
export const accessesTo = ({ program }: LaidOut, buffer: Buffer, access: "read" | "write"): readonly Access[] =>
  [...accessesIn(program.body)].filter((a) => a.buffer === buffer && (access === "read" ? a.reads : a.writes));

interface Plan {
  /** Loops that are run through, the outermost first. */
  readonly loops: readonly For[];
  readonly mins: readonly Expr[];
  /** How many elements of each dimension the loops that are not run through make of one. */
  readonly extents: readonly Expr[];
  readonly spread: readonly number[];
}

/** Neighbours that loops go through one after the other become one part. */
function planOf(access: Access, asked: Asked): Plan {
  const { loops, conditions } = access;
  const needs = (l: For): boolean => isTag(l) || asked.loops(l) || asked.only(l) !== undefined;
  const said = [...access.mins, ...access.extents, ...conditions.map((c) => c.condition), ...loops.map((l) => l.extent)];
  const used = loops.filter((l) => needs(l) || said.some((e) => mentions(e, new Set([l.variable]))));
  const fixed = [...access.extents, ...conditions.map((c) => c.condition), ...loops.map((l) => l.extent)];
  const sums = access.mins.map((e) => linearOf(e, knownOf(loops)));
  const free = new Map(
    used
      .filter((l) => !needs(l) && (!asked.inTurn || l.loop === "vectorize"))
      .filter((l) => intOf(l.extent) !== undefined && !fixed.some((e) => mentions(e, new Set([l.variable]))))
      .map((l) => [l.variable, l] as const),
  );
  for (const v of free.keys()) {
    const inside = sums.flatMap(({ terms }) => [...terms.values()].filter((t) => mentions(t.atom, new Set([v]))));
    if (inside.length !== 1 || inside[0]?.atom !== v) free.delete(v);
  }
  const covered = new Set<For>();
  const spread = sums.map(({ terms }, d) => {
    let width = intOf(access.extents[d] ?? { kind: "const", dtype: "i32", value: 1 }) ?? 0;
    const begin = width;
    const own = [...terms.values()].flatMap(({ atom, factor }) =>
      atom.kind === "var" && free.has(atom) ? [{ atom, factor }] : [],
    );
    for (const { atom, factor } of own.toSorted((a, b) => a.factor - b.factor)) {
      const loop = free.get(atom);
      if (factor !== width || !loop) break;
      width *= intOf(loop.extent) ?? 1;
      covered.add(loop);
    }
    return begin === 0 ? 1 : width / begin;
  });
  return { loops: used.filter((l) => !covered.has(l)), mins: access.mins, extents: access.extents, spread };
}

/** The conditions around an access as what has to hold, or not. */
const conditionsOf = (access: Access): readonly { readonly condition: Expr; readonly holds: boolean }[] =>
  access.conditions.map((s) => ({
    condition: s.condition,
    holds: !(s.no && [...statements(s.no)].includes(access.by)),
  }));

/** How many threads do an access together, and which indices tell them apart. */
function togetherOf({ by }: Access, launch: Launch): number {
  if (by.kind !== "intrinsic") return 1;
  const all = launch.block.reduce((n, x) => n * x, 1);
  return Math.min(all, participantThreads[intrinsicOf(by.name).participants] ?? all);
}

const linear = (launch: Launch, tags: readonly For["loop"][], values: ReadonlyMap<string, number>, missing: number): number => {
  let [sum, stride] = [0, 1];
  for (const tag of tags as typeof threadTags | typeof blockTags) {
    const extent = extentOf(launch, tag);
    const value = values.get(tag);
    if (value === undefined && extent > 1 && missing < 0) return missing;
    sum += stride * (value ?? 0);
    stride *= extent;
  }
  return sum;
};

/** Gives each touch of the buffer to `see`, in the order of the program for each access. W5545. */
export function eachTouch(laid: LaidOut, asked: Asked, see: (touch: Touch) => void): void {
  const { launch } = laid;
  const { most = mostTouches } = asked;
  let count = 0;
  const decided = (x: number | undefined): number =>
    x ?? refuse(`'${asked.buffer.name}'`, "which element is touched is decided by values that are known only when it runs");
  for (const access of asked.accesses ?? accessesTo(laid, asked.buffer, asked.access)) {
    const plan = planOf(access, asked);
    const conditions = conditionsOf(access);
    const together = togetherOf(access, launch);
    const values = new Map<Var, number>();
    // What stands in a loop that is left out is there in its first iteration, as in all others.
    for (const l of access.loops) values.set(l.variable, 0);
    const tags = new Map<string, number>();
    const touch = (): void => {
      if (++count > most)
        refuse(
          `'${asked.buffer.name}'`,
          `it takes more than ${most / 1e6} million accesses to see: draw the program for smaller sizes`,
        );
      if (conditions.some(({ condition, holds }) => (decided(numberOf(condition, values)) !== 0) !== holds)) return;
      const mins = plan.mins.map((e) => decided(numberOf(e, values)));
      const extents = plan.extents.map((e, d) => decided(numberOf(e, values)) * (plan.spread[d] ?? 1));
      const thread = linear(launch, threadTags, tags, 0);
      see({ block: linear(launch, blockTags, tags, -1), thread, together, values, mins, extents });
    };
    const run = (n: number): void => {
      const loop = plan.loops[n];
      if (!loop) {
        touch();
        return;
      }
      const extent = decided(numberOf(loop.extent, values));
      const outer = isTag(loop) ? tags.get(loop.loop) : undefined;
      const at = outer ?? asked.only(loop);
      const [first, end] = at === undefined ? [0, extent] : [at, Math.min(extent, at + 1)];
      for (let i = first; i < end; i++) {
        values.set(loop.variable, i);
        if (isTag(loop)) tags.set(loop.loop, i);
        run(n + 1);
      }
      if (isTag(loop) && outer === undefined) tags.delete(loop.loop);
    };
    run(0);
  }
}
