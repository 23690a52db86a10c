import type { DeviceTensor, DType } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { frozenCopy } from "../common/frozen.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { asColumn, asRows, checkNumbers, checkOperand, checkWritten, mostNumbers } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import { equal } from "../common/same-memory.ts";
import { alignmentOf, describe, type FloatType, sizeOf } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import { type InputKind, type MapFunction, type MapShape, makeMap } from "./map-kernel.ts";

/** Tensors that a function of elements reads, by the names it calls them. */
export type MapInputs = Readonly<Record<string, DeviceTensor<FloatType>>>;

/** Where the result of `map` goes, and how it runs. W2601, W7012, W7046, W7616–W7619. */
export interface MapOptions<D extends FloatType = FloatType> extends RunOptions {
  /** Where it goes: of f16, bf16 or f32. It may be an input of its shape. Default: new memory. */
  readonly out?: DeviceTensor<D>;
  /** The type of the result where `out` does not say it. Default: that of the first input. */
  readonly dtype?: D;
}

/** What is to be done: what it is called, its inputs and its function; without one the only input is copied. */
export interface Work {
  readonly of: string;
  readonly inputs: Readonly<Record<string, DeviceTensor>>;
  readonly fn: MapFunction | undefined;
  /** Vectors that a thread has. Default: 1. */
  readonly loads?: number;
}

const floats: readonly string[] = ["f16", "bf16", "f32"];
const options = optionsOf<MapOptions>("map()", { out: true, dtype: true, stream: true, overlapPrevious: true });

/** What an input has one number for. W7623. */
function kindOf(name: string, input: DeviceTensor, shape: readonly number[]): InputKind {
  if (equal(input.shape, shape)) return "element";
  const columns = shape.at(-1) ?? 1;
  const outer = input.shape.slice(0, -1);
  if (input.shape.at(-1) === columns && outer.every((extent) => extent === 1)) return "column";
  if (equal(input.shape, [...shape.slice(0, -1), 1])) return "row";
  return fail("W7623", { name, given: describe(input), shape });
}

/** The shape of the result: that of `out`, else of the input with the most elements. */
function shapeOf(inputs: readonly DeviceTensor[], out: DeviceTensor | undefined): readonly number[] {
  const count = ({ shape }: DeviceTensor): number => shape.reduce((n, extent) => n * extent, 1);
  return (out ?? inputs.reduce((most, input) => (count(input) > count(most) ? input : most))).shape;
}

const isDense = ({ shape, strides }: DeviceTensor): boolean => {
  const dense = shape.map((_, i) => shape.slice(i + 1).reduce((n, extent) => n * extent, 1));
  return shape.every((extent, i) => extent === 1 || strides[i] === dense[i]);
};

/** Inputs and result as the kernel takes them, and what it is compiled for. */
interface Views {
  readonly views: Readonly<Record<string, DeviceTensor>>;
  readonly written: DeviceTensor;
  readonly columns: number | undefined;
}

function viewsOf({ of, inputs }: Work, kinds: Readonly<Record<string, InputKind>>, out: DeviceTensor): Views {
  const all = [...Object.values(inputs), out];
  const count = out.shape.reduce((n, extent) => n * extent, 1);
  const isFlat = count <= mostNumbers && all.every(isDense) && Object.values(kinds).every((kind) => kind === "element");
  const view = (name: string, tensor: DeviceTensor): DeviceTensor => {
    if (isFlat) return asColumn(of, name, tensor);
    if (kinds[name] === "row" || kinds[name] === "column") return asColumn(of, name, tensor);
    return asRows(of, name, tensor as DeviceTensor<FloatType>);
  };
  const views = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, view(name, input)]));
  const written = view("out", out);
  return { views, written, columns: isFlat ? undefined : written.shape[1] };
}

/** Neighbours that a thread moves at a time: 16 bytes of the widest type, where all tensors lie so. */
function vectorOf({ views, written, columns = 0 }: Views, kinds: Readonly<Record<string, InputKind>>): number {
  const moved = [...Object.entries(views).flatMap(([name, view]) => (kinds[name] === "row" ? [] : [view])), written];
  const fits = (vector: number): boolean =>
    columns % vector === 0 && moved.every((view) => vector * sizeOf(view) <= 16 && alignmentOf(view) >= vector * sizeOf(view));
  return [16, 8, 4, 2].find(fits) ?? 1;
}

function prepare(work: Work, given: DeviceTensor | undefined, dtype: DType | undefined, overlaps: boolean): Ready {
  const { of, inputs, fn } = work;
  const [first] = Object.values(inputs);
  if (!first) return fail("W7621", { given: "none" });
  const shape = shapeOf(Object.values(inputs), given);
  const kinds = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, kindOf(name, input, shape)]));
  return taking(first.device, (take) => {
    const out = given ?? take(dtype ?? first.dtype, shape);
    const found = viewsOf(work, kinds, out);
    const pick = (wanted: boolean) =>
      Object.fromEntries(Object.entries(found.views).filter(([name]) => (kinds[name] === "element") === wanted));
    checkWritten(of, "out", found.written, pick(true), pick(false));
    const vector = vectorOf(found, kinds);
    checkNumbers(of, shape.reduce((n, extent) => n * extent, 1) / vector, "vectors of elements");
    const compiled: Omit<MapShape, "fn"> = {
      plan: { threads: 128, loads: work.loads ?? 1 },
      kinds,
      vector,
      columns: found.columns,
    };
    const kernel = madeOnce([of, compiled, overlaps], (kept) => makeMap(frozenCopy({ ...compiled, fn }), overlaps, kept), fn);
    const calls = fn && { fn, what: "function of map()" as const };
    return { kernel, args: [found.written, found.views], out, ...(calls ? { calls } : {}) };
  });
}

/** The launch for some work whose inputs and options have been checked. */
export function readyWork(
  work: Work,
  { out, dtype, overlapPrevious = false }: { out?: DeviceTensor; dtype?: DType; overlapPrevious?: boolean },
): Call {
  const { of, fn, inputs } = work;
  const asked = [of, fn, out, dtype, overlapPrevious, ...Object.keys(inputs), ...Object.values(inputs)];
  const [first] = Object.values(inputs);
  if (!first) return fail("W7621", { given: "none" });
  return readyFor(first, asked, out !== undefined, () => prepare(work, out, dtype, overlapPrevious));
}

function ready(inputs: MapInputs, fn: unknown, given: MapOptions): Call {
  checkOptions(given, options);
  checkRun("map()", given);
  if (typeof inputs !== "object" || inputs === null || "device" in inputs || Object.keys(inputs).length === 0)
    fail("W7621", { given: typeof inputs === "object" && inputs !== null && !("device" in inputs) ? "none" : display(inputs) });
  if (typeof fn !== "function") fail("W7622", { given: display(fn) });
  const { out, dtype } = given;
  for (const [name, input] of Object.entries(inputs)) checkOperand("map()", `The input ${name}`, input);
  if (out !== undefined) checkOperand("map()", "out", out, dtype ? { dtypes: [dtype] } : {});
  if (dtype !== undefined && !floats.includes(dtype))
    fail("W7046", { of: "map()", option: "dtype", given: display(dtype), expected: '"f16", "bf16" or "f32"' });
  return readyWork({ of: "map()", inputs, fn: fn as MapFunction }, given);
}

/** Launches it. */
export const runWork = (made: Call, run: RunOptions & { readonly out?: DeviceTensor }): DeviceTensor =>
  launch(made, run, run?.out).out;

/**
 * fn of each element: `map({ x, bias }, helper(({ x, bias }) => Math.max(x + bias, 0)))`. `fn` is a `helper(…)` or another function that the transform has seen; it gets one number
 * of each input, in f32, and what it returns is rounded to the type of the result. `inputs` are of f16, bf16 or f32: of the shape of the result, or [N] for its last axis
 * (one number for each column), or of its shape with a last axis of 1 (one for each row). A new function is a new kernel: make it once. W7012, W76xx.
 */
export function map<I extends MapInputs, D extends FloatType = I[keyof I]["dtype"]>(
  inputs: I,
  fn: (inputs: { readonly [K in keyof I]: number }) => number,
  options: MapOptions<D> = {},
): DeviceTensor<D> {
  refuseMore(map, arguments);
  return runWork(ready(inputs, fn, options as MapOptions), options) as DeviceTensor<D>;
}
prepares(map, (inputs: MapInputs, fn: unknown, options: MapOptions = {}) => ready(inputs, fn, options));
