import { take64 } from "./native/bind.ts";
import { allocate, check, type Driver } from "./native/driver.ts";

/** A place in the stream, in time. */
export type Mark = bigint;

/** Launches that are replayed together, with no work of the host between them. */
export interface Batch {
  readonly launches: number;
  replay(): void;
  free(): void;
}

/** What a measurement needs of a device: one stream, its clock, and a way to empty the L2 cache. Nothing waits but `wait` and `reach`. */
export interface Timer {
  /** Overwrites more memory than the L2 cache holds. */
  flush(): void;
  mark(): Mark;
  release(mark: Mark): void;
  /** Until the stream has passed the mark. */
  reach(mark: Mark): void;
  wait(): void;
  /** Waits, too, but says nothing of what went wrong: for the way out. */
  settle(): void;
  /** Microseconds between two marks that the stream has passed. */
  between(from: Mark, to: Mark): number;
  batch(launch: () => void, launches: number): Batch;
}

const flushBytes = 256 * 2 ** 20;
/** CU_STREAM_CAPTURE_MODE_RELAXED: what other code of the process does meanwhile is no matter. */
const relaxed = 2;

/** Measures by events of the driver, made with its default flags. */
export class CudaTimer implements Timer, Disposable {
  readonly #driver: Driver;
  readonly #stream: bigint;
  readonly #scratch: bigint;
  readonly #spare: Mark[] = [];
  readonly #milliseconds = new Float32Array(1);

  constructor(driver: Driver, stream: bigint) {
    this.#driver = driver;
    this.#stream = stream;
    this.#scratch = allocate(driver, flushBytes);
  }

  flush(): void {
    check(this.#driver.cuMemsetD32Async(this.#scratch, 0, flushBytes / 4, this.#stream), "flush the L2 cache");
  }

  mark(): Mark {
    const mark = this.#spare.pop() ?? take64((out) => check(this.#driver.cuEventCreate(out, 0), "make an event"));
    check(this.#driver.cuEventRecord(mark, this.#stream), "record an event");
    return mark;
  }

  release(mark: Mark): void {
    this.#spare.push(mark);
  }

  reach(mark: Mark): void {
    check(this.#driver.cuEventSynchronize(mark), "wait for an event");
  }

  wait(): void {
    check(this.#driver.cuStreamSynchronize(this.#stream), "wait for the stream");
  }

  settle(): void {
    this.#driver.cuStreamSynchronize(this.#stream);
  }

  between(from: Mark, to: Mark): number {
    check(this.#driver.cuEventElapsedTime(this.#milliseconds, from, to), "compare two events");
    return (this.#milliseconds[0] ?? Number.NaN) * 1000;
  }

  /** A CUDA graph; where the launches cannot be captured, the launches themselves, one call each. */
  batch(launch: () => void, launches: number): Batch {
    const repeat = (): void => {
      for (let i = 0; i < launches; i++) launch();
    };
    const graph = this.#capture(repeat);
    if (graph === undefined) return { launches, replay: repeat, free: () => {} };
    const driver = this.#driver;
    const executable = take64((out) => check(driver.cuGraphInstantiateWithFlags(out, graph, 0n), "make a graph"));
    return {
      launches,
      replay: () => check(driver.cuGraphLaunch(executable, this.#stream), "launch a graph"),
      free: () => {
        this.settle();
        driver.cuGraphExecDestroy(executable);
        driver.cuGraphDestroy(graph);
      },
    };
  }

  #capture(work: () => void): bigint | undefined {
    const driver = this.#driver;
    if (driver.cuStreamBeginCapture_v2(this.#stream, relaxed) !== 0) return undefined;
    let done = false;
    try {
      work();
      done = true;
    } catch {
      // The stream has to leave the capture all the same; the launches are then made one by one.
    }
    let code = 0;
    const graph = take64((out) => {
      code = driver.cuStreamEndCapture(this.#stream, out);
    });
    return done && code === 0 && graph !== 0n ? graph : undefined;
  }

  /** Also on a device that was lost. */
  [Symbol.dispose](): void {
    this.settle();
    for (const mark of this.#spare) this.#driver.cuEventDestroy_v2(mark);
    this.#driver.cuMemFree_v2(this.#scratch);
  }
}
