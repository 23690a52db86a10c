import { type AnyOp, anyOp, type Graph, type Op, type Value, walkOps } from "../ir/index.ts";
import { handedOut, mirrored } from "./rewrite.ts";

/** The least group of threads of which some are certainly missing: of some warps, only of some warpgroups, or of none that is known. */
export type Missing = "warp" | "warpgroup" | undefined;

/** Who is missing on the sides of a condition. */
export interface Parted {
  readonly yes: Missing;
  readonly no: Missing;
}
const whole: Parted = { yes: undefined, no: undefined };

/** What is missing where both are. */
export const worse = (a: Missing, b: Missing): Missing => (a === "warp" || b === "warp" ? "warp" : (a ?? b));

/** What conditions are made of. */
export interface Origins {
  readonly block: readonly [number, number, number];
  readonly made: ReadonlyMap<number, AnyOp>;
  /** What the parameters of loops are in the first turn. */
  readonly first: ReadonlyMap<number, Value>;
  /** Conditions that have been looked at. */
  readonly known: Map<number, Parted>;
}

export function originsOf(graph: Graph): Origins {
  const made = new Map<number, AnyOp>();
  const first = new Map<number, Value>();
  const enter = (params: readonly Value[] | undefined, values: readonly Value[]): void =>
    params?.forEach(({ id }, i) => {
      const value = values[i];
      if (value) first.set(id, value);
    });
  walkOps(graph.body, (op) => {
    const any = anyOp(op);
    for (const { id } of op.results) made.set(id, any);
    if (any.name === "for") enter(op.regions[0]?.params, [any.operands.start, ...any.operands.carried]);
    if (any.name === "while") {
      enter(op.regions[0]?.params, any.operands.carried);
      enter(op.regions[1]?.params, handedOut(op.regions[0]));
    }
  });
  return { block: graph.launch.block, made, first, known: new Map() };
}

function originOf(value: Value, o: Origins): AnyOp | undefined {
  let at: Value | undefined = value;
  for (let turns = 0; at && turns < 100; turns++) {
    const op = o.made.get(at.id);
    if (op) return op;
    at = o.first.get(at.id);
  }
  return undefined;
}

function literalOf(value: Value, o: Origins): number | undefined {
  const op = originOf(value, o);
  return op?.name === "const" ? Number(op.attrs.value) : undefined;
}

/** A number from 0 to extent - 1 that neighbouring threads have one after the other, and how many of them a warp and a warpgroup have. */
interface Numbering {
  readonly extent: number;
  readonly perWarp: number;
  readonly perWarpgroup: number;
  /** Threads that follow each other have numbers that do. */
  readonly inLine: boolean;
}

const warpSize = 32;
const warpgroupSize = 128;

const ofThreads = (extent: number, inLine: boolean): Numbering => ({
  extent,
  perWarp: warpSize,
  perWarpgroup: warpgroupSize,
  inLine,
});

function scaledDown(n: Numbering, by: number): Numbering {
  const part = (count: number): number => (count % by === 0 ? count / by : 0);
  return {
    ...n,
    extent: Math.ceil(n.extent / by),
    perWarp: part(n.perWarp),
    perWarpgroup: part(n.perWarpgroup),
    inLine: n.inLine,
  };
}

const powerOfTwo = (n: number): boolean => n > 0 && 2 ** Math.round(Math.log2(n)) === n;

/** The number of its thread, or of its warp, that a value is; undefined where it is none. */
function numberingOf(value: Value, o: Origins): Numbering | undefined {
  const op = originOf(value, o);
  const [x, y, z] = o.block;
  const threads = x * y * z;
  switch (op?.name) {
    case "sreg":
      if (op.attrs.reg === "tid.x") return ofThreads(x, y * z === 1);
      return op.attrs.reg === "laneid" ? ofThreads(Math.min(warpSize, threads), true) : undefined;
    case "warp.index":
      return { extent: Math.ceil(threads / warpSize), perWarp: 0, perWarpgroup: warpgroupSize / warpSize, inLine: true };
    case "and":
    case "rem": {
      const [of, by] = [numberingOf(op.operands.a, o), literalOf(op.operands.b, o)];
      const period = by === undefined ? 0 : op.name === "and" ? by + 1 : by;
      const repeats = op.name === "and" ? powerOfTwo(period) : period > 0;
      return of && repeats ? { ...of, extent: Math.min(of.extent, period) } : undefined;
    }
    case "shr": {
      const [of, by] = [numberingOf(op.operands.a, o), literalOf(op.operands.by, o)];
      return of && by !== undefined && by >= 0 && by < 16 ? scaledDown(of, 2 ** by) : undefined;
    }
    case "div": {
      const [of, by] = [numberingOf(op.operands.a, o), literalOf(op.operands.b, o)];
      return of && by !== undefined && powerOfTwo(by) ? scaledDown(of, by) : undefined;
    }
    default:
      return undefined;
  }
}

/** Is a number alone in its group of that many? */
function alone(number: number, { extent }: Numbering, size: number): boolean {
  const start = number - (number % size);
  return Math.min(start + size, extent) - start < 2;
}

/** Both sides of `number < border`, or of `number === only`. */
function sides(n: Numbering, parts: (size: number) => boolean): Parted {
  const missing: Missing =
    n.perWarp > 0 && parts(n.perWarp) ? "warp" : n.perWarpgroup > 0 && parts(n.perWarpgroup) ? "warpgroup" : undefined;
  return { yes: missing, no: missing };
}

type Comparison = keyof typeof mirrored;

function ofComparison(is: Comparison, a: Value, b: Value, o: Origins): Parted {
  const n = numberingOf(a, o);
  const limit = literalOf(b, o);
  if (!n) return numberingOf(b, o) && literalOf(a, o) !== undefined ? ofComparison(mirrored[is], b, a, o) : whole;
  if (limit === undefined) return whole;
  if (is === "eq" || is === "ne") {
    if (!(Number.isInteger(limit) && limit >= 0 && limit < n.extent && n.extent > 1)) return whole;
    return sides(n, (size) => !n.inLine || !alone(limit, n, size));
  }
  const border = is === "lt" || is === "ge" ? limit : limit + 1;
  if (!(n.inLine && border > 0 && border < n.extent)) return whole;
  return sides(n, (size) => border % size !== 0);
}

/** A condition that an `if` computes: `a && b` and `a || b` where b acts, so that one side is a literal. */
function ofChoice(op: AnyOp & { readonly name: "if" }, value: Value, o: Origins): Parted {
  const at = op.results.findIndex((result) => result.id === value.id);
  const [yes, no] = op.regions.map((region) => handedOut(region)[at]);
  const literal = (v: Value | undefined): unknown => {
    const from = v && originOf(v, o);
    return from?.name === "const" ? from.attrs.value : undefined;
  };
  const condition = partedBy(op.operands.condition, o);
  if (yes && literal(no) === false) return { yes: worse(condition.yes, partedBy(yes, o).yes), no: undefined };
  if (no && literal(yes) === true) return { yes: undefined, no: worse(condition.no, partedBy(no, o).no) };
  return whole;
}

/** Who is certainly missing on the sides of a condition; whoever it does not know about may all be there. */
export function partedBy(condition: Value, o: Origins): Parted {
  const before = o.known.get(condition.id);
  if (before) return before;
  const parted = readCondition(condition, o);
  o.known.set(condition.id, parted);
  return parted;
}

function readCondition(condition: Value, o: Origins): Parted {
  const op = originOf(condition, o);
  switch (op?.name) {
    case "cmp":
      return ofComparison(op.attrs.is, op.operands.a, op.operands.b, o);
    case "elect.sync":
      return { yes: "warp", no: "warp" };
    case "if":
      return ofChoice(op, condition, o);
    case "not": {
      const { yes, no } = partedBy(op.operands.a, o);
      return { yes: no, no: yes };
    }
    case "and":
      return { yes: worse(partedBy(op.operands.a, o).yes, partedBy(op.operands.b, o).yes), no: undefined };
    case "or":
      return { yes: undefined, no: worse(partedBy(op.operands.a, o).no, partedBy(op.operands.b, o).no) };
    default:
      return whole;
  }
}

/** Who is missing in the first turn of `for (i = start; i < stop; i += step)`. */
export function partedByRange({ start, stop, step }: Op<"for">["operands"], o: Origins): Missing {
  const by = literalOf(step, o);
  return by === undefined || by === 0 ? undefined : ofComparison(by > 0 ? "lt" : "gt", start, stop, o).yes;
}
