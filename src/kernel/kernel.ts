import { exactMembers, placeOnStack, refuseMore, sourceLine } from "../base/diag/index.ts";
import { printGraph } from "../ir/index.ts";
import { completing, sortArguments } from "./arguments.ts";
import { fail } from "./errors.ts";
import { Instances, shapeOf } from "./instance.ts";
import { Launcher } from "./launcher.ts";
import { checkKernelOptions } from "./options.ts";
import { reportOf } from "./report.ts";
import { type KernelSource, kernelSource } from "./source.ts";
import { type Assembled, assemble } from "./toolkit.ts";
import { makeTuned } from "./tune/autotune.ts";
import type { AutotuneOptions, Compiled, Kernel, KernelOptions, OpGraph, Stage, TunedKernel } from "./types.ts";
import { kernelValue, remember } from "./value.ts";

type Body = (...args: never[]) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: what a decorator accepts is every method
type Any = any;

const decorated = new WeakMap<Body, KernelOptions>();

/**
 * Turns a function into a kernel. The function literal is transformed where it stands; it needs no directive. W2601, W7506, W7507.
 *
 * TypeScript before 6.0 reads `grid: (x) => …` before it looks at a body written as `function name(…)`: there the arguments of such
 * an option are `any`, and those of the kernel are exact all the same. That is what the second parameter and the default are for.
 *
 * @example
 * ```ts
 * const double = kernel({ block: 128 }, (x: Tensor<"f32", 1>) => {
 *   const i = blockIdx.x * 128 + threadIdx.x;
 *   if (i < x.shape[0]) x[i] = x[i]! * 2;
 * });
 *
 * await using gpu = await openDevice();
 * const x = gpu.tensor("f32", [4], [1, 2, 3, 4]);
 * double.launch({ grid: cdiv(4, 128) }, x);
 * console.log(await x.read()); // Float32Array(4) [ 2, 4, 6, 8 ]
 * ```
 */
export function kernel<P extends readonly unknown[] = Any[], Q extends readonly unknown[] = P>(
  options: KernelOptions<Q>,
  body: (...args: P) => void,
): Kernel<P>;
/** Decorates a static method (TC39 decorators); another one is W7509. A decorator cannot change a type: `kernel(Class.method)` is the kernel. */
export function kernel(
  options: KernelOptions<Any[]>,
): <F extends (this: Any, ...args: Any[]) => void>(
  method: F,
  context: ClassMethodDecoratorContext<Any, F> & { readonly static: true },
) => F;
/** The kernel of a decorated static method. W7509. */
export function kernel<P extends readonly unknown[]>(decorated: (...args: P) => void): Kernel<P>;
export function kernel(first: KernelOptions | Body, body?: Body): unknown {
  refuseMore(kernel, arguments);
  if (typeof first === "function") {
    const options = decorated.get(first);
    return options ? makeKernel(kernelSource(options, first)) : fail("W7509", { method: first.name || "this function" });
  }
  checkKernelOptions(first);
  if (body) return makeKernel(kernelSource(first, body));
  return (method: Body, context?: { readonly static?: boolean }): Body => {
    if (context?.static === false) fail("W7509", { method: method.name });
    decorated.set(method, first);
    for (const member of kernelMembers) if (!(member in method)) Object.defineProperty(method, member, elsewhere(member));
    return method;
  };
}

/** What a kernel has, and a decorated method has not. */
const kernelMembers = ["launch", "compile", "trace", "at", "bench", "profile"] as const;

/** A member of a decorated method that says how to get its kernel. W7537. */
const elsewhere = (member: string): PropertyDescriptor => ({
  configurable: true,
  get(this: Body): never {
    const [here] = placeOnStack();
    const line = (here && sourceLine(here.file, here.line)) ?? "";
    const { name: method } = this;
    const written = line
      .match(/[\w$]+(?:\.[\w$]+)+/g)
      ?.find((name) => name.endsWith(`.${method}`) || name.endsWith(`.${method}.${member}`));
    return fail(
      "W7537",
      { method, written: written?.replace(`.${member}`, "") ?? `Class.${method}`, member },
      here ? [here] : [],
    );
  },
});

/** The kernel of a source that is made, not written: its parameters are known, and its body records itself. */
export function makeKernel(source: KernelSource): Kernel<Any[]> {
  const instances = new Instances(source);
  const launcher = new Launcher({ source, instances });
  const complete = completing(source);
  const members: Kernel<Any[]> = {
    name: source.name,
    launch: (config, ...args) => launcher.launch(config, complete(args)),
    compile: (...args) => compiled(source, instances, complete(args)),
    trace: (...given) => {
      const args = complete(given);
      const text = instances.trace(sortArguments(source, args), shapeOf(source, args).options);
      return { toString: () => text };
    },
    at: (...args) => ({ kernel: made, args: complete(args), open: true }),
    bench: (config, ...args) => launcher.bench(config, complete(args)),
    profile: (config, ...args) => launcher.profile(config, complete(args)),
  };
  const made = kernelValue(members);
  remember(made, { source, instances });
  return made;
}

/**
 * A kernel that chooses among configurations. The first launch with a key measures each of them on that device, and all launches with
 * that key use the fastest. What was found is kept as long as this value is, and in this process alone. `make` is called once for each
 * configuration that is tried. Measuring waits for the GPU and launches each configuration 4 to 21 times: give tensors that the kernel
 * changes in place to `restore`. The emulator has no time of a GPU: there it takes the first configuration that is not skipped and that
 * compiles, and says so once. Triton `triton.autotune`. W7540, W7541, W7542.
 *
 * @example
 * ```ts
 * const scale = autotune([{ block: 128 }, { block: 256 }], ({ block }) =>
 *   kernel({ block }, (x: Tensor<"f32", 1>) => {
 *     const i = blockIdx.x * block + threadIdx.x;
 *     if (i < x.shape[0]) x[i] = x[i]! * 2;
 *   }),
 *   { key: (x) => `${x.shape[0]}`, restore: (x) => [x] },
 * );
 * ```
 */
export function autotune<C, P extends readonly unknown[]>(
  configs: readonly C[],
  make: (config: C) => Kernel<P>,
  options: AutotuneOptions<P, C> = {},
): TunedKernel<P, C> {
  refuseMore(autotune, arguments);
  return makeTuned(configs, make, options);
}

function compiled(source: KernelSource, instances: Instances, args: readonly unknown[]): Compiled {
  const sorted = sortArguments(source, args);
  const shape = shapeOf(source, args);
  const instance = instances.get(sorted, shape.options);
  const { ptx, sharedBytes, options, artifact } = instance;
  let known: { readonly assembled: Assembled | undefined } | undefined;
  const assembled = (): Assembled | undefined => {
    known ??= { assembled: assemble(ptx, options.target) };
    return known.assembled;
  };
  let stages: readonly Stage[] | undefined;
  const graph: OpGraph = { toString: () => printGraph(artifact().graph) };
  return exactMembers<Compiled>({
    ptx,
    graph,
    get stages() {
      stages ??= instances.stages(sorted, instance);
      return stages;
    },
    get remarks() {
      return artifact().remarks();
    },
    resources: {
      sharedBytes,
      get registers() {
        return assembled()?.log.registers;
      },
      get spillBytes() {
        return assembled()?.log.spillStoreBytes;
      },
    },
    report: (options) => reportOf({ source, sorted, instance, grid: shape.grid, assembled }, options),
    sass: () => assembled()?.sass(),
  });
}
