/** What else an epilogue gives than the elements of the result. */
import type { DeviceTensor } from "warpsmith";
import { display, fail } from "../../diag/index.ts";
import { equal, overlap } from "../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe } from "../common/tensors.ts";

/** How the numbers of a row become one. */
export type Reduction = "sum" | "max";
const reductions: readonly Reduction[] = ["sum", "max"];

/** One number for each row: the sum of what an epilogue gives for its elements, or the greatest of it. */
export type MatmulOutput =
  | {
      /** Where the sum goes: [M] or [M, 1], or those of a batch. */
      readonly sum: DeviceTensor<"f32">;
    }
  | {
      /** Where the greatest goes: [M] or [M, 1], or those of a batch. */
      readonly max: DeviceTensor<"f32">;
    };

/** By the names that an epilogue gives them. */
export type MatmulOutputs = Readonly<Record<string, MatmulOutput>>;

/** The same, as it is kept. */
export interface Output {
  readonly by: Reduction;
  readonly to: DeviceTensor<"f32">;
}
export type Outputs = Readonly<Record<string, Output>>;

export const noOutputs: Outputs = Object.freeze({});

type Given = Readonly<Partial<Record<Reduction, DeviceTensor<"f32">>>>;

/** A copy: the author's objects may change. W7696, W7697. */
export function outputsOf(given: MatmulOutputs | undefined): Outputs {
  if (given === undefined) return noOutputs;
  if (typeof given !== "object" || given === null)
    return fail("W7696", { name: "", given: display(given), expected: "an object of tensors by name" });
  return Object.fromEntries(Object.entries(given).map(([name, output]) => [name, outputOf(name, output)]));
}

function outputOf(name: string, output: unknown): Output {
  if (name === "value") fail("W7697", {});
  const isOne = typeof output === "object" && output !== null;
  const names = isOne ? Object.keys(output) : [];
  const by = reductions.find((reduction) => reduction === names[0]);
  if (!by || names.length !== 1)
    return fail("W7696", {
      name,
      given: isOne ? `an object with ${names.join(", ") || "nothing"}` : display(output),
      expected: "{ sum: tensor } or { max: tensor }",
    });
  return { by, to: (output as Given)[by] as DeviceTensor<"f32"> };
}

/** The same as the author gives it. */
export const asOptions = (outputs: Outputs): MatmulOutputs =>
  Object.fromEntries(Object.entries(outputs).map(([name, { by, to }]) => [name, { [by]: to } as MatmulOutput]));

/** Whether the outputs go where they went, by their names. Nothing is allocated: it runs at every call. */
export function sameOutputs(before: MatmulOutputs | undefined, given: MatmulOutputs | undefined): boolean {
  if (before === undefined || typeof given !== "object" || given === null) return before === given || isEmpty(before, given);
  let more = 0;
  for (const name in given) {
    const [known, now] = [before[name] as Given | undefined, given[name] as Given | undefined];
    if (known === undefined || now === undefined) return false;
    for (const by in now) {
      if (known[by as Reduction] !== now[by as Reduction]) return false;
      more++;
    }
  }
  for (const _ in before) more--;
  return more === 0;
}

/** Where nothing is given now, whether nothing was. */
function isEmpty(before: MatmulOutputs | undefined, given: MatmulOutputs | undefined): boolean {
  if (given !== undefined) return false;
  for (const _ in before) return false;
  return true;
}

/** What outputs are beside: the product's shape, and what is written beside them. */
interface Beside {
  readonly shape: readonly number[];
  readonly device: DeviceTensor;
  readonly out: DeviceTensor | undefined;
  readonly epilogue: unknown;
  readonly invariant: boolean;
}

/** W7601, W7695, W7696, W7698, W7699, W7012. */
export function checkOutputs(outputs: Outputs, { shape, device, out, epilogue, invariant }: Beside): void {
  const names = Object.keys(outputs);
  if (names.length > 0 && epilogue === undefined) fail("W7695", { given: undefined, names });
  const leading = shape.slice(0, -1);
  const written: [name: string, tensor: DeviceTensor][] = out ? [["out", out]] : [];
  for (const [name, { by, to }] of Object.entries(outputs)) {
    checkTensor(`The output ${name}`, to);
    const fits = equal(to.shape, leading) || equal(to.shape, [...leading, 1]);
    if (to.dtype !== "f32" || !fits)
      fail("W7696", {
        name,
        given: describe(to),
        expected: `a tensor of f32, [${leading.join(", ")}] or [${leading.join(", ")}, 1]`,
      });
    checkSameDevice(device, to);
    for (const [other, tensor] of written) if (overlap(to, tensor)) fail("W7698", { name, other });
    if (by === "sum" && invariant) fail("W7699", { name });
    written.push([name, to]);
  }
}
