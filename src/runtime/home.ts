/** The book-keeping that tensors, streams and their device share: which memory is alive, and in what order streams use it. */
import { fail, noSpans, type Spans } from "../diag/index.ts";
import type { BackendStream, DeviceBackend } from "./backend.ts";
import type { Device, Stream } from "./types.ts";

export interface Home {
  readonly device: Device;
  readonly backend: DeviceBackend;
  readonly storages: Set<Storage>;
  readonly streams: Set<RuntimeStream>;
  /** Called when a wait for the device has ended, well or badly. */
  readonly settled: Set<() => void>;
  /** Counts the uses of memory in the device's own stream. */
  epoch: number;
  closed: boolean;
}

/** Refuses a disposed device. W7007. */
export function checkOpen(home: Home, spans: Spans = noSpans): void {
  if (home.closed) fail("W7007", { name: home.backend.name }, spans);
}

/** Memory of a device. Its uses in the device's own stream are in order with those in every other stream. */
export class Storage {
  readonly home: Home;
  readonly address: bigint;
  freed = false;
  /** `home.epoch` at the last use in the device's own stream. */
  #epoch: number;
  readonly #elsewhere = new Set<RuntimeStream>();

  constructor(home: Home, bytes: number) {
    checkOpen(home);
    this.home = home;
    this.address = home.backend.allocate(bytes);
    this.#epoch = ++home.epoch;
    home.storages.add(this);
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
    if (this.#epoch <= stream.joined) return;
    home.backend.orderAfter(stream.handle, home.backend.defaultStream);
    stream.joined = home.epoch;
  }

  #joinOthers(): void {
    const { backend } = this.home;
    for (const other of this.#elsewhere) if (!other.disposed) backend.orderAfter(backend.defaultStream, other.handle);
    this.#elsewhere.clear();
  }

  free(): void {
    if (this.freed) return;
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
    this.home = home;
    this.handle = home.backend.createStream();
    home.streams.add(this);
  }

  get native(): bigint | undefined {
    return this.handle.native;
  }

  async sync(): Promise<void> {
    this.check();
    await settle(this.home, this.home.backend.synchronize(this.handle));
  }

  check(spans: Spans = noSpans): void {
    checkOpen(this.home, spans);
    if (this.disposed) fail("W7014", {}, spans);
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

/** Waits for the device, then lets those that follow its waits know: kernels that print, for one. */
export async function settle<T>(home: Home, wait: Promise<T>): Promise<T> {
  try {
    return await wait;
  } finally {
    for (const tell of home.settled) tell();
  }
}
