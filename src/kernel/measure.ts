import {
  addressOf,
  type BackendEvent,
  type BackendStream,
  backendOf,
  type Device,
  type DeviceBackend,
  type DeviceTensor,
  elementBytes,
  prepareStream,
  type Stream,
  spanElements,
} from "../runtime/index.ts";
import { flushFactor, median } from "./bench.ts";

/** Memory whose contents are put back, and where they are kept. */
interface Saved {
  readonly address: bigint;
  readonly copy: bigint;
  readonly bytes: number;
}

/** How long several launches are timed. */
export interface Rounds {
  readonly least: number;
  readonly most: number;
  readonly microseconds: number;
}

/** Microseconds of the GPU that the timed launches of one configuration should take together, and how many these are. */
const budget = 20_000;
const fewest = 3;
const most = 20;

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
  readonly #saved: Saved[] = [];
  #scratch: bigint | undefined;

  /** `restored`: tensors that every launch finds as they are now. W7006, W7012, W7023. */
  constructor(device: Device, stream: Stream | undefined, restored: readonly DeviceTensor[]) {
    this.#backend = backendOf(device);
    this.#stream = prepareStream(device, stream, restored);
  }

  /** Takes the memory that it needs. W8005. */
  begin(restored: readonly DeviceTensor[]): void {
    const backend = this.#backend;
    if (backend.l2Bytes > 0) this.#scratch = backend.allocate(backend.l2Bytes * flushFactor);
    for (const tensor of restored) {
      const bytes = spanElements(tensor.shape, tensor.strides) * elementBytes(tensor.dtype);
      this.#saved.push({ address: addressOf(tensor), copy: backend.allocate(bytes), bytes });
    }
    // New memory is there for the device's own stream, and for others behind it.
    if (this.#stream !== backend.defaultStream) backend.orderAfter(this.#stream, backend.defaultStream);
    for (const { address, copy, bytes } of this.#saved) backend.copy(this.#stream, copy, address, bytes);
  }

  /** The median of some launches, in microseconds. Before them it launches once untimed. */
  time(launch: () => void): number {
    this.#restore();
    launch();
    const [first = 0] = this.#times(launch, 1);
    const more = Math.min(most, Math.max(fewest, Math.ceil(budget / Math.max(first, 1)))) - 1;
    return median([first, ...this.#times(launch, more)]);
  }

  /** Puts back what the launches changed, before another one. */
  reset(): void {
    this.#restore();
  }

  /**
   * Times of several launches, in microseconds, in turns: each is first as often as the others. At least `least` rounds, more until the launches have
   * taken `microseconds` together, `most` at the most.
   */
  rounds(launches: readonly (() => void)[], { least, most, microseconds }: Rounds): number[][] {
    const times = launches.map((): number[] => []);
    let taken = 0;
    for (let round = 0; round < most && (round < least || taken < microseconds); round++)
      for (let i = 0; i < launches.length; i++) {
        const at = (i + round) % launches.length;
        const launch = launches[at];
        if (!launch) continue;
        const [time = 0] = this.#times(launch, 1);
        times[at]?.push(time);
        taken += time;
      }
    return times;
  }

  /** Puts back what the launches changed. */
  finish(): void {
    this.#restore();
    this.#wait();
  }

  /** Frees what it took. On a lost device there is nothing left to free. */
  free(): void {
    if (this.#scratch !== undefined) this.#backend.free(this.#scratch);
    for (const { copy } of this.#saved) this.#backend.free(copy);
  }

  #times(launch: () => void, count: number): number[] {
    const backend = this.#backend;
    const events: { readonly from: BackendEvent; readonly to: BackendEvent }[] = [];
    try {
      for (let i = 0; i < count; i++) {
        const pair = { from: backend.createEvent(), to: backend.createEvent() };
        events.push(pair);
        this.#restore();
        this.#flush();
        backend.record(pair.from, this.#stream);
        launch();
        backend.record(pair.to, this.#stream);
      }
      this.#wait();
      return events.map(({ from, to }) => backend.elapsed(from, to));
    } finally {
      for (const { from, to } of events) {
        backend.destroyEvent(from);
        backend.destroyEvent(to);
      }
    }
  }

  #restore(): void {
    for (const { address, copy, bytes } of this.#saved) this.#backend.copy(this.#stream, address, copy, bytes);
  }

  #flush(): void {
    const { l2Bytes } = this.#backend;
    if (this.#scratch !== undefined)
      this.#backend.fill(this.#stream, this.#scratch, new Uint8Array(4), (l2Bytes * flushFactor) / 4);
  }

  /** Until all of the stream so far has ended. A lost device counts as such: the next call tells. */
  #wait(): void {
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
