/** What regions of a kernel record: how many records, by which lanes, and what comes last. */
import { anyOp, type Graph, type Ids, type Op, opSpec, type Region, type Value } from "../../ir/index.ts";
import type { Facts } from "../facts/index.ts";
import { operand } from "../rewrite/rewrite.ts";
import type { Landings } from "./landings.ts";

/** What is known while records are put in. */
export interface Putting {
  readonly graph: Graph;
  readonly facts: Facts;
  readonly ids: Ids;
  readonly landings: Landings | undefined;
  /** Shared memory of the observer, where there is one. */
  readonly words: Value | undefined;
  /** Whether the warp is the first of its warpgroup. */
  readonly first: Op;
  /** Somebody asks for it. */
  asksForFirst: boolean;
  sites: number;
  readonly sizes: Map<Op, number>;
}

const loops = (op: Op): boolean => op.regions.length > 0 && op.name !== "if";

/** Of a mark's values there are two in each record. */
const recordsOfMark = (op: Op<"mark">): number => Math.max(1, Math.ceil(op.operands.values.length / 2));

/** Records that the op writes itself. */
function ownRecords(op: Op): number {
  if (op.name === "mark") return recordsOfMark(op as Op<"mark">);
  return opSpec(op.name).timed ? 1 : 0;
}

/** Records on all sides of an op; Infinity where a loop has any. */
export function recordsIn(p: Putting, op: Op): number {
  const known = p.sizes.get(op);
  if (known !== undefined) return known;
  let count = ownRecords(op);
  for (const region of op.regions) for (const inner of region.ops) count += recordsIn(p, inner);
  if (loops(op) && count > 0) count = Number.POSITIVE_INFINITY;
  p.sizes.set(op, count);
  return count;
}

/** Records on all sides of all ops of a region. */
export const recordsOf = (p: Putting, region: Region): number => region.ops.reduce((n, op) => n + recordsIn(p, op), 0);

/** Do the lanes of a warp that come to the op go through it together? */
export function together(p: Putting, raw: Op): boolean {
  const op = anyOp(raw);
  const whole = (value: Value | undefined): boolean => value !== undefined && p.facts.uniformity(value) !== "thread";
  if (op.name === "if") return whole(op.operands.condition);
  if (op.name === "for") return [op.operands.start, op.operands.stop, op.operands.step].every(whole);
  const test = raw.regions[0]?.ops.at(-1);
  return test !== undefined && whole(operand(test, "go"));
}

/**
 * The wait for groups that is the last thing of a loop's body that is recorded; undefined where something else is. Its record is carried to the next round: the products that come first there are what
 * the warp has waited for long enough.
 */
export function endsWithGroups({ ops }: Region): Op | undefined {
  const last = ops.findLast((op) => op.regions.length > 0 || op.name === "mark" || op.name === "exit" || opSpec(op.name).timed);
  if (!last || last.regions.length > 0 || opSpec(last.name).timed?.as !== "wait") return undefined;
  return operand(last, "bar") || operand(last, "id") ? undefined : last;
}

/**
 * Do warpgroups go through a region of `op` together, each of their warps waiting for the same? That is so in the body of a loop which has an op that needs
 * a whole warpgroup, and in which nothing is recorded that only some warps do.
 */
export function asWarpgroups(p: Putting, op: Op, { ops }: Region): boolean {
  if (!loops(op) || !ops.some(({ name }) => opSpec(name).participants === "warpgroup")) return false;
  return ops.every((inner) => inner.regions.length === 0 || recordsIn(p, inner) === 0);
}
