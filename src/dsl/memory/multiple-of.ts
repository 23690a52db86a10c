import { type AnyOp, anyOp, type Literal, type Op, type Value } from "../../ir/index.ts";
import type { Trace } from "../trace.ts";
import { type Counted, type Handed, loopValue } from "./loop-values.ts";

/** The op that gave a value. */
export function definition(trace: Trace, value: Value): AnyOp | undefined {
  const op = trace.makerOf(value);
  return op && anyOp(op);
}

/** The greatest number that divides both; 0 is a multiple of everything. */
export function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** What loops are taken to keep, so that an answer holds: what divides each value at the start of every turn. */
type Granting = Map<Handed, number>;

/** Ops looked through, one inside the other. */
const deepest = 12;

/**
 * The greatest divisor of `n` that surely divides a value: what is known of alignment. It looks through sums, products, shifts,
 * conversions and branches, and stops at loads. Of what a loop hands from turn to turn it is what the loop is known to keep; with
 * `granting` also what it may turn out to keep, which is noted there.
 */
function divisor(trace: Trace, x: Value | Literal, n: number, granting: Granting | undefined, depth = deepest): number {
  if (n === 1) return 1;
  if (typeof x !== "object") return ofLiteral(x, n);
  const inLoop = loopValue(trace, x);
  if (inLoop) return ofLoopValue(trace, inLoop, n, granting, depth);
  const op = depth > 0 ? definition(trace, x) : undefined;
  if (!op) return 1;
  const of = (value: Value, most = n): number => divisor(trace, value, most, granting, depth - 1);
  switch (op.name) {
    case "const":
      return ofLiteral(op.attrs.value, n);
    case "add":
    case "sub":
    case "min":
    case "max":
      return of(op.operands.b, of(op.operands.a));
    case "select":
      return of(op.operands.no, of(op.operands.yes));
    case "mul":
      return ofProduct(trace, op.operands.a, op.operands.b, n, granting, depth - 1);
    case "shl": {
      const by = definition(trace, op.operands.by);
      const power = by?.name === "const" ? gcd(n, 2 ** Number(by.attrs.value)) : 1;
      return power * of(op.operands.a, n / power);
    }
    case "neg":
    case "convert":
      return of(op.operands.a);
    case "if":
      return yielded(op, x).reduce((most, value) => of(value, most), n);
    default:
      return 1;
  }
}

const ofLiteral = (x: Literal, n: number): number => (Number.isSafeInteger(Number(x)) ? gcd(Number(x), n) : 1);

/** What is sure of one factor need not be granted of the other. */
function ofProduct(trace: Trace, a: Value, b: Value, n: number, granting: Granting | undefined, depth: number): number {
  const [sureA, sureB] = [divisor(trace, a, n, undefined, depth), divisor(trace, b, n, undefined, depth)];
  const sure = gcd(n, sureA * sureB);
  if (sure === n || !granting) return sure;
  const ofA = divisor(trace, a, n / sureB, granting, depth);
  return ofA * divisor(trace, b, n / ofA, granting, depth);
}

/** What the sides of an `if` that are reached to their end give for the result. */
function yielded(op: Op, result: Value): readonly Value[] {
  const at = op.results.indexOf(result);
  return op.regions.flatMap(({ ops }) => {
    const last = ops.at(-1);
    const end = last && anyOp(last);
    return end?.name === "yield" ? end.operands.values.slice(at, at + 1) : [];
  });
}

function ofLoopValue(trace: Trace, x: Handed | Counted, n: number, granting: Granting | undefined, depth: number): number {
  const before = (most: number): number => divisor(trace, x.start, most, granting, depth);
  if ("step" in x) return divisor(trace, x.step, before(n), granting, depth);
  const known = gcd(n, x.kept);
  if (known === n || !granting) return known;
  const hoped = before(gcd(n, x.most));
  granting.set(x, lcm(granting.get(x) ?? 1, hoped));
  return lcm(known, hoped);
}

const lcm = (a: number, b: number): number => (a / gcd(a, b)) * b;

/**
 * Does `n` surely divide a staged integer? Zero is a multiple of everything. Where that hangs on what the loops around keep from turn to
 * turn, it is granted, and each of them is held to it at its end: `brokenByTurns`.
 */
export function isMultipleOf(trace: Trace, value: Value, n: number): boolean {
  return divisor(trace, value, n, undefined) === n || grant(trace, value, n, n);
}

/** Grants what makes as much of `n` as can be divide the value, where that is `least` or more. */
function grant(trace: Trace, value: Value, n: number, least: number): boolean {
  const granting: Granting = new Map();
  if (divisor(trace, value, n, granting) < least) return false;
  for (const [handed, granted] of granting) handed.kept = lcm(handed.kept, granted);
  return true;
}

/** What a loop hands on, and what that is at the end of a turn. */
export interface Turn {
  readonly handed: Handed;
  readonly next: Value;
}

/**
 * Holds a loop whose body is traced to what was granted of what it changes: if it is so at the start of a turn, it is so at the end. What
 * that itself hangs on is granted, too. Gives those that keep less than was granted, with what they do keep.
 */
export function brokenByTurns(trace: Trace, turns: readonly Turn[]): ReadonlyMap<Handed, number> {
  const broken = new Map<Handed, number>();
  const untilStable = (look: (turn: Turn) => void): void => {
    const total = (): number => turns.reduce((sum, { handed }) => sum + handed.kept, 0);
    for (let before = 0; before !== total(); ) {
      before = total();
      for (const turn of turns) if (turn.handed.kept > 1) look(turn);
    }
  };
  untilStable(({ handed, next }) => grant(trace, next, handed.kept, 2));
  untilStable(({ handed, next }) => {
    const kept = divisor(trace, next, handed.kept, undefined);
    if (kept < handed.kept) broken.set(handed, kept);
    handed.kept = kept;
  });
  return broken;
}
