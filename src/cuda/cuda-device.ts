import type { Environment } from "../base/env.ts";
import { type Target, targetOf } from "../base/target.ts";
import { type Im2colMap, mapBytes, type TiledMap } from "../base/tensor-map.ts";
import type {
  BackendEvent,
  BackendGraph,
  BackendStream,
  DeviceBackend,
  ForeignMemory,
  Launch,
  LoadedModule,
  MappedMemory,
  ModuleImage,
  ModuleOptions,
  ParameterBlock,
  WatchRecords,
} from "../runtime/index.ts";
import { createModuleCache, type ModuleCache } from "../runtime/index.ts";
import { deviceAttribute, hostAlloc, streamNonBlocking } from "./constants.ts";
import { CudaContext, CudaStream } from "./context.ts";
import { retainContext } from "./core-dump/dump-file.ts";
import { CudaParameters, DriverLaunches } from "./driver-launches.ts";
import { fail } from "./errors.ts";
import { CudaEvent, CudaEvents } from "./events.ts";
import { CudaGraph, CudaGraphs } from "./graphs.ts";
import { CudaImages } from "./images.ts";
import { encodeInto } from "./map-encoder.ts";
import { DeviceMemory } from "./memory.ts";
import { memoryAt } from "./memory-at.ts";
import { CudaModule, createAssembler, createModuleLoader } from "./module-loader.ts";
import { orRefuse, take32, take64, textOf } from "./out-values.ts";
import { describeResult, isFatal } from "./results.ts";
import { RetiredModules } from "./retired-modules.ts";
import { Staging } from "./staging.ts";
import type { DriverLibrary } from "./symbols.ts";
import { CudaTextures } from "./textures.ts";
import { Watchdog } from "./watchdog.ts";

/** Bytes of a pattern that the driver cannot repeat, copied at once. */
const filledAtOnce = 2 ** 26;

/** One GPU through the CUDA driver. Opened by `openCudaDevice`. */
class CudaDevice implements DeviceBackend {
  readonly kind = "cuda";
  readonly name: string;
  readonly multiprocessors: number;
  readonly target: Target;
  readonly l2Bytes: number;
  readonly defaultStream: CudaStream;
  readonly textures: CudaTextures;
  readonly #release: () => void;
  readonly #context: CudaContext;
  readonly #watchdog: Watchdog;
  readonly #events: CudaEvents;
  readonly #staging: Staging;
  readonly #memory: DeviceMemory;
  readonly #launcher: DriverLaunches;
  readonly #graphs: CudaGraphs;
  readonly #modules: ModuleCache;
  readonly #images: CudaImages;
  readonly #retired: RetiredModules;
  readonly #mapped = new Set<MappedMemory>();

  /** `release` lets go of the context. */
  constructor(context: CudaContext, environment: Environment, device: number, release: () => void) {
    const { driver } = context;
    this.#release = release;
    const attribute = (which: number): number =>
      take32(
        (out) => driver.cuDeviceGetAttribute(out, which, device),
        (code) => context.check(code, "describe itself"),
      );
    this.#context = context;
    this.name = context.name;
    this.multiprocessors = attribute(deviceAttribute.multiprocessors);
    this.target = targetFor(
      context.name,
      attribute(deviceAttribute.computeCapabilityMajor),
      attribute(deviceAttribute.computeCapabilityMinor),
    );
    this.l2Bytes = attribute(deviceAttribute.l2Bytes);
    this.textures = new CudaTextures(context);
    this.#watchdog = new Watchdog(context);
    this.#events = new CudaEvents(context, this.#watchdog);
    this.defaultStream = this.createStream();
    this.#staging = new Staging(context, this.#events);
    this.#memory = new DeviceMemory(context, device, this.defaultStream, attribute(deviceAttribute.memoryPoolsSupported) === 1);
    this.#launcher = new DriverLaunches(context);
    this.#graphs = new CudaGraphs(context);
    this.#retired = new RetiredModules(context, this.#events);
    const assemble = createAssembler(context, this.target, environment);
    const retire = (module: bigint): void => this.#retired.add(module);
    this.#modules = createModuleCache(createModuleLoader(context, assemble, retire));
    this.#images = new CudaImages(context, assemble, retire);
  }

  watchRecords(): WatchRecords {
    return this.#watchdog.records();
  }

  allocate(bytes: number): bigint {
    return this.#memory.allocate(bytes);
  }

  free(address: bigint): void {
    this.#memory.free(address);
  }

  mapped(bytes: number): MappedMemory {
    const { driver, memory } = this.#context;
    this.#context.enter();
    const check = (code: number): void => this.#context.check(code, `share ${bytes} bytes of the host's memory`);
    const host = take64((out) => driver.cuMemHostAlloc(out, bytes, hostAlloc.portable | hostAlloc.deviceMap), check);
    const address = take64((out) => driver.cuMemHostGetDevicePointer_v2(out, host, 0), check);
    const view = memory.viewOf(host, bytes).fill(0);
    const mapped: MappedMemory = {
      address,
      bytes: view,
      free: () => {
        if (this.#mapped.delete(mapped)) driver.cuMemFreeHost(host);
      },
    };
    this.#mapped.add(mapped);
    return mapped;
  }

  memoryAt(address: bigint, bytes: number): ForeignMemory {
    return memoryAt(this.#context, address, bytes);
  }

  createStream(): CudaStream {
    const { driver, streams } = this.#context;
    this.#context.enter();
    const handle = take64(
      (out) => driver.cuStreamCreate(out, streamNonBlocking),
      (code) => this.#context.check(code, "make a stream"),
    );
    const stream = new CudaStream(handle);
    streams.add(stream);
    return stream;
  }

  /** The driver finishes what the stream still has to do. */
  destroyStream(stream: BackendStream): void {
    const own = streamOf(stream);
    for (const launch of own.pending) this.defaultStream.add(launch);
    this.#context.streams.delete(own);
    this.#context.driver.cuStreamDestroy_v2(own.handle);
  }

  orderAfter(stream: BackendStream, other: BackendStream): void {
    const event = this.#events.recordNow(streamOf(other));
    this.#context.check(this.#context.driver.cuStreamWaitEvent(streamOf(stream).handle, event.handle, 0), "order two streams");
    this.#events.release(event);
  }

  upload(stream: BackendStream, address: bigint, bytes: Uint8Array): void {
    this.#context.enter();
    const own = streamOf(stream);
    const pinned = this.#staging.acquire(bytes.length);
    pinned.bytes.set(bytes);
    this.#context.check(
      this.#context.driver.cuMemcpyHtoDAsync_v2(address, pinned.address, bytes.length, own.handle),
      "copy to the device",
    );
    this.#staging.releaseAfter(pinned, own);
  }

  async download(stream: BackendStream, address: bigint, bytes: number): Promise<Uint8Array> {
    this.#context.enter();
    const own = streamOf(stream);
    const pinned = this.#staging.acquire(bytes);
    try {
      this.#context.check(
        this.#context.driver.cuMemcpyDtoHAsync_v2(pinned.address, address, bytes, own.handle),
        "copy from the device",
      );
      await this.#events.drain(own);
      return pinned.bytes.slice(0, bytes);
    } finally {
      this.#staging.release(pinned);
    }
  }

  copy(stream: BackendStream, to: bigint, from: bigint, bytes: number): void {
    this.#context.enter();
    const code = this.#context.driver.cuMemcpyDtoDAsync_v2(to, from, bytes, streamOf(stream).handle);
    this.#context.check(code, "copy within the device");
  }

  fill(stream: BackendStream, address: bigint, pattern: Uint8Array, count: number): void {
    const code = this.#memory.fill(streamOf(stream), address, pattern, count);
    if (code !== undefined) {
      this.#context.check(code, "fill memory");
      return;
    }
    const most = Math.min(count, filledAtOnce / pattern.length);
    const bytes = new Uint8Array(pattern.length * most);
    bytes.set(pattern);
    for (let at = pattern.length; at < bytes.length; at *= 2) bytes.copyWithin(at, 0, at);
    for (let done = 0; done < count; done += most) {
      const part = bytes.subarray(0, Math.min(most, count - done) * pattern.length);
      this.upload(stream, address + BigInt(done * pattern.length), part);
    }
  }

  loadModule(ptx: string, options: ModuleOptions): LoadedModule {
    this.#context.enter();
    this.#events.untilWatchedHaveEnded();
    return this.#modules.load(ptx, options);
  }

  loadImage(ptx: string, file: string): ModuleImage {
    this.#events.untilWatchedHaveEnded();
    return this.#images.load(ptx, file);
  }

  parameters(module: LoadedModule): ParameterBlock {
    return new CudaParameters(this.#context.memory, module.parameterBytes);
  }

  launch(launch: Launch): void {
    const { module, parameters } = launch;
    if (!(module instanceof CudaModule && parameters instanceof CudaParameters)) fail("W7023", { what: "kernel" }, launch.spans);
    this.#launcher.launch(launch, module, parameters, streamOf(launch.stream));
  }

  capture(record: (stream: BackendStream) => void): BackendGraph {
    return this.#graphs.capture(record);
  }

  launchGraph(graph: BackendGraph, stream: BackendStream): void {
    this.#graphs.launch(graphOf(graph), streamOf(stream));
  }

  destroyGraph(graph: BackendGraph): void {
    this.#graphs.destroy(graphOf(graph));
  }

  encodeTensorMap(address: bigint, map: TiledMap | Im2colMap): Uint8Array {
    const { driver, memory } = this.#context;
    this.#context.enter();
    const bytes = new Uint8Array(mapBytes);
    this.#context.check(encodeInto(bytes, driver, memory, address, map), "make a tensor map");
    return bytes;
  }

  createEvent(): BackendEvent {
    return this.#events.create(true);
  }

  record(event: BackendEvent, stream: BackendStream): void {
    this.#events.record(eventOf(event), streamOf(stream));
  }

  passed(event: BackendEvent): boolean {
    return this.#events.look(eventOf(event)) !== "pending";
  }

  reached(event: BackendEvent): Promise<void> {
    return this.#events.reached(eventOf(event));
  }

  elapsed(from: BackendEvent, to: BackendEvent): number {
    this.#context.enter();
    const milliseconds = new Float32Array(1);
    const code = this.#context.driver.cuEventElapsedTime(milliseconds, eventOf(from).handle, eventOf(to).handle);
    this.#context.check(code, "compare two events");
    return (milliseconds[0] ?? 0) * 1000;
  }

  destroyEvent(event: BackendEvent): void {
    this.#events.destroy(eventOf(event));
  }

  async synchronize(stream?: BackendStream): Promise<void> {
    const streams = stream ? [streamOf(stream)] : [...this.#context.streams];
    for (const each of streams) await this.#events.drain(each);
  }

  untold(): unknown {
    return this.#context.untold;
  }

  async dispose(): Promise<void> {
    const { driver, streams } = this.#context;
    await this.#events.settleAll();
    if (this.#context.hung) return this.#context.leave();
    if (!this.#context.lost) this.#context.enter();
    this.#watchdog.dispose();
    this.#graphs.dispose();
    this.#staging.dispose();
    for (const mapped of [...this.#mapped]) mapped.free();
    this.#modules.clear();
    this.#images.clear();
    this.#retired.dispose();
    this.#memory.dispose();
    this.#events.dispose();
    for (const stream of streams) driver.cuStreamDestroy_v2(stream.handle);
    streams.clear();
    this.#context.leave();
    this.#release();
  }
}

function targetFor(device: string, major: number, minor: number): Target {
  const reason = `kernels cannot be compiled for compute capability ${major}.${minor}`;
  return targetOf([major, minor]) ?? fail("W8004", { which: device, reason });
}

function streamOf(stream: BackendStream): CudaStream {
  return stream instanceof CudaStream ? stream : fail("W7023", { what: "stream" });
}

function graphOf(graph: BackendGraph): CudaGraph {
  return graph instanceof CudaGraph ? graph : fail("W7023", { what: "graph" });
}

function eventOf(event: BackendEvent): CudaEvent {
  return event instanceof CudaEvent ? event : fail("W7023", { what: "event" });
}

/** Opens device number `index`: retains its primary context. W8004 where the driver refuses. */
export function openCudaDevice(library: DriverLibrary, index: number, environment: Environment): CudaDevice {
  const { driver } = library;
  const check = (code: number): void => {
    if (isFatal(code)) fail("W8012", { which: `cuda:${index}`, reason: describeResult(code) });
    try {
      orRefuse(code);
    } catch (error) {
      fail("W8004", { which: `cuda:${index}`, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  check(driver.cuInit(0));
  const device = take32((out) => driver.cuDeviceGet(out, index), check);
  const name = new Uint8Array(256);
  check(driver.cuDeviceGetName(name, name.length, device));
  const letGo = (): void => void driver.cuDevicePrimaryCtxRelease_v2(device);
  const retain = (): CudaContext => {
    const handle = take64((out) => driver.cuDevicePrimaryCtxRetain(out, device), check);
    const made = new CudaContext(library, textOf(name), handle);
    try {
      made.enter();
      return made;
    } catch (error) {
      letGo();
      throw error;
    }
  };
  // Behind a launch that was stopped a wait may pass, with wrong data, before there is a dump: whoever has not asked for them gets the driver's own error, which comes first.
  const dumps = environment.watch !== undefined && environment.watch !== "off";
  const { context, dump, release } = retainContext(driver, device, { retain, release: letGo, dumps });
  context.dump = dump;
  try {
    return new CudaDevice(context, environment, device, release);
  } catch (error) {
    context.leave();
    release();
    throw error;
  }
}
