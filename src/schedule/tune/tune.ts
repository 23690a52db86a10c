/** `tune`: the fastest of the schedules that a space of knobs describes. */

import { checkOptions, display, isClass, optionsOf, placeOnStack, refuseMore, type Spans } from "../../base/diag/index.ts";
import { isFloatType } from "../../base/element-types.ts";
import type { Kernel } from "../../kernel/index.ts";
import { partsOf } from "../../kernel/index.ts";
import {
  choiceKey,
  digestOf,
  product,
  type Ready,
  type SearchOptions,
  search,
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

const known = optionsOf<TuneOptions>("tune()", {
  program: true,
  args: true,
  fits: true,
  resources: true,
  device: true,
  stream: true,
  reference: true,
  results: true,
  tolerance: true,
  seconds: true,
  budget: true,
  keep: true,
});

const wrong = (what: string, given: unknown, expected: string): never => fail("W7543", { what, given: display(given), expected });
const refuse = (option: string, given: unknown, expected: string): never =>
  fail("W7046", { of: "tune()", option, given: display(given), expected });
const isFunction = (x: unknown): boolean => typeof x === "function" && !isClass(x);

/** W2601, W2602, W7046, W7543. */
function checkGiven(space: unknown, make: unknown, options: TuneOptions): void {
  const lists = typeof space === "object" && space !== null && !Array.isArray(space) ? Object.entries(space) : [];
  if (lists.length === 0 || !lists.every(([, values]) => Array.isArray(values) && values.length > 0))
    wrong("first argument", space, "an object with a list of values for each knob");
  if (!isFunction(make) || partsOf(make)) wrong("second argument", make, "a function that makes a kernel of a configuration");
  checkOptions(options, known);
  const { device, fits, resources, reference, results, args, tolerance, seconds, budget, keep, program } = options;
  if (typeof device !== "object" || device === null || !("kind" in device)) refuse("device", device, "what openDevice() gives");
  if (fits !== undefined && !isFunction(fits)) refuse("fits", fits, "a function of a configuration");
  if (resources !== undefined && !isFunction(resources)) refuse("resources", resources, "a function of a configuration");
  if (reference !== undefined && typeof reference !== "function")
    refuse("reference", reference, "a kernel, or a function of the arguments");
  if (results !== undefined && !(Array.isArray(results) && results.every(isDeviceTensor)))
    refuse("results", results, "a list of tensors of a device");
  if (args !== undefined && !Array.isArray(args)) refuse("args", args, "a list of the kernel's arguments");
  if (tolerance !== undefined && !(typeof tolerance === "number" && tolerance >= 0))
    refuse("tolerance", tolerance, "a number from 0 on");
  if (seconds !== undefined && !(typeof seconds === "number" && seconds > 0 && Number.isFinite(seconds)))
    refuse("seconds", seconds, "a number above 0");
  if (budget !== undefined && !(Number.isSafeInteger(budget) && budget > 0)) refuse("budget", budget, "a whole number from 1 on");
  if (keep !== undefined && typeof keep !== "boolean") refuse("keep", keep, "true or false");
  if (program !== undefined && !(typeof program === "object" && program !== null && "params" in program && "body" in program))
    refuse("program", program, "what program() gives");
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

/** Which parameters of a program are results, and which of those nothing reads. */
function resultsOf(program: Program): { readonly results: readonly number[]; readonly written: readonly number[] } {
  const blocks = blocksOf(program);
  const stored = new Set(blocks.flatMap((b) => writtenBuffers(b)));
  const read = new Set(blocks.flatMap((b) => readBuffers(b)));
  const results = program.params.flatMap((b, i) => (stored.has(b) ? [i] : []));
  return { results, written: results.filter((i) => !read.has(program.params[i] as Buffer)) };
}

/** The kernel of what `make` gave. W7544. */
function kernelOf(made: unknown, at: Spans): { readonly kernel: AnyKernel; readonly args?: readonly unknown[] } {
  if (made instanceof Schedule) return { kernel: made.kernel() };
  if (isKernel(made)) return { kernel: made };
  if (typeof made === "object" && made !== null) {
    const { schedule, kernel, args } = made as {
      readonly schedule?: unknown;
      readonly kernel?: unknown;
      readonly args?: unknown;
    };
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
  const of = program && resultsOf(program);
  const pick = (places: readonly number[] | undefined): readonly DeviceTensor[] =>
    (places ?? []).flatMap((i) => (isDeviceTensor(args[i]) ? [args[i]] : []));
  const config = stream ? { stream, device } : { device };
  const ready = (one: TuneConfig<S>): Ready => {
    const { kernel, args: own = args } = kernelOf(make(one), at);
    const { ptx } = kernel.compile(...own);
    return { kernel, ptx: digestOf(ptx), launch: () => kernel.launch(config, ...own) };
  };
  const shapes = tensors.map(({ dtype, shape, strides }) => `${dtype} ${shape.join()} ${strides.join()}`);
  const key = (): string =>
    choiceKey([device.name, program ? printProgram(program) : "", make.toString(), ...shapes, JSON.stringify(configs)]);
  const found = search({
    ...{ name, configs, options, ready, at },
    reference: () => (isKernel(reference) ? reference.launch(config, ...args) : reference?.(...args)),
    results: options.results ?? (of ? pick(of.results) : tensors),
    written: options.results || !of ? [] : pick(of.written),
    key: options.keep === false ? undefined : key(),
  });
  return found.finally(() => {
    for (const tensor of made) tensor.dispose();
  });
}
