/**
 * Computes once what is computed twice.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: of two pure ops with the same operands, attributes and types, one of which dominates the other, the first stands
 * for both. Ops with effects and accumulators are never merged: two accumulators of zeros are two sets of registers.
 */
import {
  type AttrValue,
  type Graph,
  isAcc,
  type Op,
  type OpName,
  operandList,
  opNames,
  opSpec,
  type Region,
  typeName,
  type Value,
} from "../../ir/index.ts";
import { isPure, mirrored, type Renaming, renameOperands, withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

function attrText(value: AttrValue): string {
  if (typeof value === "object") return `[${value.map(attrText).join()}]`;
  return `${typeof value}:${Object.is(value, -0) ? "-0" : String(value)}`;
}

const attrNames: ReadonlyMap<OpName, readonly string[]> = new Map(
  opNames.map((name) => [name, Object.keys(opSpec(name).attrs ?? {})]),
);

/** Equal texts: the same computation. */
function keyOf(op: Op): string {
  const ids = operandList(op).map((v) => v.id);
  let attrs = op.attrs as Readonly<Record<string, AttrValue>>;
  if (ids.length === 2 && (ids[0] ?? 0) > (ids[1] ?? 0)) {
    if (op.name === "cmp") attrs = { is: mirrored[(op as Op<"cmp">).attrs.is] };
    if (op.name === "cmp" || opSpec(op.name).commutative) ids.reverse();
  }
  let key = `${op.name}(${ids.join()})`;
  const names = attrNames.get(op.name) ?? [];
  if (names.length > 0)
    names.forEach((name) => {
      if (attrs[name] !== undefined) key += `${name}=${attrText(attrs[name])};`;
    });
  op.results.forEach((v) => {
    key += ` ${typeName(v.type)}`;
  });
  return key;
}

const holdsAcc = ({ type }: Value): boolean => isAcc(type);
const mergeable = (op: Op): boolean => op.results.length > 0 && isPure(op) && !op.results.some(holdsAcc);

/** `seen`: what has been computed, here and in the regions around, by its key. */
function mergeRegion(region: Region, seen: Map<string, Op>, names: Renaming): Region {
  const here: string[] = [];
  const ops: Op[] = [];
  region.ops.forEach((raw) => {
    const op = renameOperands(raw, names);
    const key = mergeable(op) ? keyOf(op) : undefined;
    const first = key === undefined ? undefined : seen.get(key);
    if (first) {
      standFor(op, first, names);
      return;
    }
    if (key !== undefined) {
      seen.set(key, op);
      here.push(key);
    }
    ops.push(op.regions.length === 0 ? op : mergeWithin(op, seen, names));
  });
  here.forEach((key) => {
    seen.delete(key);
  });
  return withOps(region, ops);
}

function standFor(op: Op, first: Op, names: Renaming): void {
  op.results.forEach((value, i) => {
    const by = first.results[i];
    if (by) names.set(value.id, by);
  });
}

function mergeWithin(op: Op, seen: Map<string, Op>, names: Renaming): Op {
  return withRegions(
    op,
    op.regions.map((r) => mergeRegion(r, seen, names)),
  );
}

export const cse = (graph: Graph): Graph => withBody(graph, mergeRegion(graph.body, new Map(), new Map()).ops);
