import type { AnyOp, Literal, Op, Region, Value } from "../../ir/index.ts";
import { integersOf, type Shape } from "./integers.ts";
import { gcd, type Interval } from "./known.ts";
import { type Origins, originsOf, standingIn } from "./origins.ts";

export type { Interval } from "./known.ts";

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
  /** The literal that a value is sure to be, a predicate or a float too. */
  readonly literal: (value: Value) => Literal | undefined;
  /** The op that has the value as a result; undefined for parameters. */
  readonly maker: (value: Value) => AnyOp | undefined;
  /**
   * Told by who rewrites: these are the ops whose results are asked for from here on, those inside regions too. A value that the graph
   * already had must stay what it was; only the op that gives it is another.
   */
  readonly define: (op: Op) => void;
  /** What is known where `first` gives what a value is there: parameters of loops in their first iteration. Not told of later ops. */
  readonly where: (first: (value: Value) => Value | undefined) => Facts;
}

/** Ops with what they know of a launch: a graph is such. */
export interface Code {
  readonly body: Region;
  readonly launch: Shape;
}

function factsFrom(origins: Origins, shape: Shape): Facts {
  const integers = integersOf(origins, shape);
  return {
    divisor: (value, n) => gcd(n, integers.of(value).divisor),
    range: (value) => {
      const { least, most } = integers.of(value);
      return [least, most];
    },
    nonNegative: (value) => integers.of(value).least >= 0,
    bits: (value) => integers.of(value).bits >>> 0,
    literal: (value) => integers.of(value).literal,
    maker: (value) => {
      const origin = origins.get(value);
      return origin?.op && !origin.index && (!origin.sources || origin.after) ? origin.op : undefined;
    },
    define: (op) => origins.define(op, integers.forget),
    where: (first) => factsFrom(standingIn(origins, first), shape),
  };
}

/** What is known of the values of a graph, or of a region. Nothing is looked at before somebody asks. */
export const factsOf = ({ body, launch }: Code): Facts => factsFrom(originsOf(body), launch);
