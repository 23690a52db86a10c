/** Watched launches of a device: where their kernels record, and whether they go on. */
import type { Launch, WatchRecords } from "../runtime/backend.ts";
import { watchBytes } from "../watch-layout.ts";
import { eventDisableTiming, hostAlloc, streamNonBlocking } from "./constants.ts";
import type { CudaContext } from "./context.ts";
import { take64 } from "./out-values.ts";
import { notReady, success } from "./results.ts";

/** Milliseconds between looks at the records, and before the first of a wait: most waits are shorter. */
const lookEvery = 250;

/** Not in step with what a kernel does again and again: that could look the same each time. */
const untilNext = (): number => lookEvery * (0.8 + 0.4 * Math.random());

/** The memory of the records on both sides, and what they are read by: a stream of its own, which waits for no kernel. */
interface Room {
  readonly address: bigint;
  readonly stream: bigint;
  readonly event: bigint;
  /** Page-locked, and what was read before. */
  readonly host: bigint;
  readonly now: Uint32Array;
  readonly before: Uint32Array;
}

/**
 * Looks at the records while somebody waits for the device, and loses the device where a launch has hung. Nothing here waits for the device: each
 * step is taken when it is asked again.
 */
export class Watchdog {
  readonly #context: CudaContext;
  #room: Room | undefined;
  #launches = 0;
  /** When somebody was waiting last, when to look next, and when the records were found changed last. */
  #asked = 0;
  #next = 0;
  #changed = 0;
  #reading = false;

  constructor(context: CudaContext) {
    this.#context = context;
  }

  records(): WatchRecords {
    this.#room ??= this.#open();
    const { address } = this.#room;
    return {
      address,
      next: () => {
        this.#launches = (this.#launches % 0xffff_ffff) + 1;
        return this.#launches;
      },
    };
  }

  /** Called again and again while somebody waits. */
  look(now = performance.now()): void {
    const room = this.#room;
    if (!room || this.#context.lost) return;
    if (now - this.#asked > 4 * lookEvery) this.#next = now + lookEvery;
    this.#asked = now;
    if (this.#reading) this.#compare(room, now);
    else if (now >= this.#next && this.#watched().length > 0) this.#read(room);
  }

  #watched(): readonly Launch[] {
    return [...this.#context.streams].flatMap((stream) => stream.pending).filter(({ watch }) => watch !== undefined);
  }

  #read(room: Room): void {
    const { driver } = this.#context;
    const copied = driver.cuMemcpyDtoHAsync_v2(room.host, room.address, watchBytes, room.stream);
    this.#reading = copied === success && driver.cuEventRecord(room.event, room.stream) === success;
    this.#next = performance.now() + untilNext();
  }

  #compare(room: Room, now: number): void {
    if (this.#context.driver.cuEventQuery(room.event) === notReady) return;
    this.#reading = false;
    this.#next = now + untilNext();
    if (Buffer.compare(bytesOf(room.now), bytesOf(room.before)) !== 0) {
      room.before.set(room.now);
      this.#changed = now;
      return;
    }
    const seconds = (now - this.#changed) / 1000;
    for (const { watch } of this.#watched()) {
      if (!watch || seconds < watch.seconds) continue;
      const hung = watch.explain(room.now, seconds);
      if (!hung) continue;
      this.#context.abandon(hung);
      return;
    }
  }

  #open(): Room {
    const { driver, memory } = this.#context;
    this.#context.enter();
    const check = (code: number): void => this.#context.check(code, "make room for what watched kernels record");
    const address = take64((out) => driver.cuMemAlloc_v2(out, watchBytes), check);
    const host = take64((out) => driver.cuMemHostAlloc(out, watchBytes, hostAlloc.portable), check);
    const stream = take64((out) => driver.cuStreamCreate(out, streamNonBlocking), check);
    const event = take64((out) => driver.cuEventCreate(out, eventDisableTiming), check);
    check(driver.cuMemsetD32Async(address, 0, watchBytes / 4, stream));
    check(driver.cuEventRecord(event, stream));
    while (driver.cuEventQuery(event) === notReady);
    const view = memory.viewOf(host, watchBytes);
    const now = new Uint32Array(view.buffer, view.byteOffset, watchBytes / 4);
    return { address, stream, event, host, now, before: new Uint32Array(watchBytes / 4) };
  }

  /** Nothing is under way any more. */
  dispose(): void {
    const room = this.#room;
    if (!room) return;
    const { driver } = this.#context;
    driver.cuEventDestroy_v2(room.event);
    driver.cuStreamDestroy_v2(room.stream);
    driver.cuMemFree_v2(room.address);
    driver.cuMemFreeHost(room.host);
    this.#room = undefined;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);
