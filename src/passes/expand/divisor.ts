import type { Literal, Op, Value } from "../../ir/index.ts";
import type { Expansion } from "./expansion.ts";
import { type Carried, yielded } from "./origins.ts";

/** The greatest number that divides both; 0 is a multiple of everything. */
export function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** Ops looked through, one inside the other. */
const deepest = 12;

const ofLiteral = (value: Literal, n: number): number => (Number.isSafeInteger(Number(value)) ? gcd(Number(value), n) : 1);

/** What the sides of an `if` that are reached to their end give for the result. */
function sides(op: Op, result: Value): readonly Value[] {
  const at = op.results.findIndex(({ id }) => id === result.id);
  return op.regions.flatMap((region, i) => (region.ops.at(-1)?.name === "yield" ? yielded(op, i).slice(at, at + 1) : []));
}

/**
 * The greatest divisor of `n` that surely divides a value: what is known of alignment. It looks through sums, products, shifts,
 * conversions and branches, and stops at loads. Of what a loop carries it is what each iteration keeps of what it began with.
 */
function divisor(x: Expansion, value: Value, n: number, depth = deepest): number {
  if (n === 1) return 1;
  const granted = x.granted.get(value.id);
  if (granted !== undefined) return gcd(n, granted);
  const loop = x.origins.loops.get(value.id);
  if (loop)
    return "step" in loop ? divisor(x, loop.step, divisor(x, loop.start, n, depth), depth) : kept(x, value, loop, n, depth);
  const op = depth > 0 ? (x.w.definition(value) ?? x.origins.makers.get(value.id)) : undefined;
  if (!op) return 1;
  const of = (operand: Value, most = n): number => divisor(x, operand, most, depth - 1);
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
      return gcd(n, of(op.operands.a) * of(op.operands.b));
    case "shl": {
      const by = x.w.literalOf(op.operands.by);
      const power = by === undefined ? 1 : gcd(n, 2 ** by);
      return power * of(op.operands.a, n / power);
    }
    case "neg":
    case "convert":
      return of(op.operands.a);
    case "if":
      return sides(op as Op, value).reduce((most, side) => of(side, most), n);
    default:
      return 1;
  }
}

/** What every iteration keeps: what divides the first value, as long as the next one says so too. */
function kept(x: Expansion, param: Value, { first, next }: Carried, n: number, depth: number): number {
  let most = divisor(x, first, n, depth);
  for (;;) {
    x.granted.set(param.id, most);
    const now = divisor(x, next, most, depth);
    x.granted.delete(param.id);
    if (now === most) return most;
    most = now;
  }
}

/** The greatest divisor of `n` that surely divides an integer. */
export const divisorOf = (x: Expansion, value: Value, n: number): number => divisor(x, value, n);

/** Does `n` surely divide an integer? Zero is a multiple of everything. */
export const isMultipleOf = (x: Expansion, value: Value, n: number): boolean => divisor(x, value, n) === n;
