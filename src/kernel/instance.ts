import { type Artifact, traceText } from "../compile.ts";
import { display, fail, isClass } from "../diag/index.ts";
import type { TraceInput } from "../dsl/trace-kernel.ts";
import { type Graph, type OpName, walkOps } from "../ir/index.ts";
import { RecentlyUsed } from "../recently-used.ts";
import type { DeviceBackend, LoadedModule } from "../runtime/backend.ts";
import { checkLaunchShape, normalizeDim } from "../runtime/launch-config.ts";
import type { Dim, Dim3 } from "../types.ts";
import type { Arguments } from "./arguments.ts";
import type { KernelSource } from "./source.ts";
import { compileShown, stagesOf } from "./stages.ts";
import type { From, Stage } from "./types.ts";

/** What the options say for one set of arguments. */
export interface Shape {
  readonly block: Dim3;
  readonly cluster: Dim3;
  /** Undefined where the options give none. */
  readonly grid: Dim3 | undefined;
  readonly dynamicShared: number;
}

/** A kernel compiled for one set of static values. */
export interface Instance extends Artifact {
  readonly shape: Shape;
  readonly debug: boolean;
  /** It has `gridDependency.wait()`, so that it may overlap the kernel before it. */
  readonly waitsForPrevious: boolean;
  /** It has `console.log`. */
  readonly prints: boolean;
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

/** Asks the options. W7015, W7017, W7019, W7511. */
export function shapeOf(source: KernelSource, args: readonly unknown[]): Shape {
  const { name, options } = source;
  const dim = (what: string, option: From<readonly unknown[], Dim>) => normalizeDim(`${what} of ${name}`, given(option, args));
  const dynamicShared = options.smem === undefined ? 0 : given(options.smem, args);
  if (!(Number.isSafeInteger(dynamicShared) && dynamicShared >= 0))
    fail("W7511", { kernel: name, option: "smem", value: display(dynamicShared), expected: "a whole number of bytes" });
  const block = dim("The block", options.block);
  const cluster: Dim3 = options.cluster === undefined ? [1, 1, 1] : dim("The cluster", options.cluster);
  // A grid of one cluster: the real one is not known before the launch.
  checkLaunchShape({ grid: cluster, block, cluster, nonPortableCluster: options.nonPortableCluster, sharedBytes: 0 });
  return {
    block,
    cluster,
    grid: options.grid === undefined ? undefined : dim("The grid", options.grid),
    dynamicShared,
  };
}

function traceInput(source: KernelSource, args: Arguments, shape: Shape, debug: boolean): TraceInput {
  const { options } = source;
  return {
    name: source.name,
    body: source.body,
    span: source.span,
    params: args.params,
    assemble: args.assemble,
    launch: {
      block: shape.block,
      cluster: shape.cluster,
      ...(options.registers === undefined ? {} : { registers: options.registers }),
      ...(options.blocksPerSM === undefined ? {} : { blocksPerSM: options.blocksPerSM }),
    },
    dynamicShared: shape.dynamicShared,
    debug,
    contract: options.contract ?? false,
  };
}

function hasOp({ body }: Graph, name: OpName): boolean {
  let found = false;
  walkOps(body, (op) => {
    found ||= op.name === name;
  });
  return found;
}

/** How many compiled kernels a kernel value keeps: of those for matrices of warpsmith/kernels, about 0.3 MB each. */
const kept = 256;

/** The compiled kernels of one kernel value, by their static values: those that were used last. */
export class Instances {
  readonly #source: KernelSource;
  readonly #byKey = new RecentlyUsed<string, Instance>(kept);

  constructor(source: KernelSource) {
    this.#source = source;
  }

  get(args: Arguments, shape: Shape, debug: boolean): Instance {
    const key = `${args.key}|${shape.block}|${shape.cluster}|${shape.dynamicShared}|${debug}`;
    let instance = this.#byKey.get(key);
    if (!instance) {
      const artifact = compileShown(traceInput(this.#source, args, shape, debug));
      instance = {
        ...artifact,
        shape,
        debug,
        waitsForPrevious: hasOp(artifact.graph, "griddepcontrol.wait"),
        prints: hasOp(artifact.graph, "log"),
        modules: new WeakMap(),
      };
      this.#byKey.set(key, instance);
    }
    return instance;
  }

  stages(args: Arguments, compiled: Instance): readonly Stage[] {
    return stagesOf(traceInput(this.#source, args, compiled.shape, compiled.debug), compiled);
  }

  trace(args: Arguments, shape: Shape): string {
    return traceText(traceInput(this.#source, args, shape, this.#source.options.debug ?? false));
  }
}
