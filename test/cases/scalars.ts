import { blockIdx, type DType, kernel, type Tensor, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import {
  edgeFloats,
  edgeInts,
  fits,
  floatTypes,
  type IntType,
  pairsOf,
  roundings,
  smallInts,
  type WideType,
  wides,
  words,
} from "./numbers.ts";
import {
  bitOperators,
  choices,
  comparisons,
  divisions,
  extremes,
  floatOperators,
  intOperators,
  unaries,
  unsignedOperators,
  wideBits,
  wideComparisons,
  wideDivisions,
  wideOperators,
  wideShifts,
  wrappedDivisions,
} from "./operators.ts";

type Number32 = Exclude<DType, "i64" | "u64" | "bool">;
const block = 128;
const grid = (x: { readonly shape: readonly number[] }): number => Math.ceil((x.shape[0] ?? 1) / block);

const binary = (op: (a: number, b: number) => number) =>
  kernel({ block, grid }, function binary(x: Tensor<Number32, 1>, y: Tensor<Number32, 1>, out: Tensor<Number32, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = op(x[i]!, y[i]!);
  });
const wideBinary = (op: (a: bigint, b: bigint) => bigint) =>
  kernel({ block, grid }, function wideBinary(x: Tensor<WideType, 1>, y: Tensor<WideType, 1>, out: Tensor<WideType, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = op(x[i]!, y[i]!);
  });
const relation = (op: (a: number, b: number) => boolean) =>
  kernel({ block, grid }, function relation(x: Tensor<Number32, 1>, y: Tensor<Number32, 1>, out: Tensor<"bool", 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = op(x[i]!, y[i]!);
  });
const wideRelation = (op: (a: bigint, b: bigint) => boolean) =>
  kernel({ block, grid }, function wideRelation(x: Tensor<WideType, 1>, y: Tensor<WideType, 1>, out: Tensor<"bool", 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = op(x[i]!, y[i]!);
  });
const unary = (op: (a: number) => number) =>
  kernel({ block, grid }, function unary(x: Tensor<Number32, 1>, out: Tensor<Number32, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = op(x[i]!);
  });

interface Columns<T> {
  readonly a: readonly T[];
  readonly b: readonly T[];
}
type Values = readonly (number | bigint)[];

/** `x op y` of every pair, beside what JavaScript makes of it. */
function pairCase(
  name: string,
  made: Parameters<typeof defineCase>[1],
  type: DType,
  { a, b }: Columns<number | bigint>,
  to: DType,
  expected: Values,
): Case {
  const shape = [a.length];
  return defineCase(name, made, () => ({ args: [input(type, shape, a), input(type, shape, b), output(to, shape, expected)] }));
}

const zip = <T, R>({ a, b }: Columns<T>, f: (a: T, b: T) => R): R[] => a.map((x, i) => f(x, b[i]!));
const numbersOf = (type: IntType): number[] => edgeInts(type).map(Number);
const named = <F>(table: Readonly<Record<string, F>>): [string, F][] => Object.entries(table);

function floatCases(): Case[] {
  return floatTypes.flatMap((type) => {
    const pairs = pairsOf(edgeFloats(type));
    const round = roundings[type];
    const values = { ...floatOperators, ...choices };
    return [
      ...named(values).map(([name, op]) =>
        pairCase(
          `scalars/${type}/${name}`,
          binary(op),
          type,
          pairs,
          type,
          zip(pairs, (x, y) => round(Number(op(x, y)))),
        ),
      ),
      ...named(comparisons).map(([name, op]) =>
        pairCase(
          `scalars/${type}/${name}`,
          relation(op),
          type,
          pairs,
          "bool",
          zip(pairs, (x, y) => Number(op(x, y))),
        ),
      ),
      ...named(unaries).map(([name, op]) => unaryCase(type, name, op, edgeFloats(type))),
    ];
  });
}

function unaryCase(type: (typeof floatTypes)[number], name: string, op: (a: number) => number, values: readonly number[]): Case {
  const round = roundings[type];
  // Each step of `increment` rounds.
  const steps = (x: number): number => round(round(round(x + 1) + 1) - 1);
  const expected = values.map(name === "increment" ? steps : op);
  const shape = [values.length];
  return defineCase(`scalars/${type}/${name}`, unary(op), () => ({
    args: [input(type, shape, values), output(type, shape, expected)],
  }));
}

/** Narrow integers compute as i32. */
function intCases(): Case[] {
  return [...smallInts, ...words].flatMap((type) => {
    const to = type === "u32" ? "u32" : "i32";
    const values = numbersOf(type);
    const over = (op: (a: number, b: number) => number, keep: (a: number, b: number) => boolean) => {
      const pairs = pairsOf(values, keep);
      return { pairs, expected: zip(pairs, (x, y) => op(x, y) + 0) };
    };
    const division = (x: number, y: number) => y !== 0 && fits(to, Math.trunc(x / y)) && fits("i32", Math.trunc(x / y));
    const arithmetic = named(intOperators).map(([name, op]) => ({ name, op, ...over(op, (x, y) => fits(to, op(x, y))) }));
    const divided = named({ ...divisions, or0: wrappedDivisions.or0! }).map(([name, op]) => ({
      name,
      op,
      ...over(op, division),
    }));
    const chosen = named(choices).map(([name, op]) => ({ name, op, ...over(op, () => true) }));
    const related = pairsOf(values);
    return [
      ...[...arithmetic, ...divided, ...chosen].map(({ name, op, pairs, expected }) => {
        // Bit operators give an i32; a choice gives the type of its sides.
        const result = name === "or0" ? "i32" : Object.hasOwn(choices, name) ? type : to;
        return pairCase(`scalars/${type}/${name}`, binary(op), type, pairs, result, expected);
      }),
      ...named(comparisons).map(([name, op]) =>
        pairCase(
          `scalars/${type}/${name}`,
          relation(op),
          type,
          related,
          "bool",
          zip(related, (x, y) => Number(op(x, y))),
        ),
      ),
    ];
  });
}

function bitCases(): Case[] {
  return words.flatMap((type) => {
    // Counts beyond 31 take their low five bits, as in JavaScript.
    const pairs = pairsOf(numbersOf(type));
    const make =
      (to: "i32" | "u32") =>
      ([name, op]: [string, (a: number, b: number) => number]) =>
        pairCase(`scalars/${type}/${name}-${to}`, binary(op), type, pairs, to, zip(pairs, op));
    return [...named(bitOperators).map(make("i32")), ...named(unsignedOperators).map(make("u32"))];
  });
}

/** Counts at which a shift by a computed number could take fewer bits of it, or shift everything out. */
const shiftCounts = [0n, 1n, 31n, 32n, 33n, 62n, 63n, 64n, 65n, 96n, 127n, 128n];

function wideCases(): Case[] {
  return wides.flatMap((type) => {
    const values = edgeInts(type);
    const wrap = type === "i64" ? BigInt.asIntN : BigInt.asUintN;
    const counts = type === "i64" ? [...shiftCounts, ...shiftCounts.map((by) => -by)] : shiftCounts;
    const shifted = { a: values.flatMap((x) => counts.map(() => x)), b: values.flatMap(() => counts) };
    const some = named({ ...wideOperators, ...wideDivisions, ...wideBits }).filter(
      ([name]) => !(name === "not" && type === "u64"),
    );
    const valid = (name: string, op: (a: bigint, b: bigint) => bigint) => (a: bigint, b: bigint) =>
      (b !== 0n || !Object.hasOwn(wideDivisions, name)) && fits(type, op(a, b)) && fits(type, b === 0n ? 0n : a / b);
    const related = pairsOf(values);
    return [
      ...some.map(([name, op]) => {
        const pairs = pairsOf(values, valid(name, op));
        return pairCase(`scalars/${type}/${name}`, wideBinary(op), type, pairs, type, zip(pairs, op));
      }),
      ...named(wideShifts).map(([name, op]) => {
        const expected = zip(shifted, (x, by) => wrap(64, op(x, by)));
        return pairCase(`scalars/${type}/${name}`, wideBinary(op), type, shifted, type, expected);
      }),
      ...named(wideComparisons).map(([name, op]) =>
        pairCase(
          `scalars/${type}/${name}`,
          wideRelation(op),
          type,
          related,
          "bool",
          zip(related, (x, y) => Number(op(x, y))),
        ),
      ),
    ];
  });
}

function extremeCases(): Case[] {
  const floats = floatTypes.flatMap((type) => {
    const pairs = pairsOf(edgeFloats(type));
    return named(extremes).map(([name, op]) =>
      pairCase(`scalars/${type}/${name}`, binary(op), type, pairs, type, zip(pairs, op)),
    );
  });
  const ints = words.flatMap((type) => {
    const pairs = pairsOf(numbersOf(type));
    return named(extremes).map(([name, op]) =>
      pairCase(`scalars/${type}/${name}`, binary(op), type, pairs, type, zip(pairs, op)),
    );
  });
  return [...floats, ...ints];
}

export const scalarCases: readonly Case[] = [...floatCases(), ...intCases(), ...bitCases(), ...wideCases(), ...extremeCases()];
