/** `tune`: the fastest of the schedules that a space of knobs describes. */

import {
  checkOptions,
  display,
  isClass,
  type KnownOptions,
  placeOnStack,
  refuseMore,
  type Spans,
} from "../../base/diag/index.ts";
import { isFloatType } from "../../base/element-types.ts";
import type { Kernel } from "../../kernel/index.ts";
import { partsOf } from "../../kernel/index.ts";
import {
  fastestOf,
  product,
  type Ready,
  type SearchOptions,
  type TuneConfig,
  type TuneResult,
  type TuneSpace,
} from "../../kernel/tune/index.ts";
import type { Device, DeviceTensor } from "../../runtime/index.ts";
import { isDeviceTensor } from "../../runtime/index.ts";
import { fail } from "../errors/index.ts";
import { readBuffers, writtenBuffers } from "../facts/touches.ts";
import { printProgram } from "../ir/print.ts";
import type { Buffer, Program } from "../ir/types.ts";
import { blocksOf, staticShape } from "../ir/walk.ts";
import type { TensorCorePipeline } from "../pipeline/index.ts";
import { Schedule } from "../schedule.ts";
import { plainSchedule } from "./plain.ts";

// biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
type AnyKernel = Kernel<any[]>;

/** What `make` may give for a configuration: something that becomes a kernel, or a kernel with arguments of its own, such as that of `matmulKernel`. */
export type Tunable = AnyKernel | Schedule | TensorCorePipeline | TunableKernel;

/** A kernel by hand, or one of `warpsmith/kernels`, as `tune` takes it. */
export interface TunableKernel {
  /** What is launched. */
  readonly kernel: AnyKernel;
  /** What it is launched with. */
  readonly args: readonly unknown[];
}

/** What `tune` takes besides a space and what makes kernels of it. */
export interface TuneOptions<C = unknown> extends SearchOptions<C> {
  /** What is scheduled. It gives the arguments, the reference and the results where they are left out. */
  readonly program?: Program;
  /** What the kernels are launched with. Default: tensors of the program's shapes, with random numbers. */
  readonly args?: readonly unknown[];
}

const isFunction = (x: unknown): boolean => typeof x === "function" && !isClass(x);
const has = (x: unknown, ...names: readonly string[]): boolean =>
  typeof x === "object" && x !== null && names.every((name) => name in x);

/** What each option has to be where it is not left out. */
const checks: { readonly [K in keyof TuneOptions]-?: readonly [is: (x: unknown) => boolean, expected: string] } = {
  program: [(x) => has(x, "params", "body"), "what program() gives"],
  args: [Array.isArray, "a list of the kernel's arguments"],
  fits: [isFunction, "a function of a configuration"],
  resources: [isFunction, "a function of a configuration"],
  device: [(x) => has(x, "kind"), "what openDevice() gives"],
  // Refused where it is used.
  stream: [() => true, "a stream"],
  reference: [(x) => typeof x === "function", "a kernel, or a function of the arguments"],
  results: [(x) => Array.isArray(x) && x.every(isDeviceTensor), "a list of tensors of a device"],
  tolerance: [(x) => typeof x === "number" && x >= 0, "a number from 0 on"],
  seconds: [(x) => typeof x === "number" && x > 0 && Number.isFinite(x), "a number above 0"],
  budget: [(x) => Number.isSafeInteger(x) && Number(x) > 0, "a whole number from 1 on"],
  keep: [(x) => typeof x === "boolean", "true or false"],
};
const known: KnownOptions = { of: "tune()", names: new Set(Object.keys(checks)) };

const wrong = (what: string, given: unknown, expected: string): never => fail("W7543", { what, given: display(given), expected });

/** W2601, W2602, W7046, W7543. */
function checkGiven(space: unknown, make: unknown, options: TuneOptions): void {
  const lists = typeof space === "object" && space !== null && !Array.isArray(space) ? Object.entries(space) : [];
  if (lists.length === 0 || !lists.every(([, values]) => Array.isArray(values) && values.length > 0))
    wrong("first argument", space, "an object with a list of values for each knob");
  if (!isFunction(make) || partsOf(make)) wrong("second argument", make, "a function that makes a kernel of a configuration");
  checkOptions(options, known);
  for (const [option, [is, expected]] of Object.entries(checks)) {
    const given = options[option as keyof TuneOptions];
    if ((given !== undefined || option === "device") && !is(given))
      fail("W7046", { of: "tune()", option, given: display(given), expected });
  }
}

/** Numbers from -1 to 1 that look random; of integers from -4 to 4. */
function randomOf(device: Device, { name, dtype, ...buffer }: Buffer, seed: number, at: Spans): DeviceTensor {
  const shape = staticShape({ name, dtype, ...buffer });
  if (!shape) return fail("W7546", { name, lacks: "arguments", why: "it has a size that only a launch knows" }, at);
  const count = shape.reduce((all, n) => all * n, 1);
  const data = new Float64Array(count);
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const u = (state >>> 8) / 2 ** 24;
    data[i] = isFloatType(dtype) ? 2 * u - 1 : Math.floor(9 * u) - 4;
  }
  const wide = dtype === "i64" || dtype === "u64" ? Array.from(data, (x) => BigInt(Math.abs(x))) : data;
  // `tensor` relates data to the type of its elements, which is a value here.
  return device.tensor(dtype, shape, wide as never);
}

/** The tensors that a program writes, and those of them that it does not read. */
function resultsOf(program: Program, args: readonly unknown[]) {
  const blocks = blocksOf(program);
  const stored = new Set(blocks.flatMap((b) => writtenBuffers(b)));
  const read = new Set(blocks.flatMap((b) => readBuffers(b)));
  const tensorsOf = (is: (b: Buffer) => boolean): readonly DeviceTensor[] =>
    args.filter((arg, i): arg is DeviceTensor => isDeviceTensor(arg) && program.params.slice(i, i + 1).some(is));
  return { results: tensorsOf((b) => stored.has(b)), written: tensorsOf((b) => stored.has(b) && !read.has(b)) };
}

/** The kernel of what `make` gave. W7544. */
function kernelOf(made: unknown, at: Spans): { readonly kernel: AnyKernel; readonly args?: readonly unknown[] } {
  if (made instanceof Schedule) return { kernel: made.kernel() };
  if (isKernel(made)) return { kernel: made };
  if (typeof made === "object" && made !== null) {
    const { schedule, kernel, args } = made as Partial<Record<"schedule" | "kernel" | "args", unknown>>;
    if (schedule instanceof Schedule) return { kernel: schedule.kernel() };
    if (isKernel(kernel) && Array.isArray(args)) return { kernel, args };
  }
  return fail("W7544", { given: display(made) }, at);
}
const isKernel = (x: unknown): x is AnyKernel => partsOf(x) !== undefined;

/** The reference that the program itself is. W7546. */
function plainReference(program: Program, at: Spans): AnyKernel {
  const plain = plainSchedule(program);
  return typeof plain === "string"
    ? fail("W7546", { name: program.name, lacks: "a reference", why: `it has no plain kernel, as ${plain}` }, at)
    : plain.kernel();
}

/**
 * Finds the fastest configuration of a space: a value for each knob, of which `make` makes a schedule or a kernel. What does not fit, or has no room on a
 * multiprocessor, is left out before it is made; what is made is launched and compared with the reference; what is right is timed in turns, with a cold L2 cache. A configuration
 * that fails is in the table with its reason, and passed over. The choice is kept on disk for the device, the program, the shapes, the space and the version of the package,
 * and the next search with the same takes it. On the emulator, which has no time, it is the first that is right. W2601, W2602, W7046, W7543–W7546.
 */
export function tune<const S extends TuneSpace>(
  space: S,
  make: (config: TuneConfig<S>) => Tunable,
  options: TuneOptions<TuneConfig<S>>,
): Promise<TuneResult<TuneConfig<S>>> {
  refuseMore(tune, arguments);
  checkGiven(space, make, options as TuneOptions);
  const at = placeOnStack();
  const { program, device, stream } = options;
  const configs = product(space) as readonly TuneConfig<S>[];
  const name = program?.name ?? "a kernel";
  if (!program && !options.args)
    fail("W7546", { name, lacks: "arguments", why: "there is no program to make them for, either" }, at);
  if (!program && !options.reference)
    fail("W7546", { name, lacks: "a reference", why: "there is no program to compute it by, either" }, at);
  const reference = options.reference ?? (program && plainReference(program, at));
  const made = options.args ? [] : (program?.params ?? []).map((b, i) => randomOf(device, b, i, at));
  const args = options.args ?? made;
  const tensors = args.filter(isDeviceTensor);
  const { results = tensors, written } = options.results
    ? { ...options, written: [] }
    : program
      ? resultsOf(program, args)
      : { written: [] };
  const config = stream ? { stream, device } : { device };
  const ready = (one: TuneConfig<S>): Ready => {
    const { kernel, args: own = args } = kernelOf(make(one), at);
    const { ptx } = kernel.compile(...own);
    return { kernel, ptx, launch: () => kernel.launch(config, ...own) };
  };
  const shapes = tensors.map(({ dtype, shape, strides }) => `${dtype} ${shape.join()} ${strides.join()}`);
  const of = () => [program ? printProgram(program) : "", make.toString(), ...shapes, JSON.stringify(configs)];
  const found = fastestOf({
    ...{ name, candidates: configs, options, ready, at },
    restored: () => results,
    compared: {
      reference: async () => (isKernel(reference) ? reference.launch(config, ...args) : reference?.(...args)),
      written,
    },
    searched: options.keep === false ? undefined : { device: device.name, by: "tune", of: of() },
  });
  return found.finally(() => {
    for (const tensor of made) tensor.dispose();
  });
}
