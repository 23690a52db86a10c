import { display, isClass, type Remark } from "../base/diag/index.ts";
import { cacheKey } from "../base/disk-cache.ts";
import { RecentlyUsed } from "../base/recently-used.ts";
import { defaultTarget } from "../base/target.ts";
import type { Dim, Dim3 } from "../base/types.ts";
import { type Artifact, type Tracing, tracedText, traceText } from "../compile.ts";
import { OuterReads, type TraceInput, traceKernel } from "../dsl/index.ts";
import type { Graph, ProgramOptions } from "../ir/index.ts";
import type { DeviceBackend, LoadedModule } from "../runtime/index.ts";
import { checkLaunchShape, normalizeDim } from "../runtime/index.ts";
import type { Arguments } from "./arguments.ts";
import { fail } from "./errors.ts";
import { type Executable, executableOf, findOp } from "./executable.ts";
import { type ExecutableCache, usualExecutableCache } from "./executable-cache.ts";
import { registersOf, switchesOf } from "./options.ts";
import type { KernelSource } from "./source.ts";
import { compileShown, refuseOther, stagesOf } from "./stages.ts";
import type { From, Stage } from "./types.ts";

/** What the options say for one set of arguments. */
export interface Shape {
  /** Undefined where the options give none. */
  readonly grid: Dim3 | undefined;
  /** What the kernel is compiled with, where no device says otherwise. */
  readonly options: ProgramOptions;
}

/** A kernel compiled for one set of static values. */
export interface Instance extends Executable {
  /** What it was compiled with. */
  readonly options: ProgramOptions;
  /** All its blocks are on the device at the same time. */
  readonly cooperative: boolean;
  /** What compiling gave. */
  readonly artifact: () => Artifact;
  /** Where it has been launched: kept as long as it is. */
  readonly modules: WeakMap<DeviceBackend, LoadedModule>;
}

/** Options that are functions of the arguments. */
function given<T>(option: From<readonly unknown[], T>, args: readonly unknown[]): T {
  return typeof option === "function" && !isClass(option)
    ? (option as (...args: readonly unknown[]) => T)(...args)
    : (option as T);
}

/** Whether any option has to be asked again when a scalar changes. */
export const dependsOnArguments = ({ options }: KernelSource): boolean =>
  [options.block, options.grid, options.cluster, options.smem].some((option) => typeof option === "function");

/** Asks the options. W7015, W7511. */
export function shapeOf(source: KernelSource, args: readonly unknown[]): Shape {
  const { name, options } = source;
  const dim = (what: string, option: From<readonly unknown[], Dim>) => normalizeDim(`${what} of ${name}`, given(option, args));
  const dynamicShared = options.smem === undefined ? 0 : given(options.smem, args);
  if (!(Number.isSafeInteger(dynamicShared) && dynamicShared >= 0))
    fail("W7511", { kernel: name, option: "smem", value: display(dynamicShared), expected: "a whole number of bytes" });
  const block = dim("The block", options.block);
  const cluster: Dim3 = options.cluster === undefined ? [1, 1, 1] : dim("The cluster", options.cluster);
  const grid = options.grid === undefined ? undefined : dim("The grid", options.grid);
  const launch = { block, cluster, ...registersOf(options) };
  return { grid, options: { ...switchesOf(options), target: defaultTarget, launch, dynamicShared } };
}

/** Refuses what the target cannot launch, before the kernel's body runs. W7017, W7019. */
function traceInput(source: KernelSource, { params, assemble }: Arguments, options: ProgramOptions): TraceInput {
  const { name, body, span } = source;
  const { nonPortableCluster } = source.options;
  const { block, cluster } = options.launch;
  // A grid of one cluster: the real one is not known before the launch.
  checkLaunchShape({ grid: cluster, block, cluster, nonPortableCluster, sharedBytes: 0 }, options.target);
  return { name, body, span, params, assemble, options };
}

/** Blocks that wait for others need all of them to run. W5021. */
function checkCooperative({ name, options }: KernelSource, graph: Graph): void {
  const sync = options.cooperative ? undefined : findOp(graph, "grid.sync");
  if (sync) fail("W5021", { kernel: name }, sync.spans);
}

/** How many compiled kernels a kernel value keeps: of those for matrices of warpsmith/kernels, about 0.3 MB each. */
const kept = 256;

/** How many are kept that differ only in what the trace has read of objects around the kernel. */
const keptOfOneKey = 8;

/** A compiled kernel, and what it was traced with beside its arguments. */
export interface Found {
  readonly instance: Instance;
  /** It is right for as long as these hold; undefined: always. */
  readonly reads: OuterReads | undefined;
}

interface Kept extends Found {
  /** What tracing gave, in short; undefined where nothing else can be traced with these arguments. */
  readonly traced: string | undefined;
}

/** The compiled kernels of one kernel value, by their static values: those that were used last. */
export class Instances {
  readonly #source: KernelSource;
  readonly #disk: () => ExecutableCache | undefined;
  /** Of one key those that were used last come first. */
  readonly #byKey = new RecentlyUsed<string, readonly Kept[]>(kept);

  constructor(source: KernelSource, disk = usualExecutableCache) {
    this.#source = source;
    this.#disk = disk;
  }

  get(args: Arguments, options: ProgramOptions): Instance {
    return this.find(args, options).instance;
  }

  /** The compiled kernel for these arguments as they are now, and for the objects around the kernel as they are now. */
  find(args: Arguments, options: ProgramOptions): Found {
    const key = `${args.key}|${JSON.stringify(options)}`;
    const all = this.#byKey.get(key) ?? [];
    const known = all.find(({ reads }) => !reads || reads.holds(args.objects));
    if (known && known === all[0]) return known;
    const found = known ?? this.#make(args, options, all);
    this.#byKey.set(key, [found, ...all.filter((other) => other !== found)].slice(0, keptOfOneKey));
    return found;
  }

  /** From the disk, where one like it was kept; else it is compiled, and kept there. `others`: those for the same arguments, when something around was another. */
  #make(args: Arguments, options: ProgramOptions, others: readonly Kept[]): Kept {
    const disk = this.#source.options.cacheKey === undefined || others.length > 0 ? undefined : this.#disk();
    const key = disk?.keyOf(this.#source, args, options);
    const known = key === undefined ? undefined : disk?.get(key);
    if (known) return { instance: this.#instance(args, options, known, undefined), reads: undefined, traced: undefined };
    const made = this.#trace(args, options, others);
    if (key !== undefined) disk?.put(key, executableOf(made.instance.artifact()));
    return made;
  }

  /** Traces, and compiles what is new: where the same was traced before, that is the kernel. */
  #trace(args: Arguments, options: ProgramOptions, others: readonly Kept[]): Kept {
    const reads = new OuterReads();
    const told = this.#source.options.cacheKey !== undefined;
    const input = { ...traceInput(this.#source, args, options), outer: { objects: args.objects, told, reads } };
    const remarks: Remark[] = [];
    let graph: Graph | undefined;
    const trace: Tracing = (onRemark) => {
      graph ??= traceKernel(input, (remark) => remarks.push(remark));
      remarks.forEach(onRemark);
      return graph;
    };
    const traced = (): string =>
      cacheKey([
        tracedText(
          input,
          trace(() => {}),
          { spans: true },
        ),
      ]);
    const same = others.length > 0 && others.find((other) => other.traced === traced());
    if (same) return { ...same, reads };
    const artifact = this.#compiled(compileShown(input, trace));
    const instance = this.#instance(args, options, executableOf(artifact), artifact);
    return reads.isEmpty ? { instance, reads: undefined, traced: undefined } : { instance, reads, traced: traced() };
  }

  #compiled(artifact: Artifact): Artifact {
    checkCooperative(this.#source, artifact.graph);
    return artifact;
  }

  #instance(args: Arguments, options: ProgramOptions, executable: Executable, made: Artifact | undefined): Instance {
    let artifact = made;
    return {
      ...executable,
      options,
      cooperative: this.#source.options.cooperative ?? false,
      artifact: () => {
        artifact ??= this.#compiled(compileShown(traceInput(this.#source, args, options)));
        if (artifact.ptx !== executable.ptx) refuseOther(this.#source);
        return artifact;
      },
      modules: new WeakMap(),
    };
  }

  stages(args: Arguments, compiled: Instance): readonly Stage[] {
    return stagesOf(traceInput(this.#source, args, compiled.options), compiled.ptx);
  }

  trace(args: Arguments, options: ProgramOptions): string {
    return traceText(traceInput(this.#source, args, options));
  }
}
