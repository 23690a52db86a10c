import type { Spans } from "../../base/diag/index.ts";
import { add, both, compare, constant, toInt } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { checkingTrace, expectThat, type Finding } from "../checks/pending.ts";
import { StagedScalar, scalar } from "../trace/scalar.ts";
import type { Trace } from "../trace/trace.ts";
import type { IndexSum, IndexValue } from "./index-value.ts";

/** An index, from its parts, that has to lie in [0, extent) wherever the memory it leads to is touched. */
interface IndexBound {
  readonly index: IndexSum;
  readonly extent: IndexValue;
  /** A vector's elements follow one another in this dimension. */
  readonly innermost: boolean;
  readonly subject: Subject;
  /** Where the author wrote the index: the index alone, where it is known. */
  readonly at: Spans;
  readonly alone: boolean;
}
/** What an index is an index of, as a message says it around the values. */
export interface Subject {
  /** Before the index; where there is none, "index". */
  readonly before?: string;
  /** After the index; two texts where the extent stands between them. */
  readonly after: readonly [string] | readonly [string, string];
  /** The extent as the author can write it. */
  readonly limit?: string | undefined;
  /** It is one of several, the outermost first. */
  readonly several?: boolean;
}
/** Bounds from before a branch or a loop, as one truth. */
interface KnownBound {
  readonly holds: Value | false;
  readonly outside: string;
}
/** What `debug` checks where memory is touched. */
export type Bound = IndexBound | KnownBound;

/**
 * Dimension `dimension` of what the author calls `what`, with that shape. `named`: the author's name for it, where there is one.
 */
export function dimensionOf(what: string, shape: readonly IndexValue[], dimension: number, named?: string): Subject {
  const text = (n: IndexValue): string => (typeof n === "number" ? String(n) : (n.name ?? "?"));
  const before = shape.slice(0, dimension).map((n) => `${text(n)}, `);
  const behind = shape.slice(dimension + 1).map((n) => `, ${text(n)}`);
  const head = ` in dimension ${dimension} of ${what}, [${before.join("")}`;
  const tail = `${behind.join("")}]`;
  const extent = shape[dimension] ?? 1;
  const limit = named === undefined ? undefined : `${named}.shape[${dimension}]`;
  const several = shape.length > 1;
  if (typeof extent !== "number") return { after: [head, tail], limit, several };
  return { after: [`${head}${extent}${tail}`], limit: limit ?? String(extent), several };
}

const surely = (index: IndexSum, extent: IndexValue): boolean =>
  index.staged === undefined && typeof extent === "number" && index.fixed >= 0 && index.fixed < extent;

/** The bound of one index; none where it surely holds, or where nothing is checked. `part`: which argument the index is. */
export function boundOf(
  index: IndexValue | IndexSum,
  extent: IndexValue,
  innermost: boolean,
  subject: () => Subject,
  part = 0,
): readonly Bound[] {
  const whole: IndexSum =
    typeof index === "number" ? { fixed: index, staged: undefined } : "fixed" in index ? index : { fixed: 0, staged: index };
  const trace = checkingTrace();
  if (!trace || (surely(whole, extent) && !innermost)) return [];
  const [here, ...around] = trace.spans();
  const alone = here?.parts?.[part];
  const at = alone ? [alone, ...around] : trace.spans();
  return [{ index: whole, extent, innermost, subject: subject(), at, alone: alone !== undefined }];
}

/** The exact index: 64 bits hold the sum of any two parts that can be. */
function indexValue(trace: Trace, { fixed, staged }: IndexSum): Value {
  return staged ? add(trace, toInt(trace, staged, "i64"), fixed) : constant(trace, BigInt(fixed), "i64");
}

/** Computes whether the bound holds for `count` elements from the index on. */
function holds(
  trace: Trace,
  bound: Bound,
  count: number,
): { readonly holds: Value; readonly index?: Value; readonly most?: number; readonly end?: Value } {
  if ("holds" in bound) return { holds: bound.holds || constant(trace, false, "pred") };
  const more = bound.innermost ? count - 1 : 0;
  const index = indexValue(trace, bound.index);
  // A negative index is a great one without its sign.
  const plain = (value: Value): Value => trace.once("bitcast", { a: value }, {}, ["u64"]);
  if (typeof bound.extent === "number") {
    const most = bound.extent - 1 - more;
    if (most < 0) return { holds: constant(trace, false, "pred"), index };
    return { holds: compare(trace, "le", plain(index), constant(trace, BigInt(most), "u64")), index, most };
  }
  const end = toInt(trace, bound.extent, "i64");
  const last = more === 0 ? index : add(trace, index, more);
  const inside = compare(trace, "lt", last, end);
  return { holds: both(trace, compare(trace, "ge", index, 0), inside) as Value, index, end };
}

/** With `debug`: traps where `pred` holds and one of the bounds does not. */
export function expectInside(trace: Trace, bounds: readonly Bound[] | undefined, count: number, pred: Value | undefined): void {
  for (const bound of bounds ?? []) {
    if (!("holds" in bound) && surelyAll(bound, count)) continue;
    const { holds: inside, index, most, end } = holds(trace, bound, count);
    const condition = pred ? trace.once("or", { a: trace.once("not", { a: pred }, {}), b: inside }, {}) : inside;
    const within = index && most !== undefined ? { value: index, least: 0, most } : undefined;
    expectThat(trace, condition, finding(bound, count, index, end), within);
  }
}

function finding(bound: Bound, count: number, index: Value | undefined, end: Value | undefined): Finding {
  if ("holds" in bound || !index) {
    const parts = ["holds" in bound ? bound.outside : `an index${bound.subject.after.join("?")}`];
    return { parts, values: [], check: { about: "index" } };
  }
  const { before = "index", after, limit, several } = bound.subject;
  const more = bound.innermost && count > 1;
  return {
    parts: [more ? `${count} elements from ${before} ` : `${before} `, ...after],
    values: end && after.length === 2 ? [index, end] : [index],
    check: {
      about: "index",
      ...(limit === undefined || more || !bound.alone ? {} : { limit }),
      ...(several ? { several } : {}),
    },
    at: bound.at,
  };
}

function surelyAll({ index, extent, innermost }: IndexBound, count: number): boolean {
  const last = innermost ? index.fixed + count - 1 : index.fixed;
  return surely(index, extent) && surely({ fixed: last, staged: undefined }, extent);
}

/** The bounds as one leaf of a structure; none where nothing is checked. */
export function boundsLeaf(bounds: readonly Bound[] | undefined): readonly unknown[] {
  const trace = checkingTrace();
  if (!trace) return [];
  const all = (bounds ?? []).reduce<Value | undefined>((sum, b) => both(trace, sum, holds(trace, b, 1).holds), undefined);
  return [all ? scalar(all) : true];
}

/** The bounds that such a leaf stands for. */
export function boundsFrom(leaf: unknown, what: string): readonly Bound[] {
  if (leaf === undefined || leaf === true) return [];
  return [{ holds: leaf instanceof StagedScalar ? leaf.value : false, outside: `an index outside ${what}` }];
}
