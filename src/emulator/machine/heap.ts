/** What kernels allocate themselves, with `malloc` and `free`: it stays from one launch to the next. */
import { KernelFault } from "./fault.ts";
import type { GlobalMemory } from "./memory.ts";

/** Allocations are counted in multiples of it. */
const granule = 16;

export class DeviceHeap {
  readonly #memory: GlobalMemory;
  readonly #limit: number;
  readonly #sizes = new Map<number, number>();
  #used = 0;

  /** `limit`: bytes in all. */
  constructor(memory: GlobalMemory, limit: number) {
    this.#memory = memory;
    this.#limit = limit;
  }

  /** Gives the address; 0 where there is no room. */
  allocate(bytes: number): number {
    const size = Math.max(granule, Math.ceil(bytes / granule) * granule);
    if (this.#used + size > this.#limit) return 0;
    this.#used += size;
    const { base } = this.#memory.allocate(bytes);
    this.#sizes.set(base, size);
    return base;
  }

  free(address: number): void {
    if (address === 0) return;
    const size = this.#sizes.get(address);
    if (size === undefined) {
      throw new KernelFault(`it freed 0x${address.toString(16)}, which malloc did not give or which is free already`);
    }
    this.#sizes.delete(address);
    this.#used -= size;
    this.#memory.free(address);
  }
}
