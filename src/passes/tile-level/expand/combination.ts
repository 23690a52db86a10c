import { type Op, type OpName, operandList, opSpec, type Region, type Value, walkOps, yielded } from "../../../ir/index.ts";
import { copyOps, isPure, type Renaming, renameOperands } from "../../rewrite/rewrite.ts";
import type { Expansion } from "./expansion.ts";
import type { Writer } from "./writer.ts";

/** Scalars that belong together: what one thread brings, or some of them together. */
export type Values = readonly Value[];

/** Makes one of two. */
export interface Combination {
  /** `a` comes before `b`. */
  readonly of: (a: Values, b: Values) => Values;
  /** The one op that it is, where that is all and its sides may change places. */
  readonly commutes: OpName | undefined;
}

/** The region's only op, where it takes both parameters and its sides may change places. */
function commutativeOp({ params, ops }: Region): OpName | undefined {
  const [op, end, ...more] = ops;
  if (!op || !end || more.length > 0 || !opSpec(op.name).commutative) return undefined;
  const { a, b } = op.operands as Readonly<Record<string, unknown>>;
  const takesBoth = params.length === 2 && params.includes(a as Value) && params.includes(b as Value) && a !== b;
  return takesBoth && yielded({ params, ops })[0] === op.results[0] ? op.name : undefined;
}

/** What of a body depends on its parameters. What does not is appended: the same wherever the body is applied. */
function varying(w: Writer, { params, ops }: Region): readonly Op[] {
  const inside = new Set(params.map(({ id }) => id));
  return ops.filter((op) => {
    const same = isPure(op) && op.regions.length === 0 && operandList(op).every(({ id }) => !inside.has(id));
    if (same) w.append(op);
    else for (const { id } of op.results) inside.add(id);
    return !same;
  });
}

/** A region that its op applies: taken apart once, and then copied wherever it is applied. */
export interface Applied {
  readonly region: Region;
  readonly to: (values: Values) => Values;
}

export function applied(x: Expansion, op: { readonly regions: readonly Region[] }): Applied {
  const [region] = op.regions;
  if (!region) throw new TypeError("the op has nothing to apply");
  const { region: made } = x.w.inRegion([...region.params], () => {
    x.expandOps(region.ops.slice(0, -1));
    const end = region.ops.at(-1);
    if (end) x.w.append(renameOperands(end, x.names));
  });
  const body = varying(x.w, { params: made.params, ops: made.ops.slice(0, -1) });
  return {
    region: made,
    to: (values) => {
      const names: Renaming = new Map();
      made.params.forEach((param, i) => {
        const value = values[i];
        if (value) names.set(param.id, value);
      });
      for (const copy of copyOps(body, names, x.w.ids)) x.w.append(copy);
      return yielded(made).map((v) => names.get(v.id) ?? v);
    },
  };
}

/** The same, taken apart anew each time, for what has more to say where its parameters are known: addresses, of coordinates. */
function appliedAnew(x: Expansion, region: Region): Applied["to"] {
  return (values) => {
    const names: Renaming = new Map();
    region.params.forEach((param, i) => {
      const value = values[i];
      if (value) names.set(param.id, value);
    });
    x.expandOps(copyOps(region.ops.slice(0, -1), names, x.w.ids));
    return yielded(region).map((v) => {
      const own = names.get(v.id) ?? v;
      return x.names.get(own.id) ?? own;
    });
  };
}

/** How an op makes of elements at a place what there is at that place. */
export function appliedAtPlaces(x: Expansion, op: { readonly regions: readonly Region[] }): Applied["to"] {
  const [region] = op.regions;
  let known = region !== undefined;
  if (region)
    walkOps(region, ({ name }) => {
      known = known && opSpec(name).level !== "tile";
    });
  return region && !known ? appliedAnew(x, region) : applied(x, op).to;
}

/** How an op makes one of two. */
export function combinationOf(x: Expansion, op: { readonly regions: readonly Region[] }): Combination {
  const { region, to } = applied(x, op);
  return { commutes: commutativeOp(region), of: (a, b) => to([...a, ...b]) };
}

/** Value by value. */
export const choose = (w: Writer, condition: Value, yes: Values, no: Values): Values =>
  yes.map((a, i) => {
    const b = no[i];
    return b === undefined || a === b ? a : w.once("select", { condition, yes: a, no: b }, {});
  });

/** Neighbours two by two, then these two by two, and so on; the last one of an odd number waits for the next round. */
export function tree<T>(values: readonly T[], combine: (a: T, b: T) => T): T {
  let round = values;
  while (round.length > 1)
    round = round.flatMap((a, i) => {
      const b = round[i + 1];
      return i % 2 === 1 ? [] : [b === undefined ? a : combine(a, b)];
    });
  const [all] = round;
  if (all === undefined) throw new TypeError("there is nothing to combine");
  return all;
}

/** What comes before something, where anything does: always, if `exists` is undefined. */
export interface Before {
  readonly values: Values;
  readonly exists: Value | undefined;
}

/** `a` before `b`. */
export function joined(w: Writer, { of }: Combination, a: Before, b: Before): Before {
  const both = of(a.values, b.values);
  const withB = a.exists ? choose(w, a.exists, both, b.values) : both;
  if (!b.exists) return { values: withB, exists: undefined };
  const exists = a.exists ? w.once("or", { a: a.exists, b: b.exists }, {}) : undefined;
  return { values: choose(w, b.exists, withB, a.values), exists };
}
