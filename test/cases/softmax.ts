// examples/kernels/softmax.ts against plain JavaScript.
import { type AnyKernel, type Case, defineCase, input, output, within } from "./case.ts";
import { roundings, uniform } from "./numbers.ts";

// Examples are checked with other options of the compiler than tests are, so that the path is not static.
const file = "softmax";
const { softmax, softmaxLong } = (await import(`../../examples/kernels/${file}.ts`)) as Readonly<
  Record<"softmax" | "softmaxLong", AnyKernel>
>;

function expected(x: readonly number[], cols: number): number[] {
  return Array.from({ length: x.length / cols }, (_, row) => {
    const values = x.slice(row * cols, (row + 1) * cols);
    const largest = Math.max(...values);
    const exps = values.map((v) => Math.exp(v - largest));
    const sum = exps.reduce((a, b) => a + b, 0);
    return exps.map((e) => e / sum);
  }).flat();
}

const shapes: readonly (readonly [rows: number, cols: number])[] = [
  [1, 8],
  [4, 256],
  [5, 72],
  [7, 1000],
  [3, 2048],
];

export const softmaxCases: readonly Case[] = shapes.flatMap(([rows, cols]) => {
  const values = (type: "bf16" | "f32") => Array.from(uniform(rows * cols, cols), (u) => roundings[type]((u - 0.5) * 20));
  return [
    defineCase(`softmax/${rows}x${cols}`, softmax, () => {
      const x = values("bf16");
      // Half a unit in the last of eight places, and what `fast.exp2` may be off.
      const near = {
        agree: (actual: number | bigint, right: number | bigint) =>
          Math.abs(Number(actual) - Number(right)) <= 0.005 * Number(right) + 2 ** -130,
      };
      return { args: [input("bf16", [rows, cols], x), output("bf16", [rows, cols], expected(x, cols), near)] };
    }),
    defineCase(`softmax/long-${rows}x${cols}`, softmaxLong, () => {
      const x = values("f32");
      return { args: [input("f32", [rows, cols], x), output("f32", [rows, cols], expected(x, cols), { agree: within(1e-6) })] };
    }),
  ];
});
