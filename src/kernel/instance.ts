import { type Artifact, traceText } from "../compile.ts";
import { display, fail, isClass } from "../diag/index.ts";
import type { TraceInput } from "../dsl/trace-kernel.ts";
import type { Graph, ProgramOptions } from "../ir/index.ts";
import { RecentlyUsed } from "../recently-used.ts";
import type { DeviceBackend, LoadedModule } from "../runtime/backend.ts";
import { checkLaunchShape, normalizeDim } from "../runtime/launch-config.ts";
import { defaultTarget } from "../target.ts";
import type { Dim, Dim3 } from "../types.ts";
import type { Arguments } from "./arguments.ts";
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

/** The compiled kernels of one kernel value, by their static values: those that were used last. */
export class Instances {
  readonly #source: KernelSource;
  readonly #disk: () => ExecutableCache | undefined;
  readonly #byKey = new RecentlyUsed<string, Instance>(kept);

  constructor(source: KernelSource, disk = usualExecutableCache) {
    this.#source = source;
    this.#disk = disk;
  }

  get(args: Arguments, options: ProgramOptions): Instance {
    const key = `${args.key}|${JSON.stringify(options)}`;
    const instance = this.#byKey.get(key) ?? this.#make(args, options);
    this.#byKey.set(key, instance);
    return instance;
  }

  /** From the disk, where one like it was kept; else it is compiled, and kept there. */
  #make(args: Arguments, options: ProgramOptions): Instance {
    const disk = this.#source.options.cacheKey === undefined ? undefined : this.#disk();
    const key = disk?.keyOf(this.#source, args, options);
    const known = key === undefined ? undefined : disk?.get(key);
    if (known) return this.#instance(args, options, known, undefined);
    const artifact = this.#compile(args, options);
    const executable = executableOf(artifact);
    if (key !== undefined) disk?.put(key, executable);
    return this.#instance(args, options, executable, artifact);
  }

  #compile(args: Arguments, options: ProgramOptions): Artifact {
    const artifact = compileShown(traceInput(this.#source, args, options));
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
        artifact ??= this.#compile(args, options);
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
