/** The book-keeping that tensors, streams and their device share: which memory is alive, and in what order streams use it. */

import { exactMethods, noSpans, type Spans, type WarpsmithError } from "../base/diag/index.ts";
import type { DType, Shape } from "../base/types.ts";
import type { BackendStream, DeviceBackend } from "./backend.ts";
import { fail, makeError } from "./errors/index.ts";
import type { Device, Stream } from "./types.ts";

/** A graph in the making. */
export interface Capture {
  readonly stream: BackendStream;
  /** The memory of its launches, each with a tensor that lies there. */
  readonly uses: Map<Storage, { readonly dtype: DType; readonly shape: Shape }>;
  /** Called when the graph is disposed. */
  readonly disposed: (() => void)[];
  /** What has been refused, whatever the author made of the error. */
  refused: WarpsmithError | undefined;
}

export interface Home {
  readonly device: Device;
  readonly backend: DeviceBackend;
  readonly storages: Set<Storage>;
  /** Memory that somebody else allocated, by where its allocation begins: all tensors in one are in one order. */
  readonly foreign: Map<bigint, Storage>;
  readonly streams: Set<RuntimeStream>;
  /** Called when a wait for the device has ended, well or badly. */
  readonly settled: Set<() => void>;
  /** What went wrong on the host in work of the device, such as in a function of the author's, and waits to be told. */
  readonly untold: WarpsmithError[];
  /** Counts the uses of memory in the device's own stream. */
  epoch: number;
  /** Counts launches, those of graphs among them. */
  launches: number;
  closed: boolean;
  /** While `device.capture` runs the author's function. */
  capture: Capture | undefined;
}

/**
 * Refuses what no graph can hold while one is captured: `what` begins a sentence. What gives a promise calls it outside of the promise: a rejected one
 * that the author of the capture does not await would end the process. W7029.
 */
export function refuseCaptured({ capture }: Home, what: string, spans: Spans = noSpans): void {
  if (!capture) return;
  const error = makeError("W7029", { what }, spans);
  capture.refused ??= error;
  throw error;
}

/** Refuses a disposed device. W7007. */
export function checkOpen(home: Home, spans: Spans = noSpans): void {
  if (home.closed) fail("W7007", { name: home.backend.name }, spans);
}

/** Memory of a device. Its uses in the device's own stream are in order with those in every other stream. */
export class Storage {
  readonly home: Home;
  readonly address: bigint;
  /** How many there are; 0 where somebody else knows. */
  readonly bytes: number;
  /** What has to stay where it is as long as this memory is used: a module, of its variables. */
  readonly keeps: object | undefined;
  freed = false;
  /** `home.epoch` at the last use in the device's own stream. */
  #epoch: number;
  readonly #elsewhere = new Set<RuntimeStream>();

  private constructor(home: Home, address: bigint, bytes: number, keeps?: object) {
    this.home = home;
    this.address = address;
    this.bytes = bytes;
    this.keeps = keeps;
    this.#epoch = ++home.epoch;
  }

  /** New memory. W7007, W7029, W8005. */
  static allocate(home: Home, bytes: number): Storage {
    checkOpen(home);
    refuseCaptured(home, "Allocating a tensor");
    const storage = new Storage(home, home.backend.allocate(bytes), bytes);
    home.storages.add(storage);
    return storage;
  }

  /** Memory of the device that somebody else frees, from address 0 on. */
  static of(home: Home, keeps: object): Storage {
    return new Storage(home, 0n, 0, keeps);
  }

  /** The memory that holds so many bytes from an address on: that of one of the device's tensors, or somebody else's. Else what is wrong, as a clause. */
  static at(home: Home, address: bigint, bytes: number): Storage | string {
    const end = address + BigInt(bytes);
    for (const own of home.storages) if (address >= own.address && end <= own.address + BigInt(own.bytes)) return own;
    const found = home.backend.memoryAt(address, bytes);
    if ("problem" in found) return found.problem;
    const known = home.foreign.get(found.begin) ?? new Storage(home, found.begin, 0);
    home.foreign.set(found.begin, known);
    return known;
  }

  /** Before a use in the device's own stream, or in one of the author's. */
  order(stream: RuntimeStream | undefined): void {
    const { home } = this;
    if (stream === undefined) {
      if (this.#elsewhere.size > 0) this.#joinOthers();
      this.#epoch = ++home.epoch;
      return;
    }
    this.#elsewhere.add(stream);
    stream.follow(this.#epoch);
  }

  #joinOthers(): void {
    const { backend } = this.home;
    for (const other of this.#elsewhere) if (!other.disposed) backend.orderAfter(backend.defaultStream, other.handle);
    this.#elsewhere.clear();
  }

  free(): void {
    if (this.freed || !this.home.storages.has(this)) return;
    this.freed = true;
    this.home.storages.delete(this);
    if (this.home.closed) return;
    this.order(undefined);
    this.home.backend.free(this.address);
  }
}

/** A stream that the author made. */
export class RuntimeStream implements Stream {
  readonly home: Home;
  readonly handle: BackendStream;
  disposed = false;
  /** What this stream has seen of the device's own one. */
  joined = 0;

  constructor(home: Home) {
    checkOpen(home);
    refuseCaptured(home, "Making a stream");
    this.home = home;
    this.handle = home.backend.createStream();
    home.streams.add(this);
  }

  get native(): bigint | undefined {
    return this.handle.native;
  }

  sync(): Promise<void> {
    refuseCaptured(this.home, "Waiting for a stream");
    return this.#synchronized();
  }

  async #synchronized(): Promise<void> {
    this.check();
    await settle(this.home, this.home.backend.synchronize(this.handle));
  }

  check(spans: Spans = noSpans): void {
    checkOpen(this.home, spans);
    if (this.disposed) fail("W7014", {}, spans);
  }

  /** Its later work comes after the device's own up to that use of memory. */
  follow(epoch: number): void {
    if (epoch <= this.joined) return;
    const { backend } = this.home;
    backend.orderAfter(this.handle, backend.defaultStream);
    this.joined = this.home.epoch;
  }

  /** What it still has to do is done before later work in the device's own stream. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.home.streams.delete(this);
    if (this.home.closed) return;
    const { backend } = this.home;
    backend.orderAfter(backend.defaultStream, this.handle);
    backend.destroyStream(this.handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
exactMethods(RuntimeStream);

/** A stream of that device, as the author gave it. W7012, W7014, W7023. */
export function authorStream(stream: Stream, home: Home, spans: Spans = noSpans): RuntimeStream {
  if (!(stream instanceof RuntimeStream)) fail("W7023", { what: "stream" }, spans);
  if (stream.home !== home) fail("W7012", { first: home.backend.name, second: stream.home.backend.name }, spans);
  stream.check(spans);
  return stream;
}

/** Waits for the device, then calls what was to run after a wait, such as printing the lines of kernels. Throws what these throw, one at a time. */
export async function settle<T>(home: Home, wait: Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await wait;
  } finally {
    for (const tell of home.settled) tell();
  }
  const error = home.untold.shift();
  if (error) throw error;
  return result;
}
