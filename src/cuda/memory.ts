import { poolAttribute } from "./constants.ts";
import type { CudaContext, CudaStream } from "./context.ts";
import { fail } from "./errors.ts";
import { take64 } from "./out-values.ts";
import { outOfMemory, success } from "./results.ts";

/** Device memory in the order of one stream, so that freeing waits for nothing; without pools by the driver's blocking calls. */
export class DeviceMemory {
  readonly #context: CudaContext;
  readonly #stream: CudaStream;
  readonly #pooled: boolean;
  readonly #live = new Set<bigint>();

  constructor(context: CudaContext, device: number, stream: CudaStream, pooled: boolean) {
    this.#context = context;
    this.#stream = stream;
    this.#pooled = pooled;
    if (pooled) this.#keepMemory(device);
  }

  /** W8005 where there is no room. */
  allocate(bytes: number): bigint {
    const { driver } = this.#context;
    this.#context.enter();
    const address = take64(
      (out) => (this.#pooled ? driver.cuMemAllocAsync(out, bytes, this.#stream.handle) : driver.cuMemAlloc_v2(out, bytes)),
      (code) => {
        if (code === outOfMemory) fail("W8005", { bytes, device: this.#context.name, free: this.#freeText() });
        this.#context.check(code, `give ${bytes} bytes of memory`);
      },
    );
    this.#live.add(address);
    return address;
  }

  free(address: bigint): void {
    // A lost device has nothing left to free, and disposing a tensor is no place to hear of it.
    if (!this.#live.delete(address) || this.#context.lost) return;
    this.#context.enter();
    this.#context.check(this.#release(address), "free memory");
  }

  /** Fills with a pattern of 1, 2 or 4 bytes, or one that repeats such a one; gives the driver's result, or undefined for other patterns. */
  fill(stream: CudaStream, address: bigint, pattern: Uint8Array, count: number): number | undefined {
    const { driver } = this.#context;
    this.#context.enter();
    const unit = shortest(pattern);
    const view = new DataView(pattern.buffer, pattern.byteOffset, pattern.byteLength);
    const repeats = count * (pattern.length / unit);
    if (unit === 1) return driver.cuMemsetD8Async(address, view.getUint8(0), repeats, stream.handle);
    if (unit === 2) return driver.cuMemsetD16Async(address, view.getUint16(0, true), repeats, stream.handle);
    if (unit === 4) return driver.cuMemsetD32Async(address, view.getUint32(0, true), repeats, stream.handle);
    return undefined;
  }

  dispose(): void {
    if (!this.#context.lost) for (const address of this.#live) this.#release(address);
    this.#live.clear();
  }

  #release(address: bigint): number {
    const { driver } = this.#context;
    return this.#pooled ? driver.cuMemFreeAsync(address, this.#stream.handle) : driver.cuMemFree_v2(address);
  }

  /** Freed memory stays with the process for the next tensor. */
  #keepMemory(device: number): void {
    const { driver } = this.#context;
    const check = (code: number): void => this.#context.check(code, "set up its memory");
    const pool = take64((out) => driver.cuDeviceGetDefaultMemPool(out, device), check);
    check(driver.cuMemPoolSetAttribute(pool, poolAttribute.releaseThreshold, BigUint64Array.of(2n ** 64n - 1n)));
  }

  #freeText(): string {
    const free = new BigUint64Array(1);
    const total = new BigUint64Array(1);
    if (this.#context.driver.cuMemGetInfo_v2(free, total) !== success) return "";
    return `: ${free[0]} of its ${total[0]} are free`;
  }
}

/** The shortest part that the pattern repeats: 1, 2, 4 bytes or all of it. */
function shortest(pattern: Uint8Array): number {
  for (const unit of [1, 2, 4])
    if (pattern.length % unit === 0 && pattern.every((byte, i) => byte === pattern[i % unit])) return unit;
  return pattern.length;
}
