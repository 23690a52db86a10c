import { exactMethods, noSpans, type Spans, type WarpsmithError } from "../base/diag/index.ts";
import { checkAddress, firstAddress, type Im2colMap, type TiledMap } from "../base/tensor-map.ts";
import type { DType, Element, Shape } from "../base/types.ts";
import type { BackendStream, DeviceBackend, ModuleImage } from "./backend.ts";
import { captureGraph, recordLaunch } from "./capture.ts";
import { elementBytes } from "./dtype.ts";
import { settleUntold, tell, watchEnd } from "./end-of-process.ts";
import { fail } from "./errors/index.ts";
import { authorStream, type Capture, checkOpen, type Home, RuntimeStream, refuseCaptured, Storage, settle } from "./home.ts";
import { countElements } from "./shape.ts";
import { allocateTensor, MemoryTensor, memoryOf, tensorIn } from "./tensor.ts";
import { foreignTensor } from "./tensor-at.ts";
import type { Device, DeviceTensor, Graph, Stream, TensorAtOptions } from "./types.ts";

const openHomes = new Set<Home>();
/** Whether the end of the process is watched, for as long as it lasts. */
let watched = false;

/** The public device over any backend. */
export class RuntimeDevice implements Device {
  readonly home: Home;

  constructor(backend: DeviceBackend) {
    this.home = {
      device: this,
      backend,
      storages: new Set<Storage>(),
      foreign: new Map<bigint, Storage>(),
      streams: new Set<RuntimeStream>(),
      settled: new Set<() => void>(),
      untold: [],
      epoch: 0,
      launches: 0,
      closed: false,
      capture: undefined,
    };
    openHomes.add(this.home);
    if (!watched) watchEnd(openHomes);
    watched = true;
  }

  get kind(): "cuda" | "emulator" {
    return this.home.backend.kind;
  }

  get name(): string {
    return this.home.backend.name;
  }

  get multiprocessors(): number {
    return this.home.backend.multiprocessors;
  }

  tensor<D extends DType, const S extends Shape>(dtype: D, shape: S, data: ArrayLike<Element<D>>): DeviceTensor<D, S["length"]> {
    const tensor = this.empty(dtype, shape);
    try {
      tensor.write(data);
    } catch (error) {
      tensor.dispose();
      throw error;
    }
    return tensor;
  }

  empty<D extends DType, const S extends Shape>(dtype: D, shape: S): DeviceTensor<D, S["length"]> {
    return allocateTensor(this.home, dtype, shape);
  }

  zeros<D extends DType, const S extends Shape>(dtype: D, shape: S): DeviceTensor<D, S["length"]> {
    const tensor = allocateTensor(this.home, dtype, shape);
    const { backend } = this.home;
    const bytes = countElements(shape) * elementBytes(dtype);
    backend.fill(backend.defaultStream, tensor.address(), new Uint8Array(1), bytes);
    return tensor;
  }

  tensorAt<D extends DType, const S extends Shape>(
    dtype: D,
    shape: S,
    address: bigint,
    options: TensorAtOptions = {},
  ): DeviceTensor<D, S["length"]> {
    return foreignTensor(this.home, dtype, shape, address, options);
  }

  stream(): Stream {
    return new RuntimeStream(this.home);
  }

  capture(record: () => void): Graph {
    return captureGraph(this.home, record);
  }

  sync(): Promise<void> {
    refuseCaptured(this.home, "Waiting for the device");
    return this.#synchronized();
  }

  async #synchronized(): Promise<void> {
    checkOpen(this.home);
    await settle(this.home, this.home.backend.synchronize());
  }

  /** Waits, frees everything, and then throws what went wrong on the device if nobody has heard of it yet. */
  dispose(): Promise<void> {
    refuseCaptured(this.home, "Disposing the device");
    return this.#close();
  }

  async #close(): Promise<void> {
    const { home } = this;
    if (home.closed) return;
    // The error of the first is on its way to the author: a second one that is thrown here would hide it.
    const behind = await home.backend.failedBehind?.();
    if (behind !== undefined) tell(behind);
    const failure = await settleUntold(home);
    home.closed = true;
    openHomes.delete(home);
    for (const storage of home.storages) storage.freed = true;
    home.storages.clear();
    home.foreign.clear();
    home.streams.clear();
    await home.backend.dispose();
    if (failure !== undefined) throw failure;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Read where `using` takes the device, which a device cannot end at once: no type says that it is there. W7536. */
  get [Symbol.dispose](): never {
    return fail("W7536", {});
  }
}
exactMethods(RuntimeDevice);

/** Devices that have been opened and not disposed, oldest first. */
export const openDevices = (): readonly Device[] => [...openHomes].map((home) => home.device);

/** Whether a value is a tensor in device memory. */
export const isDeviceTensor = (value: unknown): value is DeviceTensor => value instanceof MemoryTensor;

function homeOf(device: Device, spans: Spans): Home {
  return device instanceof RuntimeDevice ? device.home : fail("W7023", { what: "device" }, spans);
}

/** The backend of an open device. W7007, W7023. */
export function backendOf(device: Device, spans: Spans = noSpans): DeviceBackend {
  const home = homeOf(device, spans);
  checkOpen(home, spans);
  return home.backend;
}

/** The variables of a module as memory of a device. */
export interface VariableMemory {
  /** Stands for all of them where a launch says what it uses: what the host does with them is in order with it. */
  readonly all: DeviceTensor;
  /** A variable, or a part of it. W7002, W7003. */
  tensor<D extends DType, const S extends Shape>(dtype: D, shape: S, address: bigint): DeviceTensor<D, S["length"]>;
}

export function variableMemory(device: Device, image: ModuleImage): VariableMemory {
  const storage = Storage.of(homeOf(device, noSpans), image);
  const tensor: VariableMemory["tensor"] = (dtype, shape, address) => tensorIn(storage, dtype, shape, Number(address));
  return { all: tensor("u8", [1], 0n), tensor };
}

/** The capture that runs on that device. */
export const captureOf = (device: Device): Capture | undefined => homeOf(device, noSpans).capture;

/** Refuses what no graph can hold while one is captured on that device: `what` begins a sentence. W7029. */
export const refuseInCapture = (device: Device, what: string, spans: Spans): void =>
  refuseCaptured(homeOf(device, spans), what, spans);

/** Calls `tell` whenever a wait for the device (`read`, `sync`, `dispose`) ends; gives what stops it. */
export function onSettled(device: Device, tell: () => void): () => void {
  const { settled } = homeOf(device, noSpans);
  settled.add(tell);
  return () => settled.delete(tell);
}

/** The next wait for the device throws it, if it ends well itself. */
export function failLater(device: Device, error: WarpsmithError): void {
  homeOf(device, noSpans).untold.push(error);
}

/** Where the first element of a tensor lies on its device. W7006, W7007, W7023. */
export const addressOf = (tensor: DeviceTensor, spans: Spans = noSpans): bigint =>
  memoryOf(tensor, undefined, spans)[firstAddress](spans);

/** Bytes of a tensor's memory from its first element on; undefined where somebody else has allocated it. W7006, W7007, W7023. */
export const roomOf = (tensor: DeviceTensor, spans: Spans = noSpans): number | undefined =>
  memoryOf(tensor, undefined, spans).room(spans);

/** The elements of a tensor as they lie in memory, in row-major order of the view. Waits for the stream. W7006, W7007, W7023, W7055. */
export const readBytes = (tensor: DeviceTensor, spans: Spans = noSpans): Promise<Uint8Array> =>
  memoryOf(tensor, undefined, spans).readBytes();

/** Where a launch runs: where its tensors live; without tensors, on the device named or the only open one. W7012, W7013. */
export function chooseDevice(tensors: readonly DeviceTensor[], named: Device | undefined, spans: Spans = noSpans): Device {
  if (named !== undefined) homeOf(named, spans);
  let chosen = named;
  for (const tensor of tensors) {
    if (chosen === undefined) chosen = tensor.device;
    else if (tensor.device !== chosen) fail("W7012", { first: chosen.name, second: tensor.device.name }, spans);
  }
  if (chosen !== undefined) return chosen;
  const [only] = openHomes;
  return only !== undefined && openHomes.size === 1 ? only.device : fail("W7013", { open: openHomes.size }, spans);
}

/**
 * Puts a launch in order with every other use of its tensors (those behind tensor maps included) and gives the stream for it.
 * W7006 disposed tensor, W7007 disposed device, W7012 foreign tensor or stream, W7014 disposed stream.
 */
export function prepareStream(
  device: Device,
  stream: Stream | undefined,
  tensors: readonly DeviceTensor[],
  spans: Spans = noSpans,
): BackendStream {
  const home = homeOf(device, spans);
  checkOpen(home, spans);
  if (home.capture) return recordLaunch(home, home.capture, { stream, tensors }, spans);
  const own = stream === undefined ? undefined : authorStream(stream, home, spans);
  home.launches += 1;
  for (const tensor of tensors) memoryOf(tensor, home, spans).order(own, spans);
  return own === undefined ? home.backend.defaultStream : own.handle;
}

/** The 128 bytes of a map over memory that begins at `address`. W4003. */
export function encodeMap(
  backend: DeviceBackend,
  address: bigint,
  map: TiledMap | Im2colMap,
  spans: Spans = noSpans,
): Uint8Array {
  checkAddress(address, map.interleave, spans);
  return backend.encodeTensorMap(address, map);
}
