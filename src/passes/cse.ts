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
} from "../ir/index.ts";
import { commutative, isPure, mirrored, type Renaming, renameOperands, withBody, withOps, withRegions } from "./rewrite.ts";

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
  const [a = 0, b = 0] = ids;
  if (a > b && commutative.has(op.name)) ids.reverse();
  if (op.name === "cmp" && a > b) {
    ids.reverse();
    attrs = { ...attrs, is: mirrored[(op as Op<"cmp">).attrs.is] };
  }
  let key = `${op.name}(${ids.join()})`;
  attrNames.get(op.name)?.forEach((name) => {
    if (attrs[name] !== undefined) key += `${name}=${attrText(attrs[name])};`;
  });
  return key + op.results.map((v) => typeName(v.type)).join();
}

const mergeable = (op: Op): boolean => op.results.length > 0 && isPure(op) && !op.results.some((v) => isAcc(v.type));

/** `seen`: what has been computed, here and in the regions around, by its key. */
function mergeRegion(region: Region, seen: Map<string, Op>, names: Renaming): Region {
  const here: string[] = [];
  const ops: Op[] = [];
  for (const raw of region.ops) {
    const op = renameOperands(raw, names);
    const key = mergeable(op) ? keyOf(op) : undefined;
    const first = key === undefined ? undefined : seen.get(key);
    if (first) {
      op.results.forEach((value, i) => {
        const by = first.results[i];
        if (by) names.set(value.id, by);
      });
      continue;
    }
    if (key !== undefined) {
      seen.set(key, op);
      here.push(key);
    }
    ops.push(
      op.regions.length === 0
        ? op
        : withRegions(
            op,
            op.regions.map((r) => mergeRegion(r, seen, names)),
          ),
    );
  }
  for (const key of here) seen.delete(key);
  return withOps(region, ops);
}

export const cse = (graph: Graph): Graph => withBody(graph, mergeRegion(graph.body, new Map(), new Map()).ops);
