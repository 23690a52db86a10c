import { cacheKey, type DiskCache, openDiskCache } from "../base/disk-cache.ts";
import type { Environment } from "../base/env.ts";
import type { Target } from "../base/target.ts";
import type { Loaded, LoadedModule, ModuleOptions } from "../runtime/index.ts";
import { functionAttribute, jitOption } from "./constants.ts";
import type { CudaContext } from "./context.ts";
import { fail } from "./errors.ts";
import { take32, take64, textOf } from "./out-values.ts";
import { openPtxas, type Ptxas } from "./ptxas.ts";
import { describeResult, success } from "./results.ts";
import type { Driver, HostMemory } from "./symbols.ts";

/** A kernel in the device's memory. */
export class CudaModule implements LoadedModule {
  readonly kernel: string;
  readonly entry: string;
  readonly handle: bigint;
  readonly registers: number;
  readonly spillBytes: number;
  readonly staticSharedBytes: number;
  readonly assemblerLog: string | undefined;
  readonly maxThreads: number;
  readonly parameterBytes: readonly number[];
  readonly #context: CudaContext;
  /** What leaves the device when nobody holds it. */
  readonly image: object | undefined;

  constructor(context: CudaContext, { module, log }: Assembled, options: ModuleOptions, image?: object) {
    const { driver } = context;
    this.#context = context;
    this.image = image;
    this.assemblerLog = log;
    this.kernel = options.kernel;
    this.entry = options.entry;
    this.parameterBytes = options.parameterBytes;
    const check = (code: number): void => refuse(context, code, options.kernel);
    this.handle = take64((out) => driver.cuModuleGetFunction(out, module, options.entry), check);
    const attribute = (which: number): number => take32((out) => driver.cuFuncGetAttribute(out, which, this.handle), check);
    const set = (which: number, value: number): void => check(driver.cuFuncSetAttribute(this.handle, which, value));
    if (options.dynamicSharedBytes > 0) set(functionAttribute.maxDynamicSharedBytes, options.dynamicSharedBytes);
    if (options.nonPortableCluster) set(functionAttribute.nonPortableClusterAllowed, 1);
    this.registers = attribute(functionAttribute.registers);
    this.spillBytes = attribute(functionAttribute.localBytes);
    this.staticSharedBytes = attribute(functionAttribute.sharedBytes);
    this.maxThreads = attribute(functionAttribute.maxThreadsPerBlock);
  }

  blocksPerSM(threads: number, dynamicSharedBytes: number): number {
    this.#context.enter();
    return take32(
      (out) => this.#context.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(out, this.handle, threads, dynamicSharedBytes),
      (code) => this.#context.check(code, "say how many blocks fit a multiprocessor"),
    );
  }
}

function refuse(context: CudaContext, code: number, kernel: string, log = ""): void {
  if (code === success) return;
  context.checkFatal(code);
  const lines = log.trim();
  fail("W8006", { kernel, reason: describeResult(code), log: lines === "" ? "" : `\n  ${lines.replaceAll("\n", "\n  ")}` });
}

/** A module on the device, and what its assembler printed where it was asked. */
export interface Assembled {
  readonly module: bigint;
  readonly log?: string | undefined;
}

/** Brings PTX onto the device. `name`: what messages call it. */
export type Assemble = (ptx: string, name: string) => Assembled;

/** Through the driver's own assembler, which has a cache of its own, or through `ptxas` where one is named, whose images are kept in our disk cache. */
export function createAssembler(context: CudaContext, target: Target, environment: Environment): Assemble {
  const cache = openDiskCache(environment.cache, "cubin");
  const ptxas = environment.ptxas === undefined ? undefined : openPtxas(environment.ptxas);
  return (ptx, name) => {
    context.enter();
    return ptxas ? loadAssembled(context, ptx, name, { ptxas, target: target.name, cache }) : loadByDriver(context, ptx, name);
  };
}

/** How PTX becomes a kernel. `retire` gets what nobody can launch any more. */
export function createModuleLoader(
  context: CudaContext,
  assemble: Assemble,
  retire: (module: bigint) => void,
): (ptx: string, options: ModuleOptions) => Loaded {
  return (ptx, options) => {
    const given = loadGiven(context, options.image);
    const made = given === undefined ? assemble(ptx, options.kernel) : { module: given };
    try {
      return { module: new CudaModule(context, made, options), unload: retiring(made.module, retire) };
    } catch (error) {
      context.driver.cuModuleUnload(made.module);
      throw error;
    }
  };
}

/** By itself: a function written beside the module would keep it. */
const retiring = (module: bigint, retire: (module: bigint) => void) => () => retire(module);

function loadByDriver(context: CudaContext, ptx: string, name: string): Assembled {
  const { code, module, log, info } = loadPtx(context.driver, context.memory, ptx);
  refuse(context, code, name, log);
  return { module, log: info };
}

interface Assembler {
  readonly ptxas: Ptxas;
  readonly target: string;
  readonly cache: DiskCache;
}

function loadAssembled(context: CudaContext, ptx: string, name: string, { ptxas, target, cache }: Assembler): Assembled {
  const key = cacheKey(["cubin", `ptxas ${ptxas.version}`, target, ptx]);
  const cached = cache.get(key);
  const known = cached && loadCached(context, cached);
  if (known !== undefined) return { module: known };
  const image = ptxas.assemble(ptx, target);
  const { code, module } = loadImage(context.driver, image);
  refuse(context, code, name);
  cache.put(key, image);
  return { module };
}

function loadGiven(context: CudaContext, image: Uint8Array | undefined): bigint | undefined {
  if (!image) return undefined;
  context.enter();
  return loadCached(context, image);
}

/** An image that the driver no longer takes is as good as none. */
function loadCached(context: CudaContext, image: Uint8Array): bigint | undefined {
  const { code, module } = loadImage(context.driver, image);
  context.checkFatal(code);
  return code === success ? module : undefined;
}

const logBytes = 16 * 1024;

interface LogOptions {
  readonly log: Uint8Array;
  readonly info: Uint8Array;
  readonly keys: Int32Array;
  readonly values: BigUint64Array;
}

/** Buffers for the assembler's errors and for what else it says, and line numbers for profilers. Options are numbers cast to pointers. */
function logOptions(memory: HostMemory): LogOptions {
  const [log, info] = [new Uint8Array(logBytes), new Uint8Array(logBytes)];
  const { errorLog, errorLogBytes, infoLog, infoLogBytes, lineInfo } = jitOption;
  const keys = Int32Array.of(errorLog, errorLogBytes, lineInfo, infoLog, infoLogBytes);
  const size = BigInt(logBytes);
  const values = BigUint64Array.of(memory.addressOf(log), size, 1n, memory.addressOf(info), size);
  return { log, info, keys, values };
}

const zeroTerminated = (text: string): Uint8Array => new TextEncoder().encode(`${text}\0`);

/** What the driver answers: its code, and the module where that says success. */
interface LoadResult {
  readonly code: number;
  readonly module: bigint;
}

/** Loads an assembled image. */
function loadImage(driver: Driver, image: Uint8Array): LoadResult {
  const out = new BigUint64Array(1);
  const code = driver.cuModuleLoadDataEx(out, image, 0, null, null);
  return { code, module: out[0] ?? 0n };
}

/**
 * Assembles and loads in one, with the assembler's log. The driver keeps what it made in a cache of its own. (Not through its linker, which would
 * give the image to keep: that compiles for later linking, where `setmaxnreg` is ignored, and large accumulators spill.)
 */
function loadPtx(driver: Driver, memory: HostMemory, ptx: string): LoadResult & { readonly log: string; readonly info: string } {
  const { log, info, keys, values } = logOptions(memory);
  const out = new BigUint64Array(1);
  const code = driver.cuModuleLoadDataEx(out, zeroTerminated(ptx), keys.length, keys, values);
  return { code, module: out[0] ?? 0n, log: textOf(log), info: textOf(info) };
}
