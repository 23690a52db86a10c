import type { Target } from "../../base/target.ts";
import type { AnyOp, LaunchBounds, Literal, Op, Region, Value } from "../../ir/index.ts";
import { integersOf, type Shape } from "./integers.ts";
import { gcd, type Interval } from "./known.ts";
import { firstIterationOf, type Origins, originsOf } from "./origins.ts";
import { type Missing, type Parted, type Parting, partedOf } from "./parted.ts";
import { type Group, uniformityOf } from "./uniformity.ts";
import { type ViewParts, viewPartsOf } from "./views.ts";

export { gcd, type Interval } from "./known.ts";
export { type Missing, type Parted, worse } from "./parted.ts";
export type { Group } from "./uniformity.ts";
export { dimensionParts, type Part, sumOf, type ViewParts } from "./views.ts";

/** What is known of the values of a graph: found when it is asked for, and kept. */
export interface Facts {
  /** The greatest divisor of n that surely divides an integer. 0 is a multiple of everything. */
  readonly divisor: (value: Value, n: number) => number;
  /** The least and the greatest integer that a value may be; ±Infinity from 2^53 on. */
  readonly range: (value: Value) => Interval;
  /** Is it an integer that is surely not negative? */
  readonly nonNegative: (value: Value) => boolean;
  /**
   * Which of the low 32 bits of an integer may be set, as a number from 0 to 2^32 - 1. Narrower types are extended to 32 bits as they are
   * when they are converted.
   */
  readonly bits: (value: Value) => number;
  /** The literal that a value is sure to be, a predicate or a float too. A float is given as it was written, before it is rounded to its type. */
  readonly literal: (value: Value) => Literal | undefined;
  /**
   * The greatest group of neighbouring threads over which a value is surely the same: in all threads of each such group that have it,
   * in the same iteration of the loops around.
   */
  readonly uniformity: (value: Value) => Group;
  /** Who is certainly missing on the sides of a condition, in the first iteration of the loops around. */
  readonly parted: (condition: Value) => Parted;
  /** Who is certainly missing in the first iteration of a counting loop. */
  readonly missingIn: (loop: Op<"for">) => Missing;
  /** Where a view or an operand of the tile level lies, part by part. */
  readonly view: (value: Value) => ViewParts;
  /** The op that has the value as a result; undefined for parameters. */
  readonly maker: (value: Value) => AnyOp | undefined;
  /**
   * Told by who rewrites: these are the ops whose results are asked for from here on, those inside regions too. A value that the graph
   * already had must stay what it was; only the op that gives it is another.
   */
  readonly define: (op: Op) => void;
  /** What is known in the first iteration of a loop, or of every loop where none is named. */
  readonly firstIteration: (loop?: Op) => Facts;
}

/** Ops with what they know of a launch: a graph is such. */
export interface Code {
  readonly body: Region;
  readonly launch: LaunchBounds;
  readonly target: Target;
}

function factsFrom(origins: Origins, shape: Shape): Facts {
  const integers = integersOf(origins, shape);
  const uniform = uniformityOf(origins, shape, (value) => integers.of(value));
  const written = (value: Value): number | undefined => {
    const op = origins.maker(value);
    const n = op?.name === "const" && typeof op.attrs.value !== "boolean" ? Number(op.attrs.value) : Number.NaN;
    return Number.isSafeInteger(n) ? n : undefined;
  };
  const views = viewPartsOf(origins, (value) => ({ literal: written(value), divisor: integers.of(value).divisor }));
  let parted: Parting | undefined;
  const first = (): Parting => {
    if (parted) return parted;
    const entering = firstIterationOf(origins, undefined);
    const known = integersOf(entering, shape);
    parted = partedOf(entering, shape, (value) => known.of(value));
    return parted;
  };
  const forget = (value: Value): void => {
    integers.forget(value);
    uniform.forget(value);
    views.forget(value);
    parted = undefined;
  };
  return {
    divisor: (value, n) => gcd(n, integers.of(value).divisor),
    range: (value) => {
      const { least, most } = integers.of(value);
      return [least, most];
    },
    nonNegative: (value) => integers.of(value).least >= 0,
    bits: (value) => integers.of(value).bits >>> 0,
    literal: (value) => integers.of(value).literal,
    uniformity: uniform.of,
    parted: (condition) => first().sides(condition),
    missingIn: (loop) => first().missingIn(loop),
    view: views.of.bind(views),
    maker: origins.maker,
    define: (op) => origins.define(op, forget),
    firstIteration: (loop) => factsFrom(firstIterationOf(origins, loop), shape),
  };
}

/** Facts that nobody has changed, by the body that they are of: passes that only look share them. */
const shared = new WeakMap<Region, { readonly launch: LaunchBounds; readonly facts: Facts }>();

/** What is known of the values of a graph, or of a region. Nothing is looked at before somebody asks. For who rewrites, and tells of it. */
export const ownFactsOf = ({ body, launch, target }: Code): Facts =>
  factsFrom(originsOf(body), { ...launch, limits: target.limits });

/** The same for who only asks. */
export function factsOf(code: Code): Facts {
  const known = shared.get(code.body);
  if (known?.launch === code.launch) return known.facts;
  const facts = ownFactsOf(code);
  shared.set(code.body, { launch: code.launch, facts });
  return facts;
}

/** Says that all that is known of one graph holds of another, whose ops give the same values. */
export const keepFacts = (from: Code, to: Code): void => {
  shared.set(to.body, { launch: to.launch, facts: factsOf(from) });
};
