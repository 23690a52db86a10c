import { i32, i64, kernel, type Static, type Tensor, threadIdx, u32, u64 } from "warpsmith";
import { type AnyKernel, type Case, defineCase, input, output } from "./case.ts";
import { absolute, divisions, unsignedDivisions, wideDivisions, wrappedDivisions } from "./operators.ts";

/**
 * Divisions of integers at the ends of their types and by 0, computed where all is known and where nothing is: what JavaScript gives,
 * and where that is no integer of the type, `| 0` of it.
 */
type Narrow = "i32" | "u32";
type Wide = "i64" | "u64";

const least = -(2 ** 31);
const edges: Readonly<Record<Narrow, readonly number[]>> = {
  i32: [least, least + 1, -7, -2, -1, 0, 1, 2, 5, 2 ** 31 - 1],
  u32: [0, 1, 2, 5, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1],
};
const wideEdges: Readonly<Record<Wide, readonly bigint[]>> = {
  i64: [-(2n ** 63n), -(2n ** 63n) + 1n, -(2n ** 31n), -7n, -1n, 0n, 1n, 5n, 2n ** 31n, 2n ** 63n - 1n],
  u64: [0n, 1n, 5n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n],
};

interface Pairs<T> {
  readonly a: readonly T[];
  readonly b: readonly T[];
}
const pairsOf = <T>(values: readonly T[]): Pairs<T> => ({
  a: values.flatMap((x) => values.map(() => x)),
  b: values.flatMap(() => values),
});

type Operators = Readonly<Record<string, (a: number, b: number) => number>>;
type WideOperators = Readonly<Record<string, (a: bigint, b: bigint) => bigint>>;

/** Row j of `out`: the j-th operator on every pair. */
const staged = (operators: Operators, debug: boolean) =>
  kernel({ block: 128, grid: 1, debug }, function staged(x: Tensor<Narrow, 1>, y: Tensor<Narrow, 1>, out: Tensor<Narrow, 2>) {
    const i = threadIdx.x;
    if (i < x.shape[0])
      Object.values(operators).forEach((op, j) => {
        out[j]![i] = op(x[i]!, y[i]!);
      });
  });
const wideStaged = (operators: WideOperators) =>
  kernel(
    { block: 128, grid: 1, debug: false },
    function wideStaged(x: Tensor<Wide, 1>, y: Tensor<Wide, 1>, out: Tensor<Wide, 2>) {
      const i = threadIdx.x;
      if (i < x.shape[0])
        Object.values(operators).forEach((op, j) => {
          out[j]![i] = op(x[i]!, y[i]!);
        });
    },
  );

/** The same of numbers that the compiler knows. */
const folded = (operators: Operators, convert: (x: number) => number, debug: boolean) =>
  kernel({ block: 1, grid: 1, debug }, function folded(pairs: Static<Pairs<number>>, out: Tensor<Narrow, 2>) {
    pairs.a.forEach((a, i) => {
      Object.values(operators).forEach((op, j) => {
        out[j]![i] = op(convert(a), convert(pairs.b[i]!));
      });
    });
  });
const wideFolded = (operators: WideOperators, convert: (x: bigint) => bigint) =>
  kernel({ block: 1, grid: 1, debug: false }, function wideFolded(pairs: Static<Pairs<bigint>>, out: Tensor<Wide, 2>) {
    pairs.a.forEach((a, i) => {
      Object.values(operators).forEach((op, j) => {
        out[j]![i] = op(convert(a), convert(pairs.b[i]!));
      });
    });
  });

const wrap: Readonly<Record<Narrow, (x: number) => number>> = { i32: (x) => x | 0, u32: (x) => x >>> 0 };
const convert: Readonly<Record<Narrow, (x: number) => number>> = { i32, u32 };
const wideConvert: Readonly<Record<Wide, (x: bigint) => bigint>> = { i64, u64 };
const wideWrap = (type: Wide, x: bigint): bigint => (type === "i64" ? BigInt.asIntN(64, x) : BigInt.asUintN(64, x));

function narrowCases(type: Narrow, name: string, operators: Operators, to: Narrow, debug: boolean): readonly Case[] {
  const pairs = pairsOf(edges[type]);
  const expected = Object.values(operators).flatMap((op) => pairs.a.map((a, i) => wrap[to](op(a, pairs.b[i]!))));
  const out = () => output(to, [Object.keys(operators).length, pairs.a.length], expected);
  const of = (values: readonly number[]) => input(type, [values.length], values);
  const title = `integer-edges/${type}/${name}${debug ? "/debug" : ""}`;
  const one = (how: string, made: AnyKernel, args: () => readonly unknown[]): Case =>
    defineCase(`${title}/${how}`, made, () => ({ args: [...args(), out()] }));
  return [
    one("staged", staged(operators, debug), () => [of(pairs.a), of(pairs.b)]),
    one("folded", folded(operators, convert[type], debug), () => [pairs]),
  ];
}

function wideCases(type: Wide): readonly Case[] {
  const pairs = pairsOf(wideEdges[type]);
  const result = (op: (a: bigint, b: bigint) => bigint, i: number): bigint =>
    pairs.b[i] === 0n ? 0n : wideWrap(type, op(pairs.a[i]!, pairs.b[i]!));
  const expected = Object.values(wideDivisions).flatMap((op) => pairs.a.map((_, i) => result(op, i)));
  const out = () => output(type, [Object.keys(wideDivisions).length, pairs.a.length], expected);
  const of = (values: readonly bigint[]) => input(type, [values.length], values);
  return [
    defineCase(`integer-edges/${type}/staged`, wideStaged(wideDivisions), () => ({ args: [of(pairs.a), of(pairs.b), out()] })),
    defineCase(`integer-edges/${type}/folded`, wideFolded(wideDivisions, wideConvert[type]), () => ({ args: [pairs, out()] })),
  ];
}

export const integerEdgeCases: readonly Case[] = [
  ...(["i32", "u32"] as const).flatMap((type) => [
    ...narrowCases(type, "divisions", { ...divisions, ...absolute }, type, false),
    ...[false, true].flatMap((debug) => [
      ...narrowCases(type, "wrapped", wrappedDivisions, "i32", debug),
      ...narrowCases(type, "unsigned", unsignedDivisions, "u32", debug),
    ]),
  ]),
  ...(["i64", "u64"] as const).flatMap(wideCases),
];
