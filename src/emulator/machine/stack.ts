/** The local memory of a warp's threads, which is their stacks. */
import { KernelFault } from "./fault.ts";
import { lanes } from "./lanes.ts";
import { badAccess, Region } from "./memory.ts";
import { moveWritten } from "./written-bytes.ts";

const frameAlignment = 16;
const roundUp = (x: number, to: number): number => Math.ceil(x / to) * to;

export class Stack {
  /** Of each lane: where the frame of the function that it is in begins, and where free memory begins. */
  readonly base = new Int32Array(lanes);
  readonly top = new Int32Array(lanes);
  /** Most that a thread may have, in bytes. */
  readonly limit: number;
  #region: Region;
  /** Of one lane. */
  #bytes: number;

  /** `bytes`: what the kernel itself has. */
  constructor(bytes: number, limit: number) {
    this.limit = limit;
    this.top.fill(bytes);
    this.#bytes = bytes;
    this.#region = new Region("local", 0, bytes * lanes);
  }

  get region(): Region {
    return this.#region;
  }
  /** Where an address of a lane lies in the region. */
  offset(lane: number, address: number): number {
    return lane * this.#bytes + address;
  }

  /** Refuses what is not on the stack, or not aligned. */
  check(lane: number, address: number, bytes: number): void {
    const inside = address >= 0 && address + bytes <= (this.top[lane] as number) && (address & (bytes - 1)) === 0;
    if (!inside) badAccess("local", address, bytes, undefined);
  }

  /** What a thread needs that has more than `limit`. */
  overflow(what: string): never {
    throw new KernelFault(`it needs more than the ${this.limit} bytes that the stack of a thread may have, ${what}`);
  }

  /** Sees that every stack may be so high. The memory may move. */
  reserve(height: number): void {
    if (height <= this.#bytes) return;
    const [before, from] = [this.#region, this.#bytes];
    this.#bytes = Math.min(roundUp(this.limit, frameAlignment), Math.max(2 * from, roundUp(height, frameAlignment)));
    this.#region = new Region("local", 0, this.#bytes * lanes);
    const written = before.written && this.#region.track();
    for (let lane = 0; lane < lanes; lane++) {
      this.#region.bytes.set(before.bytes.subarray(lane * from, (lane + 1) * from), lane * this.#bytes);
      if (before.written && written) moveWritten(before.written, lane * from, written, lane * this.#bytes, from);
    }
  }

  /** `alloca` (PTX ISA 9.7.20.3): address of so many bytes on top. */
  allocate(lane: number, bytes: number, alignment: number): number {
    const at = roundUp(this.top[lane] ?? 0, alignment);
    if (at + bytes > this.limit) this.overflow(`with an alloca of ${bytes}`);
    this.reserve(at + bytes);
    this.top[lane] = at + bytes;
    return at;
  }

  /** `stackrestore` (PTX ISA 9.7.20.2): `to` is what `stacksave` gave. */
  restore(lane: number, to: number): void {
    if (to < (this.base[lane] ?? 0) || to > (this.top[lane] ?? 0))
      throw new KernelFault(`it restored its stack to ${to}, which is outside the function's own part`);
    this.top[lane] = to;
  }
}
