import { blockIdx, type i32, kernel, type Tensor, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { realFields, wholeFields } from "./field-programs.ts";
import { integers } from "./numbers.ts";
import { plainModule } from "./plain.ts";
import type { Program } from "./programs.ts";

type Programs = Readonly<Record<string, Program>>;

const plain = plainModule<{ wholeFields: Programs; realFields: Programs }>(new URL("./field-programs.ts", import.meta.url).href);
const block = 32,
  threads = 64;
const data = integers(threads, -20, 40);

const programKernel = (run: Program) =>
  kernel({ block, grid: threads / block }, function program(x: Tensor<"f32", 1>, out: Tensor<"i32" | "f32", 1>, n: i32) {
    const i = blockIdx.x * block + threadIdx.x;
    out[i] = run(i, n, x[i]!);
  });

const casesOf = (programs: Programs, reference: Programs, type: "i32" | "f32"): Case[] =>
  Object.entries(programs).map(([name, run]) =>
    defineCase(`fields/${name}`, programKernel(run), () => {
      const n = 12;
      const expected = data.map((x, i) => reference[name]!(i, n, x));
      return { args: [input("f32", [threads], data), output(type, [threads], expected), n] };
    }),
  );

/** Fields and elements that begin as constants and change in loops, against the same text as plain JavaScript. */
export const fieldCases: readonly Case[] = [
  ...casesOf(wholeFields, plain.wholeFields, "i32"),
  ...casesOf(realFields, plain.realFields, "f32"),
];
