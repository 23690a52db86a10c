/** A buffer that one iteration of a loop fills and uses, made as small as that, and several of it for iterations in flight. */

import { readsOnlyFresh, touches } from "../facts/depends.ts";
import { touchedBy } from "../facts/touches.ts";
import { add, binary, int, intOf, mod, sub, variable } from "../ir/build.ts";
import { knownIn } from "../ir/known.ts";
import { type Linear, plus, sameExpr, sumExpr } from "../ir/linear.ts";
import { union } from "../ir/regions.ts";
import { bounded, type Known, linearOf, provably, simplify } from "../ir/simplify.ts";
import type { Axis, Block, Buffer, Expr, For, Load, Program, Range, Region, Stmt, Var } from "../ir/types.ts";
import { mapExpr, mentions, replaceStmt, statements, substituteIn, within } from "../ir/walk.ts";
import { allocated } from "./buffers.ts";
import { loopAt, refuse, type Step, tidied } from "./find.ts";
import { sharedLoops } from "./nest.ts";

/** What one iteration of a loop touches of a buffer; undefined where that is not a box of one size. */
export function perIteration(p: Program, b: Buffer, loop: For, around: readonly Stmt[]): Region | undefined {
  const known = knownIn(p, [...around, loop]);
  const { reads, writes } = touchedBy(loop.body, known, sharedLoops([...around, loop], b.scope));
  const all = [...reads, ...writes].filter((r) => r.buffer === b);
  const region = all.reduce<Region | undefined>((u, r) => (u ? union(u, r, known) : r), undefined);
  return region?.ranges.every((r) => intOf(r.extent) !== undefined) ? clippedTo(b, region, known) : undefined;
}

/** A part that may reach beyond the buffer begins inside of it where all of the dimension is meant. */
function clippedTo(b: Buffer, region: Region, known: Known): Region {
  const ranges = region.ranges.map((r, d): Range => {
    const shape = b.shape[d];
    const whole =
      shape && provably(binary("<=", r.min, int(0)), known) && provably(binary(">=", add(r.min, r.extent), shape), known);
    return whole ? { min: int(0), extent: shape } : r;
  });
  return { buffer: b, ranges };
}

/** Whether all that touches a buffer stands in the loop. */
export const livesIn = (p: Program, b: Buffer, loop: For): boolean => {
  const inside = new Set(statements(loop.body));
  return [...statements(p.body)].every((s) => inside.has(s) || !ownTouch(s, b));
};
const empty: Stmt = { kind: "seq", body: [] };
/** Whether a statement itself, not one in it, touches a buffer. */
function ownTouch(s: Stmt, b: Buffer): boolean {
  if (s.kind === "for") return touches({ ...s, body: empty }, b);
  if (s.kind === "block") return touches({ ...s, body: empty, init: undefined }, b);
  if (s.kind === "if") return touches({ ...s, yes: empty, no: undefined }, b);
  return s.kind !== "seq" && touches(s, b);
}

/** Whether each iteration writes all that it reads of a buffer. */
export const freshIn = (p: Program, b: Buffer, loop: For, around: readonly Stmt[]): boolean =>
  readsOnlyFresh(loop.body, b, knownIn(p, [...around, loop]), sharedLoops([...around, loop], b.scope));

export interface Versions {
  readonly program: Program;
  readonly buffer: Buffer;
}

/** Keeps of a buffer what one iteration needs, `depth` times; iteration i takes number `i % depth`. */
export function multiBuffer(p: Program, name: string, at: Var, depth: number, step: Step): Versions {
  const old = allocated(p, name, step);
  const { loop, around } = loopAt(p, at, step);
  const bad = (why: string): never => refuse(step, "W5543", { step: step.name, buffer: name, why }, loop.span, old.span);
  if (!Number.isSafeInteger(depth) || depth < 1) bad(`its number of versions is a whole number from 1 on, not ${depth}`);
  if (!touches(loop.body, old)) bad(`nothing in '${at.name}' uses it`);
  if (!livesIn(p, old, loop)) bad(`it is used outside of '${at.name}', too`);
  if (!freshIn(p, old, loop, around)) bad(`an iteration of '${at.name}' may read of it what an earlier one wrote`);
  const region = perIteration(p, old, loop, around);
  if (!region) return bad(`the iterations of '${at.name}' do not each use a box of it of one size`);
  const made = versioned(p, old, region, loop, around, depth);
  return made ?? bad("an index of it mixes loops around a block with loops inside it");
}

interface Rewrite {
  readonly old: Buffer;
  readonly made: Buffer;
  readonly region: Region;
  readonly version: Expr | undefined;
  failed: boolean;
}

/** Where a statement stands: values of the axes around, and at which level each variable is bound: 0 is outside of any block. */
interface Place {
  readonly known: Known;
  readonly values: ReadonlyMap<Var, Expr>;
  readonly level: ReadonlyMap<Var, number>;
  readonly blocks: readonly Open[];
}
/** A block while its body is rewritten: axes that are added to it. */
interface Open {
  readonly block: Block;
  readonly axes: Axis[];
  readonly values: Expr[];
  /** The values of the added axes as expressions of loops. */
  readonly whole: Expr[];
}

export function versioned(
  p: Program,
  old: Buffer,
  region: Region,
  loop: For,
  around: readonly Stmt[],
  depth: number,
): Versions | undefined {
  const small = region.ranges.map((r) => r.extent);
  if (depth === 1 && small.every((e, d) => sameExpr(e, old.shape[d] ?? int(0)))) return { program: p, buffer: old };
  const made: Buffer = { ...old, shape: depth > 1 ? [int(depth), ...small] : small };
  const rewrite: Rewrite = { old, made, region, version: depth > 1 ? mod(loop.variable, int(depth)) : undefined, failed: false };
  const bound = [...around, loop].flatMap((s) =>
    s.kind === "for" ? [s.variable] : s.kind === "block" ? s.axes.map((a) => a.variable) : [],
  );
  const place: Place = {
    known: knownIn(p, [...around, loop]),
    values: new Map(),
    level: new Map([...p.sizes, ...bound].map((v) => [v, 0])),
    blocks: [],
  };
  const body = walk(loop.body, place, rewrite);
  if (rewrite.failed) return undefined;
  const buffers = p.buffers.map((b) => (b === old ? made : b));
  return { program: tidied({ ...p, buffers, body: replaceStmt(p.body, loop, { ...loop, body }) }), buffer: made };
}

function walk(s: Stmt, place: Place, rw: Rewrite): Stmt {
  const expr = (e: Expr): Expr => loadsIn(e, place, rw);
  switch (s.kind) {
    case "for": {
      const inside: Place = {
        ...place,
        known: new Map([...place.known, [s.variable, bounded(s.extent)]]),
        level: new Map([...place.level, [s.variable, place.blocks.length]]),
      };
      return { ...s, body: walk(s.body, inside, rw) };
    }
    case "seq":
      return { ...s, body: s.body.map((x) => walk(x, place, rw)) };
    case "if":
      return { ...s, condition: expr(s.condition), yes: walk(s.yes, place, rw), no: s.no && walk(s.no, place, rw) };
    case "block": {
      const open: Open = { block: s, axes: [], values: [], whole: [] };
      const inside: Place = {
        ...place,
        values: new Map([
          ...place.values,
          ...s.axes.map((a, i): [Var, Expr] => [a.variable, substituteIn(s.values[i] ?? int(0), place.values)]),
        ]),
        blocks: [...place.blocks, open],
      };
      const [values, where] = [s.values.map(expr), s.where && expr(s.where)];
      const init = s.init && walk(s.init, inside, rw);
      const body = walk(s.body, inside, rw);
      return { ...s, axes: [...s.axes, ...open.axes], values: [...values, ...open.values], where, init, body };
    }
    case "store": {
      const value = expr(s.value);
      if (s.buffer !== rw.old) return { ...s, indices: s.indices.map(expr), value };
      return { ...s, buffer: rw.made, indices: moved(s.indices, place, rw), value };
    }
    case "intrinsic": {
      if (!s.args.some((r) => r.buffer === rw.old)) return s;
      const args = s.args.map((r): Region => {
        if (r.buffer !== rw.old) return r;
        const mins = moved(
          r.ranges.map((x) => x.min),
          place,
          rw,
        );
        const extents = [...(rw.version ? [int(1)] : []), ...r.ranges.map((x) => x.extent)];
        return { buffer: rw.made, ranges: mins.map((min, d) => ({ min, extent: extents[d] ?? int(1) })) };
      });
      return { ...s, args };
    }
    case "effect":
      return { ...s, args: s.args.map(expr) };
  }
}

const loadsIn = (e: Expr, place: Place, rw: Rewrite): Expr =>
  [...within(e)].some((x) => x.kind === "load" && x.buffer === rw.old)
    ? mapExpr(e, (x) =>
        x.kind === "load" && x.buffer === rw.old
          ? ({ ...x, buffer: rw.made, indices: moved(x.indices, place, rw) } satisfies Load)
          : x,
      )
    : e;

/** Indices into the smaller buffer. In a block they are its axes, old ones or new ones. */
function moved(indices: readonly Expr[], place: Place, rw: Rewrite): readonly Expr[] {
  const at = indices.map((index, d) => {
    const min = rw.region.ranges[d]?.min ?? int(0);
    if (sameExpr(min, int(0))) return index;
    const whole = simplify(sub(substituteIn(index, place.values), min), place.known);
    return passed(whole, rw.region.ranges[d]?.extent ?? int(1), place, rw);
  });
  return rw.version ? [passed(rw.version, rw.made.shape[0] ?? int(1), place, rw), ...at] : at;
}

/** An expression of loops as one that may stand in the innermost block: what loops around each block give is an axis of it. */
function passed(e: Expr, extent: Expr, place: Place, rw: Rewrite): Expr {
  if (place.blocks.length === 0) return e;
  const levels: Linear[] = Array.from({ length: place.blocks.length + 1 }, () => ({ terms: new Map(), constant: 0 }));
  const sum = linearOf(e, place.known);
  for (const [key, term] of sum.terms) {
    const found = new Set([...within(term.atom)].flatMap((x) => (x.kind === "var" ? [place.level.get(x) ?? 0] : [])));
    const [level = 0] = found;
    const to = levels[level];
    if (found.size > 1 || !to) {
      rw.failed = true;
      return e;
    }
    levels[level] = plus(to, { terms: new Map([[key, term]]), constant: 0 });
  }
  let inner: Expr = int(0);
  let soFar: Expr = int(0);
  place.blocks.forEach((open, i) => {
    inner = add(inner, sumExpr(levels[i] ?? sum));
    soFar = add(soFar, sumExpr(levels[i] ?? sum));
    inner = asAxis(open, inner, soFar, extent, place);
  });
  const last = sumExpr(levels[place.blocks.length] ?? sum);
  return simplify(add(add(inner, last), int(sum.constant)), place.known);
}

/** The axis of a block that has this value; a constant is none. */
function asAxis(open: Open, value: Expr, whole: Expr, extent: Expr, { known, values }: Place): Expr {
  const short = simplify(value, known);
  if (intOf(short) !== undefined) return short;
  const { block } = open;
  const all = [
    ...block.axes.map((axis, i) => ({ axis, value: block.values[i] })),
    ...open.axes.map((axis, i) => ({ axis, value: open.values[i] })),
  ];
  const same = all.find((a) => a.value && sameExpr(simplify(a.value, known), short));
  if (same) return same.axis.variable;
  const loops = [...within(whole)].filter((x): x is Var => x.kind === "var");
  const drives = (type: Axis["type"]): boolean =>
    block.axes.some((a, i) => a.type === type && mentions(substituteIn(block.values[i] ?? int(0), values), new Set(loops)));
  const axis: Axis = {
    variable: variable(`u${open.axes.length}`),
    extent,
    type: drives("reduce") && !drives("spatial") ? "reduce" : "spatial",
  };
  open.axes.push(axis);
  open.values.push(short);
  open.whole.push(whole);
  return axis.variable;
}
