import { warpSize } from "../../../base/target.ts";
import { add, and, compare, constant, first, xor } from "../../../ir/arith.ts";
import { opSpec, type Value } from "../../../ir/index.ts";
import { type Combination, choose, type Values } from "./combination.ts";
import type { Expansion } from "./expansion.ts";

/** Lanes of a warp. */

/** The lanes that a warp of the block has. */
export interface Lanes {
  /** Of the warp that has most. */
  readonly most: number;
  /** Of this warp, where it may be fewer than 32. */
  readonly count: Value | undefined;
}

export const threadsOf = ({ launch }: Expansion): number => launch.block.reduce((n, extent) => n * extent, 1);
export const laneOf = ({ w }: Expansion): Value => w.once("sreg", {}, { reg: "laneid" });
export const warpOf = ({ w }: Expansion): Value => w.once("warp.index", {}, {});

/** All 32, but in the last warp of a block that is not made of whole ones. */
export function lanesOf(x: Expansion): Lanes {
  const threads = threadsOf(x);
  const rest = threads % warpSize;
  if (rest === 0) return { most: warpSize, count: undefined };
  const own = constant(x.w, rest, "i32");
  if (threads < warpSize) return { most: rest, count: own };
  const isLast = compare(x.w, "eq", warpOf(x), Math.floor(threads / warpSize));
  return { most: warpSize, count: x.w.once("select", { condition: isLast, yes: own, no: constant(x.w, warpSize, "i32") }, {}) };
}

type Mode = "idx" | "bfly" | "up";
const shuffled = ({ w }: Expansion, values: Values, mode: Mode, by: Value): Values =>
  values.map((value) => first(w.emit("shfl", { value, by }, { mode })));

/** Reductions of words in one instruction. */
const words = opSpec("redux.sync").attrs?.op as readonly string[];
type WordOp = "add" | "min" | "max" | "and" | "or" | "xor";

function reduceWords(x: Expansion, values: Values, { commutes }: Combination): Values | undefined {
  const [value, ...more] = values;
  const isWord = value && more.length === 0 && (value.type === "i32" || value.type === "u32");
  if (!isWord || commutes === undefined || !words.includes(commutes)) return undefined;
  return [first(x.w.emit("redux.sync", { value }, { op: commutes as WordOp }))];
}

/** The values with those of the `distance` lanes on the other side, in the order of the lanes. */
function withOpposite(x: Expansion, values: Values, other: Values, distance: number, combination: Combination): Values {
  if (combination.commutes) return combination.of(values, other);
  const isUpper = compare(x.w, "ne", and(x.w, laneOf(x), distance), 0);
  return combination.of(choose(x.w, isUpper, other, values), choose(x.w, isUpper, values, other));
}

/**
 * Neighbouring lanes, then neighbouring pairs, and so on: each lane takes the value of the one opposite. Where some lanes do not exist, it
 * takes that of the lowest lane opposite, and where that does not exist it keeps its own.
 */
export function reduceLanes(x: Expansion, { most, count }: Lanes, given: Values, combination: Combination): Values {
  const { w } = x;
  const atOnce = reduceWords(x, given, combination);
  if (atOnce) return atOnce;
  let values = given;
  for (let distance = 1; distance < most; distance *= 2) {
    if (!count) {
      const other = shuffled(x, values, "bfly", constant(w, distance, "i32"));
      values = withOpposite(x, values, other, distance, combination);
      continue;
    }
    const lowest = xor(w, and(w, laneOf(x), -distance), distance);
    const exists = compare(w, "lt", lowest, count);
    const from = w.once("select", { condition: exists, yes: lowest, no: laneOf(x) }, {});
    const both = withOpposite(x, values, shuffled(x, values, "idx", from), distance, combination);
    values = choose(w, exists, both, values);
  }
  return values;
}

/** For each lane, those up to it: with the lane before it, then with what lies two before, and so on. */
export function scanLanes(x: Expansion, { most }: Lanes, given: Values, { of }: Combination): Values {
  const { w } = x;
  let values = given;
  for (let distance = 1; distance < most; distance *= 2) {
    const by = constant(w, distance, "i32");
    const before = shuffled(x, values, "up", by);
    values = choose(w, compare(w, "ge", laneOf(x), by), of(before, values), values);
  }
  return values;
}

/** The values of the lane before; the first lane keeps its own. */
export const laneBefore = (x: Expansion, values: Values): Values => shuffled(x, values, "up", constant(x.w, 1, "i32"));

/** Is this the last lane that the warp has? */
export function isLastLane(x: Expansion, { count }: Lanes): Value {
  const last = count ? add(x.w, count, -1) : constant(x.w, warpSize - 1, "i32");
  return compare(x.w, "eq", laneOf(x), last);
}
