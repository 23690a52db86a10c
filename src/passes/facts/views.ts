import { elementBytes } from "../../base/element-types.ts";
import { type AnyOp, isLoop, isOperand, isView, type Op, type OpName, operandList, type Value } from "../../ir/index.ts";
import { inUnits } from "../../layout/index.ts";
import { type Dimension, offsetIn } from "../../layout/modes/index.ts";
import { gcd, powerIn, timesDivisor } from "./known.ts";
import type { Origins } from "./origins.ts";
import { Solver } from "./solve.ts";

/**
 * A number, or a pointer, of those that say where a view lies. Two with the same `key` are the same whenever both are there; a number
 * as the key is the number itself.
 */
export interface Part {
  readonly key: string | number;
  /** What surely divides it: 0 divides only 0. */
  readonly divisor: number;
  /** The value that it is, where the graph has one. */
  readonly value?: Value;
  /** What it is as a sum: a literal, and a rest with what surely divides that. Not said of a sum without a literal. */
  readonly sum?: Sum;
}

interface Sum {
  readonly literal: number;
  readonly restDivisor: number;
}

/**
 * What is known of where a value of the tile level lies, part by part. A view of shared memory: the base, and bytes from there to the first
 * element. A view of a tensor: these, and per dimension where it begins, extent, stride and limit, in elements. An operand: units of 16
 * bytes from its first stage on, then its descriptors, as one. Others: what they are, as one. Nothing of a view that nobody reads.
 */
export type ViewParts = readonly Part[];

/** Where the parts of a dimension begin in those of a view of a tensor. */
export const dimensionParts = { first: 2, count: 4 } as const;

const literal = (n: number): Part => ({ key: n, divisor: Math.abs(n) });
const unknown = (value: Value, n: number, divisor = 1): Part => ({ key: `${value.id}.${n}`, divisor });

/** What a rule asks. */
interface Asking {
  readonly of: (value: Value) => ViewParts | undefined;
  /** An integer of the graph. */
  readonly index: (value: Value) => Part;
}

export const sumOf = ({ key, divisor, sum }: Part): Sum =>
  typeof key === "number" ? { literal: key, restDivisor: 0 } : (sum ?? { literal: 0, restDivisor: divisor });

/** `n`: the number of the part that the sum is. */
function plus(result: Value, n: number, a: Part, b: Part): Part {
  if (typeof a.key === "number" && typeof b.key === "number") return literal(a.key + b.key);
  if (b.key === 0) return a;
  const [x, y] = [sumOf(a), sumOf(b)];
  const sum = { literal: x.literal + y.literal, restDivisor: gcd(x.restDivisor, y.restDivisor) };
  const whole = unknown(result, n, gcd(a.divisor, b.divisor));
  return sum.literal === 0 ? whole : { ...whole, sum };
}

/** Where index `i` of a dimension lies. */
function offsetAt(result: Value, n: number, dimension: Dimension, i: Part): Part {
  if (typeof i.key === "number") return literal(offsetIn(dimension, i.key));
  let rest = powerIn(i.divisor);
  let divisor = 0;
  dimension.toReversed().forEach(({ extent, stride }, nth) => {
    const isOutermost = nth === dimension.length - 1;
    const digit = isOutermost ? rest : rest % extent === 0 ? 0 : gcd(rest, extent);
    divisor = gcd(divisor, timesDivisor(digit, Math.abs(stride)));
    rest = rest % extent === 0 ? rest / extent : 1;
  });
  return unknown(result, n, divisor);
}

/** `i` times `stride` elements of so many bytes. */
function step(result: Value, n: number, i: Part, stride: Part, bytes: number): Part {
  if (i.key === 0 || stride.key === 0) return literal(0);
  if (typeof i.key === "number" && typeof stride.key === "number") return literal(i.key * stride.key * bytes);
  return unknown(result, n, timesDivisor(timesDivisor(powerIn(i.divisor), powerIn(stride.divisor)), bytes));
}

/** What an op says of its result; undefined where an operand is not known yet. */
type Rule<K extends OpName> = (op: Op<K>, result: Value, ask: Asking) => ViewParts | undefined;

const { first, count } = dimensionParts;

/** A view of another one moved to these indices. A dimension that begins elsewhere keeps count of where. */
function moved(result: Value, parts: ViewParts, from: Value, indices: readonly Part[], keepsDimensions: boolean): ViewParts {
  const { type } = from;
  if (!isView(type) || parts.length === 0) return parts;
  const [base, start] = parts as readonly [Part, Part];
  if (type.space !== "global") {
    const offset = indices.reduce((sum, i, d) => plus(result, 1, sum, offsetAt(result, 1, type.layout[d] ?? [], i)), start);
    return [base, offset];
  }
  const bytes = elementBytes[type.dtype];
  const dims = type.dims.map((_, d) => parts.slice(first + d * count, first + (d + 1) * count));
  const offset = indices.reduce(
    (sum, i, d) => plus(result, 1, sum, step(result, 1, i, dims[d]?.[2] ?? literal(0), bytes)),
    start,
  );
  if (!keepsDimensions) return [base, offset, ...dims.slice(indices.length).flat()];
  const to = isView(result.type) && result.type.space === "global" ? result.type.dims : [];
  return [
    base,
    offset,
    ...dims.flatMap(([begin = literal(0), , ...rest], d) => [
      plus(result, first + d * count, begin, indices[d] ?? literal(0)),
      literal(to[d]?.extent ?? 1),
      ...rest,
    ]),
  ];
}

function ofTensor({ operands }: Op<"view.tensor">, { type }: Value, { index }: Asking): ViewParts {
  if (!isView(type) || type.space !== "global") return [];
  const [extents, strides] = [[...operands.extents], [...operands.strides]];
  const next = (list: Value[]): Part => {
    const value = list.shift();
    return value ? index(value) : literal(1);
  };
  const dims = type.dims.flatMap(({ extent, stride }) => {
    const size = extent === undefined ? next(extents) : literal(extent);
    return [literal(0), size, stride === undefined ? next(strides) : literal(stride), size];
  });
  return [{ ...unknown(operands.ptr, 0), value: operands.ptr }, literal(0), ...dims];
}

/** Shared memory keeps where it begins; of a tensor each dimension is a whole one. */
function ofReshape({ operands }: Op<"view.reshape">, { type }: Value, { of }: Asking): ViewParts | undefined {
  const parts = of(operands.view);
  if (!parts || !isView(type) || type.space !== "global" || parts.length === 0) return parts;
  const dims = type.dims.flatMap(({ extent = 1, stride = 0, limit }) => [0, extent, stride, limit ?? extent].map(literal));
  return [...parts.slice(0, first), ...dims];
}

const rules = {
  "view.tensor": ofTensor,
  "view.shared": ({ operands: { ptr }, attrs }) => [{ ...unknown(ptr, 0), value: ptr }, literal(attrs.offset)],
  "view.peer": ({ operands }, result, { of }) => of(operands.view)?.map((part, n) => (n === 0 ? unknown(result, 0) : part)),
  "view.at": ({ operands: { view, indices } }, result, { of, index }) => {
    const parts = of(view);
    return parts && moved(result, parts, view, indices.map(index), false);
  },
  "view.subview": ({ operands: { view, offsets } }, result, { of, index }) => {
    const parts = of(view);
    return parts && moved(result, parts, view, offsets.map(index), true);
  },
  "view.transpose": ({ operands: { view }, attrs: { permutation } }, _result, { of }) => {
    const parts = of(view);
    if (!parts || !isView(view.type) || view.type.space !== "global") return parts;
    const dims = permutation.flatMap((d) => parts.slice(first + d * count, first + (d + 1) * count));
    return [...parts.slice(0, first), ...dims];
  },
  "view.reshape": ofReshape,
  "view.undef": () => [],
  "operand.shared": (_op, result) => [literal(0), unknown(result, 1)],
  "operand.at": ({ operands: { operand, stage } }, result, { of, index }) => {
    const parts = of(operand);
    const { type } = operand;
    const [start, ...rest] = parts ?? [];
    if (!start || !isOperand(type) || !type.view) return parts;
    const units = inUnits(type.view.layout[type.chosen] ?? []);
    return [plus(result, 0, start, offsetAt(result, 0, units, index(stage))), ...rest];
  },
} as const satisfies { readonly [K in OpName]?: Rule<K> };

const ruleOf = ({ name }: AnyOp): Rule<OpName> | undefined =>
  (rules as Readonly<Record<string, unknown>>)[name] as Rule<OpName> | undefined;

/**
 * What holds of all that a value may be. A part that may be one or another is the value's own. So is one that a loop finds where nobody
 * had the view before: it is what an iteration before this one found, unless it is `always` the same.
 */
function either(value: Value, all: readonly ViewParts[], always: (part: Part) => boolean): ViewParts {
  const [some, ...others] = all.filter((parts) => parts.length > 0);
  if (!some) return [];
  return some.map((part, n) => {
    const same = always(part) && others.every((parts) => parts[n]?.key === part.key);
    const { sum: _, ...whole } = part;
    return same
      ? others.every((parts) => sameSum(part, parts[n]))
        ? part
        : whole
      : unknown(
          value,
          n,
          others.reduce((d, parts) => gcd(d, parts[n]?.divisor ?? 1), part.divisor),
        );
  });
}

const sameSum = (a: Part, b: Part | undefined): boolean =>
  a.sum?.literal === b?.sum?.literal && a.sum?.restDivisor === b?.sum?.restDivisor;

const alike = (a: ViewParts, b: ViewParts): boolean =>
  a.length === b.length && a.every((part, n) => part.key === b[n]?.key && part.divisor === b[n]?.divisor && sameSum(part, b[n]));

/** Where the views and operands of a graph lie. `integer`: the literal that an integer is written as, and what divides it. */
export function viewPartsOf(
  origins: Origins,
  integer: (value: Value) => { readonly literal: number | undefined; readonly divisor: number },
): Solver<ViewParts> {
  const index = (value: Value): Part => {
    const known = integer(value);
    return known.literal === undefined ? { key: `${value.id}`, divisor: known.divisor } : literal(known.literal);
  };
  const own = (value: Value): ViewParts => [unknown(value, 0)];
  /** A number, a parameter of the kernel, or the address of a buffer. */
  const neverChanges = ({ key, value }: Part): boolean => {
    const origin = value && origins.get(value);
    return typeof key === "number" || (origin !== undefined && (!origin.op || operandList(origin.op as Op).length === 0));
  };
  const anyPart = (): boolean => true;
  const merged = (value: Value, all: readonly ViewParts[]): ViewParts => {
    const op = origins.get(value)?.op;
    const mayBeOlder = op !== undefined && isLoop(op as Op) && all.some((parts) => parts.length === 0);
    return either(value, all, mayBeOlder ? neverChanges : anyPart);
  };
  const isPlaced = ({ type }: Value): boolean => isView(type) || isOperand(type);
  const needs = (value: Value): readonly Value[] => {
    const origin = origins.get(value);
    if (!origin?.op || origin.sources) return origin?.sources ?? [];
    if (origin.op.name === "select") return [origin.op.operands.yes, origin.op.operands.no];
    const from = origin.op.operands as { readonly view?: Value; readonly operand?: Value };
    return [from.view, from.operand].filter((v) => v !== undefined && isPlaced(v)) as Value[];
  };
  return new Solver<ViewParts>({
    needs,
    evaluate: (value, of) => {
      const origin = origins.get(value);
      if (!origin?.op || origin.sources || origin.op.name === "select") {
        if (!origin) return own(value);
        const sources = needs(value).flatMap((source) => {
          const parts = of(source);
          return parts ? [parts] : [];
        });
        return sources.length > 0 ? merged(value, sources) : undefined;
      }
      const rule = ruleOf(origin.op);
      return rule ? rule(origin.op, value, { of, index }) : own(value);
    },
    top: own,
    grow: (value, before, now) => either(value, [before, now], anyPart),
    alike,
  });
}
