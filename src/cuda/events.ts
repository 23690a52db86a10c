import { setImmediate as nextIteration, setTimeout as sleep } from "node:timers/promises";
import type { BackendEvent } from "../runtime/index.ts";
import { eventDisableTiming } from "./constants.ts";
import type { CudaContext, CudaStream } from "./context.ts";
import { take64 } from "./out-values.ts";
import { notReady } from "./results.ts";
import type { Watchdog } from "./watchdog.ts";

/** Nobody wakes who waits for it. */
const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** How long to look again at every iteration of the event loop before sleeping between looks. */
const eagerMs = 2;

/** Asks again and again until it is done, never blocking the event loop. What `isDone` throws ends the wait. */
async function waitUntil(isDone: () => boolean): Promise<void> {
  if (isDone()) return;
  const start = performance.now();
  do {
    if (performance.now() - start < eagerMs) await nextIteration();
    else await sleep(1);
  } while (!isDone());
}

/** A mark in a stream; with it, how many launches the stream had then. */
export class CudaEvent implements BackendEvent {
  readonly role = "event";
  readonly handle: bigint;
  stream: CudaStream | undefined;
  mark = 0;
  destroyed = false;

  constructor(handle: bigint) {
    this.handle = handle;
  }
}

/** Events of a context, and the waits for them. */
export class CudaEvents {
  readonly #context: CudaContext;
  readonly #watchdog: Watchdog;
  readonly #untimed: CudaEvent[] = [];
  readonly #all = new Set<CudaEvent>();
  readonly #waits = new Set<Promise<void>>();

  constructor(context: CudaContext, watchdog: Watchdog) {
    this.#context = context;
    this.#watchdog = watchdog;
  }

  create(timed: boolean): CudaEvent {
    const { driver } = this.#context;
    this.#context.enter();
    const flags = timed ? 0 : eventDisableTiming;
    const event = new CudaEvent(take64((out) => driver.cuEventCreate(out, flags), this.#check("make an event")));
    this.#all.add(event);
    return event;
  }

  destroy(event: CudaEvent): void {
    if (!this.#all.delete(event)) return;
    event.destroyed = true;
    this.#context.driver.cuEventDestroy_v2(event.handle);
  }

  record(event: CudaEvent, stream: CudaStream): void {
    this.#context.enter();
    this.#context.check(this.#context.driver.cuEventRecord(event.handle, stream.handle), "mark a place in a stream");
    event.stream = stream;
    event.mark = stream.issued;
  }

  /** An event recorded now; give it back with `release`. */
  recordNow(stream: CudaStream): CudaEvent {
    const event = this.#untimed.pop() ?? this.create(false);
    this.record(event, stream);
    return event;
  }

  /** Waits until everything issued so far, to any stream, has ended. False on a lost device, whose failure still counts as not reported. */
  async quiet(): Promise<boolean> {
    const marks = [...this.#context.streams].map((stream) => this.#mark(stream));
    for (const mark of marks) {
      await this.#follow(this.#wait(mark));
      this.release(mark);
    }
    return !this.#context.lost;
  }

  /** Of a device that turns out to be lost it marks nothing: then no wait for it lasts. */
  #mark(stream: CudaStream): CudaEvent {
    const event = this.#untimed.pop() ?? this.create(false);
    event.stream = undefined;
    this.#context.notice(this.#context.driver.cuEventRecord(event.handle, stream.handle));
    return event;
  }

  /**
   * Before a call of the driver that waits for the kernels that run, such as loading a module: where one of them is watched, the wait is ours, so that a kernel that hangs
   * is told of. Nobody else runs meanwhile.
   */
  untilWatchedHaveEnded(): void {
    for (const stream of this.#context.streams) {
      if (!stream.pending.some(({ watch }) => watch !== undefined)) continue;
      const mark = this.recordNow(stream);
      while (this.look(mark) === "pending") Atomics.wait(sleeping, 0, 0, 1);
      this.#context.enter();
      this.release(mark);
    }
  }

  release(event: CudaEvent): void {
    this.#untimed.push(event);
  }

  /** Whether the stream has passed it. The failure of a lost device still counts as not reported. */
  look(event: CudaEvent): "passed" | "pending" | "lost" {
    if (this.#context.lost) return "lost";
    // Whoever destroys an event has seen it pass.
    if (event.destroyed) return "passed";
    this.#context.enter();
    const code = this.#context.driver.cuEventQuery(event.handle);
    if (code === notReady) {
      this.#watchdog.look();
      return this.#context.lost ? "lost" : "pending";
    }
    if (this.#context.notice(code)) return "lost";
    this.#context.check(code, "finish its work");
    event.stream?.retire(event.mark);
    return "passed";
  }

  /** Rejects with the failure of the device, which still counts as not reported. */
  reached(event: CudaEvent): Promise<void> {
    const wait = this.#wait(event).then(() => {
      if (this.#context.failure) throw this.#context.failure;
    });
    return this.#follow(wait);
  }

  /** Everything issued to the stream so far. Rejects with what ruined the device, the first time; then with W8009. */
  async drain(stream: CudaStream): Promise<void> {
    const event = this.recordNow(stream);
    await this.#follow(this.#wait(event));
    if (this.#context.lost) this.#context.enter();
    this.release(event);
  }

  #wait(event: CudaEvent): Promise<void> {
    return waitUntil(() => this.look(event) !== "pending");
  }

  #follow(wait: Promise<void>): Promise<void> {
    this.#waits.add(wait);
    const forget = (): void => {
      this.#waits.delete(wait);
    };
    wait.then(forget, forget);
    return wait;
  }

  /** Until no wait is under way any more. */
  async settleAll(): Promise<void> {
    await Promise.allSettled(this.#waits);
  }

  dispose(): void {
    for (const event of [...this.#all]) this.destroy(event);
    this.#untimed.length = 0;
  }

  #check(what: string): (code: number) => void {
    return (code) => this.#context.check(code, what);
  }
}
