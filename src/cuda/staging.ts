import { constants } from "node:buffer";
import { hostAlloc } from "./constants.ts";
import type { CudaContext, CudaStream } from "./context.ts";
import type { CudaEvent, CudaEvents } from "./events.ts";
import { take64 } from "./out-values.ts";

/** Page-locked memory of the host, which the GPU copies from and to while the host goes on. */
export interface Pinned {
  readonly address: bigint;
  readonly bytes: Uint8Array;
}

const smallest = 64 * 1024;
const largestPowerOfTwo = 64 * 1024 * 1024;
const keptBytes = 256 * 1024 * 1024;

/** Sizes come in classes, so that buffers serve again. */
function roundUp(bytes: number): number {
  if (bytes > largestPowerOfTwo) return Math.ceil(bytes / largestPowerOfTwo) * largestPowerOfTwo;
  let size = smallest;
  while (size < bytes) size *= 2;
  return size;
}

/** Page-locked buffers, reused once the copies from them are done. */
export class Staging {
  readonly #context: CudaContext;
  readonly #events: CudaEvents;
  #free: Pinned[] = [];
  #freeBytes = 0;
  #busy: { readonly pinned: Pinned; readonly event: CudaEvent }[] = [];

  constructor(context: CudaContext, events: CudaEvents) {
    this.#context = context;
    this.#events = events;
  }

  acquire(bytes: number): Pinned {
    if (bytes > constants.MAX_LENGTH) throw new RangeError(`no array holds ${bytes} bytes`);
    this.#collect();
    const size = roundUp(bytes);
    const index = this.#free.findIndex((pinned) => pinned.bytes.length === size);
    const [found] = index < 0 ? [] : this.#free.splice(index, 1);
    if (!found) return this.#allocate(size);
    this.#freeBytes -= size;
    return found;
  }

  /** Nothing uses it any more. */
  release(pinned: Pinned): void {
    const size = pinned.bytes.length;
    if (this.#freeBytes + size > keptBytes) {
      this.#context.driver.cuMemFreeHost(pinned.address);
      return;
    }
    this.#free.push(pinned);
    this.#freeBytes += size;
  }

  /** The work issued to the stream so far still uses it. */
  releaseAfter(pinned: Pinned, stream: CudaStream): void {
    this.#busy.push({ pinned, event: this.#events.recordNow(stream) });
  }

  dispose(): void {
    const { driver } = this.#context;
    for (const { pinned } of this.#busy) driver.cuMemFreeHost(pinned.address);
    for (const pinned of this.#free) driver.cuMemFreeHost(pinned.address);
    this.#busy = [];
    this.#free = [];
    this.#freeBytes = 0;
  }

  #allocate(size: number): Pinned {
    const { driver, memory } = this.#context;
    const address = take64(
      (out) => driver.cuMemHostAlloc(out, size, hostAlloc.portable),
      (code) => this.#context.check(code, `lock ${size} bytes of the host's memory for a copy`),
    );
    return { address, bytes: memory.viewOf(address, size) };
  }

  #collect(): void {
    const waiting = this.#busy;
    for (let i = waiting.length - 1; i >= 0; i--) {
      const entry = waiting[i];
      const state = entry && this.#events.look(entry.event);
      if (state === "lost") this.#context.enter();
      if (!entry || state !== "passed") continue;
      waiting.splice(i, 1);
      this.#events.release(entry.event);
      this.release(entry.pinned);
    }
  }
}
