import { checkOptions, display, fail, optionsOf, placeOnStack } from "../diag/index.ts";
import { own } from "../dsl/index.ts";
import { printGraph } from "../ir/index.ts";
import { refuseInCapture } from "../runtime/index.ts";
import { sortArguments } from "./arguments.ts";
import { benchmark } from "./bench.ts";
import { Instances, shapeOf } from "./instance.ts";
import { type Prepared, prepare, start } from "./launch.ts";
import { checkKernelOptions } from "./options.ts";
import { ReadyLaunches } from "./ready-launches.ts";
import { type KernelSource, kernelSource } from "./source.ts";
import { type Assembled, assemble } from "./toolkit.ts";
import type { BenchConfig, Compiled, Kernel, KernelOptions, LaunchConfig, OpGraph, Stage, Timing } from "./types.ts";

type Body = (...args: never[]) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: what a decorator accepts is every method
type Any = any;

const decorated = new WeakMap<Body, KernelOptions>();

/**
 * Turns a function into a kernel. The function literal is transformed where it stands; it needs no directive. W2601, W7506, W7507.
 *
 * TypeScript before 6.0 reads `grid: (x) => …` before it looks at a body written as `function name(…)`: there the arguments of such
 * an option are `any`, and those of the kernel are exact all the same. That is what the second parameter and the default are for.
 */
export function kernel<P extends readonly unknown[] = Any[], Q extends readonly unknown[] = P>(
  options: KernelOptions<Q>,
  body: (...args: P) => void,
): Kernel<P>;
/** Decorates a static method (TC39 decorators). A decorator cannot change a type: `kernel(Class.method)` is the kernel. */
export function kernel(
  options: KernelOptions<Any[]>,
): <F extends (this: Any, ...args: Any[]) => void>(
  method: F,
  context: ClassMethodDecoratorContext<Any, F> & { readonly static: true },
) => F;
/** The kernel of a decorated static method. W7509. */
export function kernel<P extends readonly unknown[]>(decorated: (...args: P) => void): Kernel<P>;
export function kernel(first: KernelOptions | Body, body?: Body): unknown {
  if (typeof first === "function") {
    const options = decorated.get(first);
    return options ? makeKernel(kernelSource(options, first)) : fail("W7509", { method: first.name || "this function" });
  }
  checkKernelOptions(first);
  if (body) return makeKernel(kernelSource(first, body));
  return (method: Body): Body => {
    decorated.set(method, first);
    return method;
  };
}

const launchNames = { grid: true, device: true, stream: true, overlapPrevious: true, onLog: true } as const;
const launchOptions = optionsOf<LaunchConfig>("launch()", launchNames);
const benchOptions = optionsOf<BenchConfig>("bench()", { ...launchNames, warmup: true, repeat: true, flush: true });

/** Refuses options of a launch that hold something else than their types say. W7046; devices and streams are refused where they are used. */
function checkLaunch(of: string, config: BenchConfig): void {
  const refuse = (option: string, given: unknown, expected: string) =>
    fail("W7046", { of, option, given: display(given), expected });
  const { onLog } = config;
  if (onLog !== undefined && typeof onLog !== "function") refuse("onLog", onLog, "a function that takes a line");
  for (const option of ["overlapPrevious", "flush"] as const) {
    const value = config[option];
    if (value !== undefined && typeof value !== "boolean") refuse(option, value, "true or false");
  }
}

/** Launches; the same arguments again cost little more than the driver's call. */
class Launcher {
  readonly #source: KernelSource;
  readonly #instances: Instances;
  readonly #ready: ReadyLaunches;
  #checked: LaunchConfig | undefined;

  constructor(source: KernelSource, instances: Instances) {
    this.#source = source;
    this.#instances = instances;
    this.#ready = new ReadyLaunches(source);
  }

  /** The launch for these arguments; a new one remembers where the author called. W75xx, W70xx. */
  prepare(config: LaunchConfig, args: readonly unknown[]): Prepared {
    const prepared = this.#ready.find(config, args) ?? this.#make(config, args);
    if (config.overlapPrevious && !prepared.instance.waitsForPrevious) fail("W7518", { kernel: this.#source.name });
    return prepared;
  }

  #make(config: LaunchConfig, args: readonly unknown[]): Prepared {
    // Written down at once: a stack that waits to be asked for keeps alive what its functions hold, tensors among it.
    const spans = placeOnStack();
    const prepared = prepare(this.#source, this.#instances, config, args, spans);
    this.#ready.add(prepared);
    return prepared;
  }

  launch(config: LaunchConfig, args: readonly unknown[]): void {
    // Some 20 ns, which one object that serves all launches does not cost each time.
    if (config !== this.#checked) {
      checkOptions(config, launchOptions);
      checkLaunch("launch()", config);
    }
    this.#checked = config;
    start(this.#source, this.prepare(config, args), config);
  }

  bench(config: BenchConfig, args: readonly unknown[]): Promise<Timing> {
    const spans = placeOnStack();
    let prepared: Prepared;
    try {
      checkOptions(config, benchOptions);
      checkLaunch("bench()", config);
      prepared = this.prepare(config, args);
    } catch (error) {
      return Promise.reject(error);
    }
    // Not in the promise, as with all that a capture refuses: one that nobody awaits would end the process.
    refuseInCapture(prepared.device, `${this.#source.name}.bench`, spans);
    return benchmark(this.#source.name, prepared.backend, () => start(this.#source, prepared, config), config, spans);
  }
}

function makeKernel(source: KernelSource): Kernel<Any[]> {
  const instances = new Instances(source);
  const launcher = new Launcher(source, instances);
  const called = own((): never => fail("W7510", { kernel: source.name }));
  const members: Kernel<Any[]> = {
    name: source.name,
    launch: (config, ...args) => launcher.launch(config, args),
    compile: (...args) => compiled(source, instances, args),
    trace: (...args) => {
      const text = instances.trace(sortArguments(source, args), shapeOf(source, args).options);
      return { toString: () => text };
    },
    bench: (config, ...args) => launcher.bench(config, args),
  };
  for (const [name, value] of Object.entries(members)) Object.defineProperty(called, name, { value, enumerable: true });
  return called as unknown as Kernel<Any[]>;
}

function compiled(source: KernelSource, instances: Instances, args: readonly unknown[]): Compiled {
  const sorted = sortArguments(source, args);
  const instance = instances.get(sorted, shapeOf(source, args).options);
  const { ptx, sharedBytes } = instance;
  let known: { readonly assembled: Assembled | undefined } | undefined;
  const assembled = (): Assembled | undefined => {
    known ??= { assembled: assemble(ptx, instance.graph.target) };
    return known.assembled;
  };
  let stages: readonly Stage[] | undefined;
  const graph: OpGraph = { toString: () => printGraph(instance.graph) };
  return {
    ptx,
    graph,
    get stages() {
      stages ??= instances.stages(sorted, instance);
      return stages;
    },
    resources: {
      sharedBytes,
      get registers() {
        return assembled()?.registers;
      },
      get spillBytes() {
        return assembled()?.spillBytes;
      },
    },
    sass: () => assembled()?.sass(),
  };
}
