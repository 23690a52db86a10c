import { expect } from "vitest";
import { type Device, type DeviceTensor, type DType, openDevice } from "warpsmith";
import { intrinsicOf } from "../../../src/schedule/intrinsics/index.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import { isAsked } from "../../support/amount.ts";

/** Small whole numbers, so that no sum rounds. */
const numbers = (n: number, seed: number): number[] =>
  Array.from({ length: n }, (_, i) => ((i * 7 + seed * 13 + (i >> 3)) % 7) - 3);

const arrayOf = (dtype: string, data: readonly number[]): Float32Array | Int8Array | Int32Array =>
  dtype === "i8" ? Int8Array.from(data) : dtype === "i32" ? Int32Array.from(data) : Float32Array.from(data);

/** A tensor of zeros that lies in memory in some way. */
export type Lying = (gpu: Device, dtype: DType, shape: readonly number[]) => DeviceTensor;
const inOnePiece: Lying = (gpu, dtype, shape) => gpu.zeros(dtype, shape) as DeviceTensor;

type Check = "normal" | "strict";
/** "strict" finds all that "normal" finds. `RUNS`, which asks for more, lets both run. */
const usualChecks: readonly Check[] = isAsked ? ["normal", "strict"] : ["strict"];

/** Runs the program in order, and as a kernel under each of the checks, and compares all its tensors. `lying`: how they lie; default: in one piece. */
export async function agree(program: Program, checks: readonly Check[] = usualChecks, lying: Lying = inOnePiece): Promise<void> {
  const specs = specsOf(program);
  const data: (readonly number[])[] = specs.map(({ shape }, n) =>
    numbers(
      shape.reduce((a, b) => a * b, 1),
      n,
    ),
  );
  const wanted = Object.fromEntries(program.params.map((b, n) => [b.name, arrayOf(b.dtype, data[n] ?? [])]));
  interpret(program, wanted, { intrinsics: (name) => intrinsicOf(name).description });
  const kernel = programKernel(program);
  for (const check of checks) {
    await using gpu = await openDevice("emulator", { check });
    const tensors = specs.map(({ dtype, shape }, n) => {
      const tensor = lying(gpu, dtype, shape);
      tensor.write(data[n] as never);
      return tensor;
    });
    kernel.launch({}, ...tensors);
    for (const [n, { name }] of program.params.entries()) {
      const [found, right] = [Array.from((await tensors[n]?.read()) as Iterable<number>), Array.from<number>(wanted[name] ?? [])];
      // `toEqual` takes long for long lists: it is left to tell of a difference.
      if (found.length !== right.length || found.some((x, i) => !Object.is(x, right[i]))) expect(found, name).toEqual(right);
    }
    for (const tensor of tensors) tensor.dispose();
  }
}
