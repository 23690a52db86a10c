/**
 * What is known of a value in the threads of one block: one literal that all of them have, a list with one for each thread, or
 * nothing. Of integers up to 32 bits lists are made when somebody looks: bounds often decide a comparison before.
 */
import { bitsOf, integerRange, isInteger, type Literal, type Op, operandList, type ScalarType } from "../../../ir/index.ts";
import { evaluate } from "../../../passes/index.ts";

export type Known = Literal | Lanes | undefined;

/** One value for each thread, and what all of them lie between. */
export class Lanes {
  readonly low: number;
  readonly high: number;
  readonly #make: () => readonly (Literal | undefined)[];
  #list: readonly (Literal | undefined)[] | undefined;

  constructor(make: () => readonly (Literal | undefined)[], low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY) {
    this.#make = make;
    this.low = low;
    this.high = high;
  }

  get list(): readonly (Literal | undefined)[] {
    this.#list ??= this.#make();
    return this.#list;
  }
}

/** How much has been worked out, thread by thread: more than so much is not waited for. */
export class Effort {
  left: number;
  constructor(most: number) {
    this.left = most;
  }
  get spent(): boolean {
    return this.left <= 0;
  }
}

const lowOf = (value: Literal | Lanes): number => (value instanceof Lanes ? value.low : Number(value));
const highOf = (value: Literal | Lanes): number => (value instanceof Lanes ? value.high : Number(value));
export const inLane = (value: Known, lane: number): Literal | undefined => (value instanceof Lanes ? value.list[lane] : value);

type Bounds = readonly [low: number, high: number];
type Pair = readonly [Literal | Lanes, Literal | Lanes];

const corners = (a: Literal | Lanes, b: Literal | Lanes, apply: (x: number, y: number) => number): Bounds => {
  const all = [lowOf(a), highOf(a)].flatMap((x) => [apply(x, lowOf(b)), apply(x, highOf(b))]);
  return [Math.min(...all), Math.max(...all)];
};

/** What lies between which bounds, for operators that keep the order of what they are given. */
const bounds: Readonly<Record<string, (...of: Pair) => Bounds | undefined>> = {
  add: (a, b) => [lowOf(a) + lowOf(b), highOf(a) + highOf(b)],
  sub: (a, b) => [lowOf(a) - highOf(b), highOf(a) - lowOf(b)],
  mul: (a, b) => corners(a, b, (x, y) => x * y),
  min: (a, b) => [Math.min(lowOf(a), lowOf(b)), Math.min(highOf(a), highOf(b))],
  max: (a, b) => [Math.max(lowOf(a), lowOf(b)), Math.max(highOf(a), highOf(b))],
  shl: (a, b) => (b instanceof Lanes ? undefined : corners(a, b, (x, y) => x * 2 ** (y & 31))),
  shr: (a, b) => (b instanceof Lanes ? undefined : corners(a, b, (x, y) => Math.floor(x / 2 ** (y & 31)))),
  and: (a, b) => (lowOf(a) >= 0 && lowOf(b) >= 0 ? [0, Math.min(highOf(a), highOf(b))] : undefined),
};

type Is = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

/** What a comparison gives for all threads, where their bounds say so. */
function decided(is: Is, a: Literal | Lanes, b: Literal | Lanes): boolean | undefined {
  const [below, above] = [highOf(a) < lowOf(b), lowOf(a) > highOf(b)];
  const [notAbove, notBelow] = [highOf(a) <= lowOf(b), lowOf(a) >= highOf(b)];
  switch (is) {
    case "lt":
      return below ? true : notBelow ? false : undefined;
    case "le":
      return notAbove ? true : above ? false : undefined;
    case "gt":
      return above ? true : notAbove ? false : undefined;
    case "ge":
      return notBelow ? true : below ? false : undefined;
    case "eq":
      return below || above ? false : undefined;
    case "ne":
      return below || above ? true : undefined;
  }
}

const narrow = (type: unknown): type is ScalarType =>
  typeof type === "string" && isInteger(type as ScalarType) && bitsOf(type as ScalarType) <= 32;

/** Bounds that the type holds: beyond them the result has wrapped, and they say nothing. */
function within(type: unknown, found: Bounds | undefined): Bounds | undefined {
  if (!narrow(type) || !found) return undefined;
  const [least, most] = integerRange(type);
  return found[0] >= Number(least) && found[1] <= Number(most) ? found : undefined;
}

const fast: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => (a + b) | 0,
  sub: (a, b) => (a - b) | 0,
  mul: Math.imul,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (a, b) => a << b,
  shr: (a, b) => a >> b,
  min: Math.min,
  max: Math.max,
};

function lanesOf(
  op: Op,
  operands: readonly (Literal | Lanes)[],
  threads: number,
  effort: Effort,
): () => readonly (Literal | undefined)[] {
  return () => {
    effort.left -= threads;
    const quick = op.results[0]?.type === "i32" ? fast[op.name] : undefined;
    const [a, b] = operands;
    return Array.from({ length: threads }, (_, lane) => {
      if (quick) {
        const [x, y] = [inLane(a, lane), inLane(b, lane)];
        return typeof x === "number" && typeof y === "number" ? quick(x, y) : undefined;
      }
      const literals = operands.flatMap((operand) => inLane(operand, lane) ?? []);
      return literals.length === operands.length ? evaluate(op, literals) : undefined;
    });
  };
}

/** `yes` where the condition holds, else `no`, thread by thread. */
export function choose(condition: Known, yes: Known, no: Known, threads: number, effort: Effort): Known {
  if (typeof condition === "boolean") return condition ? yes : no;
  if (yes !== undefined && Object.is(yes, no)) return yes;
  if (!(condition instanceof Lanes) || yes === undefined || no === undefined) return undefined;
  const make = (): readonly (Literal | undefined)[] => {
    effort.left -= threads;
    return condition.list.map((holds, lane) => (holds === undefined ? undefined : inLane(holds ? yes : no, lane)));
  };
  return new Lanes(make, Math.min(lowOf(yes), lowOf(no)), Math.max(highOf(yes), highOf(no)));
}

/** What an op of arithmetic gives; undefined where that is not known. */
export function evaluated(op: Op, operands: readonly Known[], threads: number, effort: Effort): Known {
  const known = operands.flatMap((operand) => operand ?? []);
  if (known.length !== operands.length) return partly(op, operands, threads, effort);
  if (!known.some((operand) => operand instanceof Lanes)) return evaluate(op, known as readonly Literal[]);
  const [a, b] = known;
  if (op.name === "cmp" && a !== undefined && b !== undefined) {
    const type = operandList(op)[0]?.type;
    const answer = narrow(type) ? decided((op as Op<"cmp">).attrs.is, a, b) : undefined;
    if (answer !== undefined) return answer;
  }
  const found = a !== undefined && b !== undefined ? within(op.results[0]?.type, bounds[op.name]?.(a, b)) : undefined;
  return new Lanes(lanesOf(op, known, threads, effort), found?.[0], found?.[1]);
}

/** What one operand decides alone, whatever the other is: false and anything is false. */
function partly(op: Op, operands: readonly Known[], threads: number, effort: Effort): Known {
  const decides = op.name === "and" ? false : op.name === "or" ? true : undefined;
  if (decides === undefined || op.results[0]?.type !== "pred") return undefined;
  if (operands.includes(decides)) return decides;
  const lanes = operands.find((operand) => operand instanceof Lanes);
  if (!lanes) return undefined;
  const make = (): readonly (Literal | undefined)[] => {
    effort.left -= threads;
    return lanes.list.map((holds) => (holds === decides ? decides : undefined));
  };
  return new Lanes(make);
}
