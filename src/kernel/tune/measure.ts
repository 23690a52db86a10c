import {
  type BackendStream,
  backendOf,
  type Device,
  type DeviceBackend,
  type DeviceTensor,
  prepareStream,
  type Stream,
} from "../../runtime/index.ts";
import { flushFactor } from "../bench.ts";
import { type KeptTensors, keepTensors } from "../kept-tensors.ts";

/** How long several launches are timed. */
export interface Turns {
  readonly least: number;
  readonly most: number;
  readonly microseconds: number;
}

/** Whether a device still works: one that a kernel has ruined makes no event. */
export function works(device: Device): boolean {
  const backend = backendOf(device);
  try {
    backend.destroyEvent(backend.createEvent());
    return true;
  } catch {
    return false;
  }
}

/**
 * Times launches on a GPU one by one, and does not return before they have ended: the thread asks the driver again and again. Each is timed
 * as by `bench`: between two events of its stream, the L2 cache overwritten before. No launch may be captured.
 */
export class Measurement {
  readonly #backend: DeviceBackend;
  readonly #stream: BackendStream;
  readonly #restored: readonly DeviceTensor[];
  #kept: KeptTensors | undefined;
  #scratch: bigint | undefined;

  /** `restored`: tensors that every launch finds as they are now. W7006, W7012, W7023. */
  constructor(device: Device, stream: Stream | undefined, restored: readonly DeviceTensor[]) {
    this.#restored = restored;
    this.#backend = backendOf(device);
    this.#stream = prepareStream(device, stream, restored);
  }

  /** Takes the memory that it needs. W8005. */
  begin(): void {
    const backend = this.#backend;
    if (backend.l2Bytes > 0) this.#scratch = backend.allocate(backend.l2Bytes * flushFactor);
    this.#kept = keepTensors(backend, this.#stream, this.#restored);
  }

  /** Puts back what the launches changed. */
  restore(): void {
    this.#kept?.putBack();
  }

  /**
   * Times of several launches, in microseconds, in turns: each is first as often as the others. At least `least` turns, more until the launches have
   * taken `microseconds` together, `most` at the most.
   */
  turns(launches: readonly (() => void)[], { least, most, microseconds }: Turns): number[][] {
    const times = launches.map((): number[] => []);
    let taken = 0;
    for (let turn = 0; turn < most && (turn < least || taken < microseconds); turn++)
      for (let i = 0; i < launches.length; i++) {
        const at = (i + turn) % launches.length;
        const launch = launches[at];
        if (!launch) continue;
        const time = this.#time(launch);
        times[at]?.push(time);
        taken += time;
      }
    return times;
  }

  /** Frees what it took. On a lost device there is nothing left to free. */
  free(): void {
    if (this.#scratch !== undefined) this.#backend.free(this.#scratch);
    this.#kept?.free();
  }

  /** The microseconds of one launch. */
  #time(launch: () => void): number {
    const backend = this.#backend;
    const [from, to] = [backend.createEvent(), backend.createEvent()];
    try {
      this.restore();
      this.#flush();
      backend.record(from, this.#stream);
      launch();
      backend.record(to, this.#stream);
      this.wait();
      return backend.elapsed(from, to);
    } finally {
      backend.destroyEvent(from);
      backend.destroyEvent(to);
    }
  }

  #flush(): void {
    const { l2Bytes } = this.#backend;
    if (this.#scratch !== undefined)
      this.#backend.fill(this.#stream, this.#scratch, new Uint8Array(4), (l2Bytes * flushFactor) / 4);
  }

  /** Until all of the stream so far has ended. A lost device counts as such: the next call tells. */
  wait(): void {
    const backend = this.#backend;
    const event = backend.createEvent();
    try {
      backend.record(event, this.#stream);
      while (!backend.passed(event));
    } finally {
      backend.destroyEvent(event);
    }
  }
}
