import { isScalar, type Type, typeName } from "../types.ts";
import { operandValues, type RawOp } from "../value.ts";
import { type BodyTypes, defineOps } from "./define-ops.ts";

function scalars(op: RawOp): string | undefined {
  const values = operandValues(op, "values");
  if (values.length === 0) return "takes one scalar or more";
  const types = (list: readonly { readonly type: Type }[]): string => list.map((v) => typeName(v.type)).join(", ");
  return types(op.results) === types(values) ? undefined : `gives ${types(values)}`;
}

/** What comes before the first thread is of the types of what the threads bring, where it is given. */
function scans(op: RawOp): string | undefined {
  const [values, first] = [operandValues(op, "values"), operandValues(op, "first")];
  const wrong = first.find((v, i) => v.type !== values[i]?.type);
  if (first.length > 0 && first.length !== values.length) return "has as many values for the first thread as the others bring";
  if (wrong && isScalar(wrong.type)) return `gives the first thread the types of the values, not ${typeName(wrong.type)}`;
  return scalars(op);
}

/** One of two: of what is combined twice as much comes in, and as much goes out. */
function ofTwo(op: RawOp): BodyTypes {
  const types = operandValues(op, "values").map((v) => v.type);
  return { takes: [...types, ...types], gives: types };
}

const combination = { result: "given", regions: ["combine"], flow: "function", body: ofTwo, level: "tile" } as const;
const reduces = { ...combination, operands: { values: "scalar*" }, verify: scalars } as const;
const scansValues = { ...combination, operands: { values: "scalar*", first: "scalar*" }, verify: scans } as const;
/** Barrier `id` is the warpgroup's own. */
const groupReduces = { ...combination, operands: { values: "scalar*", id: "i32" }, verify: scalars } as const;
const groupScans = { ...combination, operands: { values: "scalar*", first: "scalar*", id: "i32" }, verify: scans } as const;

const throughShared = ["sync", "read.shared", "write.shared"] as const;
const ofWarp = { effects: ["sync"], participants: "warp" } as const;
const ofWarpgroup = { effects: throughShared, participants: "warpgroup" } as const;
const ofBlock = { effects: throughShared, participants: "whole block" } as const;
const ofCluster = { effects: throughShared, participants: "whole cluster" } as const;

const total = (group: string): string =>
  `What the threads of the ${group} bring, combined in their order: neighbours two by two, then these two by two. All of them get it.`;
const running = (group: string): string =>
  `What the threads of the ${group} up to this one bring, combined in their order; with \`first\`, those before this one, and the first thread gets \`first\`.`;

/** Values of the threads of a group combined by a region, which takes what comes first on its left side. */
export const collectiveOps = defineOps({
  "warp.reduce": { doc: total("warp"), ...reduces, ...ofWarp, called: "a reduction of a warp" },
  "warp.scan": { doc: running("warp"), ...scansValues, ...ofWarp, called: "a scan of a warp" },
  "warpgroup.reduce": { doc: total("warpgroup"), ...groupReduces, ...ofWarpgroup, called: "a reduction of a warpgroup" },
  "warpgroup.scan": { doc: running("warpgroup"), ...groupScans, ...ofWarpgroup, called: "a scan of a warpgroup" },
  "block.reduce": { doc: total("block"), ...reduces, ...ofBlock, called: "a reduction of the block" },
  "block.scan": { doc: running("block"), ...scansValues, ...ofBlock, called: "a scan of the block" },
  "cluster.reduce": { doc: total("cluster"), ...reduces, ...ofCluster, called: "a reduction of the cluster" },
  "cluster.scan": { doc: running("cluster"), ...scansValues, ...ofCluster, called: "a scan of the cluster" },
});
