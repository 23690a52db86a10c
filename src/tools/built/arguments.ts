/** The arguments of a launch against the parameters of a built kernel. */

import { display } from "../../base/diag/index.ts";
import { addressOf, checkScalar, type DeviceTensor, isDeviceTensor } from "../../runtime/index.ts";
import { fail } from "./errors.ts";
import type { LaunchNumbers } from "./grid.ts";
import type { KernelManifest, TensorParameter } from "./manifest.ts";

/** A kernel of a build, under its name there. */
export interface Named {
  readonly name: string;
  readonly kernel: KernelManifest;
}

const dims = (list: readonly (number | null)[]): string => `[${list.map((n) => n ?? "?").join(", ")}]`;

/** W7735. */
function checkTensor(kernel: string, parameter: TensorParameter, tensor: DeviceTensor): void {
  const { name, dtype, shape, strides, alignment } = parameter;
  const refuse = (what: string, given: string, expected: string): never => fail("W7735", { kernel, name, what, given, expected });
  if (tensor.dtype !== dtype) refuse("type", tensor.dtype, dtype);
  const fits = tensor.rank === shape.length && shape.every((n, d) => n === null || n === tensor.shape[d]);
  if (!fits) refuse("shape", dims(tensor.shape), dims(shape));
  const lies = strides.every((n, d) => n === null || tensor.shape[d] === 1 || n === tensor.strides[d]);
  if (!lies) refuse("strides", dims(tensor.strides), dims(strides));
  const address = addressOf(tensor);
  if (address % BigInt(alignment) !== 0n) refuse("address", `0x${address.toString(16)}`, `a multiple of ${alignment}`);
}

/** Checks each argument of a launch. W7501, W7735, W7736. */
export function checkArguments({ name, kernel }: Named, args: readonly unknown[]): readonly DeviceTensor[] {
  const { parameters } = kernel;
  const names = parameters.map((p) => p.name);
  if (args.length !== parameters.length) fail("W7736", { kernel: name, parameters: names, given: `${args.length} were given` });
  return parameters.flatMap((parameter, i) => {
    const given = args[i];
    if (parameter.kind === "scalar") {
      checkScalar(name, parameter.name, parameter.type, given);
      return [];
    }
    if (!isDeviceTensor(given))
      return fail("W7736", { kernel: name, parameters: names, given: `${parameter.name} is ${display(given)}` });
    checkTensor(name, parameter, given);
    return [given];
  });
}

/** What formulas are computed of. */
export const numbersOf = (args: readonly unknown[]): LaunchNumbers => ({
  shape: (of, dimension) => (args[of] as DeviceTensor).shape[dimension] ?? 1,
  stride: (of, dimension) => (args[of] as DeviceTensor).strides[dimension] ?? 1,
  scalar: (of) => Number(args[of]),
});
