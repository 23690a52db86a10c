/**
 * Computes once what is computed twice.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: of two pure ops with the same operands, attributes and types, one of which dominates the other, the first stands
 * for both. Ops with effects and accumulators are never merged: two accumulators of zeros are two sets of registers.
 */
import { type AttrValue, type Graph, isAcc, type Op, operandList, type Region, typeName } from "../ir/index.ts";
import { commutative, isPure, mirrored, type Renaming, renameOperands, withBody } from "./rewrite.ts";

function attrText(value: AttrValue): string {
  if (typeof value === "object") return `[${value.map(attrText).join()}]`;
  return `${typeof value}:${Object.is(value, -0) ? "-0" : String(value)}`;
}

/** Equal texts: the same computation. */
function keyOf(op: Op): string {
  const ids = operandList(op).map((v) => v.id);
  let attrs = op.attrs as Readonly<Record<string, AttrValue>>;
  const [a = 0, b = 0] = ids;
  if (commutative.has(op.name)) ids.sort((x, y) => x - y);
  if (op.name === "cmp" && a > b) {
    ids.reverse();
    attrs = { ...attrs, is: mirrored[(op as Op<"cmp">).attrs.is] };
  }
  const named = Object.keys(attrs)
    .sort()
    .filter((name) => attrs[name] !== undefined);
  const shown = named.map((name) => `${name}=${attrText(attrs[name])}`);
  return `${op.name}(${ids.join()})${shown.join()}:${op.results.map((v) => typeName(v.type)).join()}`;
}

const mergeable = (op: Op): boolean => op.results.length > 0 && isPure(op) && !op.results.some((v) => isAcc(v.type));

/** What has been computed, here and in the regions around. */
interface Seen {
  readonly ops: Map<string, Op>;
  readonly outer: Seen | undefined;
}

function find(key: string, seen: Seen): Op | undefined {
  for (let s: Seen | undefined = seen; s; s = s.outer) {
    const op = s.ops.get(key);
    if (op) return op;
  }
  return undefined;
}

function mergeRegion(region: Region, outer: Seen | undefined, names: Renaming): Region {
  const seen: Seen = { ops: new Map(), outer };
  const ops: Op[] = [];
  for (const raw of region.ops) {
    const op = renameOperands(raw, names);
    const key = mergeable(op) ? keyOf(op) : undefined;
    const first = key === undefined ? undefined : find(key, seen);
    if (first) {
      op.results.forEach((value, i) => {
        const by = first.results[i];
        if (by) names.set(value.id, by);
      });
      continue;
    }
    if (key !== undefined) seen.ops.set(key, op);
    ops.push(op.regions.length === 0 ? op : { ...op, regions: op.regions.map((r) => mergeRegion(r, seen, names)) });
  }
  return { params: region.params, ops };
}

export const cse = (graph: Graph): Graph => withBody(graph, mergeRegion(graph.body, undefined, new Map()).ops);
