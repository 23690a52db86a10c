/** What else an epilogue gives than the elements of the result. */

import type { DeviceTensor } from "warpsmith";
import { display } from "../../../base/diag/index.ts";
import { equal, overlap } from "../../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe, isTensor, type Tensors } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import { listed, resultTypes } from "../problem/check.ts";
import type { ResultType } from "../problem/problem.ts";

/** What becomes of a number that an epilogue gives of each element: it is kept as it is, or a row of them becomes one. */
export type MatmulOutput =
  /** Where each goes: a tensor of the product's shape, [M, N] or [batch, M, N], rounded to its type, which need not be that of the result. */
  | DeviceTensor<ResultType>
  | {
      /** Where the sum of a row goes: [M] or [M, 1], or those of a batch. */
      readonly sum: DeviceTensor<"f32">;
      /** A sum has no column. */
      readonly column?: never;
    }
  | {
      /** Where the greatest of a row goes: [M] or [M, 1], or those of a batch. */
      readonly max: DeviceTensor<"f32">;
      /** Where the column of the greatest goes, of equal ones the first; NaN is greater than all else. Of the shapes that `max` may have. */
      readonly column?: DeviceTensor<"i32">;
    };

/** By the names that an epilogue gives them. */
export type MatmulOutputs = Readonly<Record<string, MatmulOutput>>;

/** The same, as it is kept. */
export type Output =
  | { readonly by: "element"; readonly to: DeviceTensor<ResultType> }
  | { readonly by: "sum" | "max"; readonly to: DeviceTensor<"f32"> }
  | { readonly by: "argmax"; readonly to: DeviceTensor<"f32">; readonly column: DeviceTensor<"i32"> };
export type Outputs = Readonly<Record<string, Output>>;

const noOutputs: Outputs = Object.freeze({});

type Given = Readonly<Partial<Record<"sum" | "max" | "column", unknown>>>;

const kinds = "a tensor of the product's shape, or { sum: tensor } or { max: tensor }, where a row becomes one number";

/** A copy: the author's objects may change. W7696, W7697. */
export function outputsOf(given: MatmulOutputs | undefined): Outputs {
  if (given === undefined) return noOutputs;
  if (typeof given !== "object" || given === null || isTensor(given))
    return fail("W7696", {
      name: "",
      given: isTensor(given) ? "a tensor" : display(given),
      expected: "an object of tensors by name",
    });
  return Object.fromEntries(Object.entries(given).map(([name, output]) => [name, outputOf(name, output)]));
}

function outputOf(name: string, output: unknown): Output {
  if (name === "value") fail("W7697", {});
  if (isTensor(output)) return { by: "element", to: output as DeviceTensor<ResultType> };
  const isOne = typeof output === "object" && output !== null;
  const given = (isOne ? output : {}) as Given;
  const names = Object.keys(given).toSorted().join(", ");
  if (names === "sum") return { by: "sum", to: given.sum as DeviceTensor<"f32"> };
  if (names === "max" || (names === "column, max" && given.column === undefined))
    return { by: "max", to: given.max as DeviceTensor<"f32"> };
  if (names === "column, max")
    return { by: "argmax", to: given.max as DeviceTensor<"f32">, column: given.column as DeviceTensor<"i32"> };
  return fail("W7696", {
    name,
    given: isOne ? `an object with ${Object.keys(given).join(", ") || "nothing"}` : display(output),
    expected: kinds,
  });
}

/** The same as the author gives it. */
export const asOptions = (outputs: Outputs): MatmulOutputs =>
  Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, asOption(output)]));

function asOption(output: Output): MatmulOutput {
  if (output.by === "element") return output.to;
  if (output.by === "sum") return { sum: output.to };
  return output.by === "argmax" ? { max: output.to, column: output.column } : { max: output.to };
}

/** The same, with other views of what it is written to: of matrices, and of one number for each row. */
export function mapOutput(
  output: Output,
  matrix: <T extends DeviceTensor>(tensor: T) => T,
  line: <T extends DeviceTensor>(tensor: T) => T,
): Output {
  if (output.by === "element") return { by: "element", to: matrix(output.to) };
  if (output.by === "argmax") return { by: "argmax", to: line(output.to), column: line(output.column) };
  return { by: output.by, to: line(output.to) };
}

/** Whether the outputs go where they went, by their names. Nothing is allocated: it runs at every call. */
export function sameOutputs(before: MatmulOutputs | undefined, given: MatmulOutputs | undefined): boolean {
  if (before === undefined || typeof given !== "object" || given === null) return before === given || isEmpty(before, given);
  let more = 0;
  for (const name in given) {
    if (!sameOutput(before[name], given[name])) return false;
    more++;
  }
  for (const _ in before) more--;
  return more === 0;
}

/** A tensor is the same as itself alone. */
function sameOutput(before: MatmulOutput | undefined, given: MatmulOutput | undefined): boolean {
  if (before === given) return before !== undefined;
  if (!before || typeof given !== "object" || given === null || isTensor(before) || isTensor(given)) return false;
  const [known, now] = [before as Given, given as Given];
  for (const by in now) if (known[by as keyof Given] !== now[by as keyof Given]) return false;
  for (const by in known) if (known[by as keyof Given] !== now[by as keyof Given]) return false;
  return true;
}

/** Where nothing is given now, whether nothing was. */
function isEmpty(before: MatmulOutputs | undefined, given: MatmulOutputs | undefined): boolean {
  if (given !== undefined) return false;
  for (const _ in before) return false;
  return true;
}

/** What outputs are beside: the product's shape, what is written beside them, and what is read. */
interface Beside {
  readonly shape: readonly number[];
  readonly a: DeviceTensor;
  readonly b: DeviceTensor;
  readonly second: DeviceTensor | undefined;
  readonly inputs: Tensors;
  readonly out: DeviceTensor | undefined;
  readonly epilogue: unknown;
}

/** W7601, W7695, W7696, W7698, W7705, W7706, W7012. */
export function checkOutputs(outputs: Outputs, beside: Beside): void {
  const { a, out, epilogue } = beside;
  const names = Object.keys(outputs);
  if (names.length > 0 && epilogue === undefined) fail("W7695", { given: undefined, names });
  const written: [name: string, tensor: DeviceTensor][] = out ? [["out", out]] : [];
  const checkWritten = (name: string, to: DeviceTensor): void => {
    checkSameDevice(a, to);
    for (const [other, tensor] of written) if (overlap(to, tensor)) fail("W7698", { name, other });
    written.push([name, to]);
  };
  for (const [name, output] of Object.entries(outputs)) {
    checkTensor(`The output ${name}`, output.to);
    if (output.by === "element") checkMatrix(name, output.to, beside);
    else checkLine(name, output.to, "f32", beside);
    checkWritten(name, output.to);
    if (output.by !== "argmax") continue;
    checkTensor(`The output ${name}.column`, output.column);
    checkLine(`${name}.column`, output.column, "i32", beside);
    checkWritten(`${name}.column`, output.column);
  }
}

/** One number for each row. W7696. */
function checkLine(name: string, to: DeviceTensor, dtype: "f32" | "i32", { shape }: Beside): void {
  const leading = shape.slice(0, -1);
  if (to.dtype === dtype && (equal(to.shape, leading) || equal(to.shape, [...leading, 1]))) return;
  const expected = `a tensor of ${dtype}, [${leading.join(", ")}] or [${leading.join(", ")}, 1]`;
  fail("W7696", { name, given: describe(to), expected });
}

/** One for each element, which is stored while others are still computed: nothing that is read may be there. W7696, W7705, W7706. */
function checkMatrix(name: string, to: DeviceTensor, { shape, a, b, second, inputs }: Beside): void {
  if (!(resultTypes as readonly string[]).includes(to.dtype) || !equal(to.shape, shape)) {
    const matrix = `a tensor of ${listed(resultTypes)}, [${shape.join(", ")}]`;
    fail("W7696", {
      name,
      given: describe(to),
      expected: `${matrix}; or { sum: tensor } or { max: tensor }, where a row becomes one number`,
    });
  }
  if (to.strides.at(-1) !== 1 && shape.at(-1) !== 1) fail("W7706", { name, strides: to.strides });
  const operands = second ? { a, gate: b, up: second } : { a, b };
  for (const [other, tensor] of Object.entries(operands))
    if (overlap(to, tensor)) fail("W7705", { name, other: `the operand ${other}` });
  for (const [other, tensor] of Object.entries(inputs))
    if (overlap(to, tensor)) fail("W7705", { name, other: `the input ${other}` });
}
