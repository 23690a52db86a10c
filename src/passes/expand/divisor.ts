import { type AnyOp, anyOp, type Graph, type Literal, type Op, type Value, walkOps } from "../../ir/index.ts";
import type { Expansion } from "./expansion.ts";

/** What a parameter of a loop is: in the first iteration, and in the next one. */
interface Carried {
  readonly first: Value;
  readonly next: Value;
}
/** The index of a counting loop. */
interface Counted {
  readonly start: Value;
  readonly step: Value;
}

/** Where the values of a graph come from. */
export interface Origins {
  readonly makers: ReadonlyMap<number, AnyOp>;
  readonly loops: ReadonlyMap<number, Carried | Counted>;
}

const yielded = (op: Op, region: number): readonly Value[] => {
  const last = op.regions[region]?.ops.at(-1);
  return ((last?.operands as { readonly values?: readonly Value[] } | undefined)?.values ?? []) as readonly Value[];
};

function noteLoop(raw: Op, loops: Map<number, Carried | Counted>): void {
  const op = anyOp(raw);
  const [first, second] = raw.regions;
  if (op.name === "for" && first) {
    const [index, ...params] = first.params;
    if (index) loops.set(index.id, { start: op.operands.start, step: op.operands.step });
    params.forEach((param, i) => {
      const [before, next] = [op.operands.carried[i], yielded(raw, 0)[i]];
      if (before && next) loops.set(param.id, { first: before, next });
    });
  }
  if (op.name !== "while" || !first || !second) return;
  const tested = yielded(raw, 0);
  second.params.forEach((param, i) => {
    const at = first.params.indexOf(tested[i] as Value);
    const [before, next] = [op.operands.carried[at], yielded(raw, 1)[at]];
    if (before && next) loops.set(param.id, { first: before, next });
  });
}

export function originsOf(graph: Graph): Origins {
  const makers = new Map<number, AnyOp>();
  const loops = new Map<number, Carried | Counted>();
  walkOps(graph.body, (op) => {
    for (const { id } of op.results) makers.set(id, anyOp(op));
    noteLoop(op, loops);
  });
  return { makers, loops };
}

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
