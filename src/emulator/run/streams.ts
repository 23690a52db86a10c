/**
 * The work of an emulated device: one queue for all streams, in the order of issue, which every order that streams promise agrees
 * with. It runs in slices between the iterations of the event loop.
 */
import type { BackendEvent, BackendGraph, BackendStream } from "../../runtime/index.ts";

/** The position of a launch in its stream. */
export class StreamPosition {
  #previous: StreamPosition | undefined;
  /** What its watcher leaves for that of the next one, once it has begun. */
  left: object | undefined;

  constructor(previous?: StreamPosition) {
    this.#previous = previous;
  }

  /** What the one before it has left. Asked once, when it begins. */
  begin(): object | undefined {
    const previous = this.#previous;
    this.#previous = undefined;
    const left = previous?.left;
    if (previous) previous.left = undefined;
    return left;
  }
}

/** Of streams, how many of their launches, from the first on. */
type Launched = ReadonlyMap<EmulatorStream, number>;

export class EmulatorStream implements BackendStream {
  readonly role = "stream";
  #last: StreamPosition | undefined;
  /** Launches so far, and those of them whose end the host has seen, or that nothing follows any more. */
  #count = 0;
  #over = 0;
  /** What else has ended when the work of this stream has: what it was told to follow, and what that followed. */
  #followed: Map<EmulatorStream, number> = new Map();

  /** For the next launch. Copies between two launches are not held to keep them apart. */
  nextPosition(): StreamPosition {
    this.#last = new StreamPosition(this.#over < this.#count ? this.#last : undefined);
    this.#count += 1;
    return this.#last;
  }

  follow(other: EmulatorStream): void {
    for (const [stream, count] of other.ending()) {
      if (stream !== this) this.#followed.set(stream, Math.max(count, this.#followed.get(stream) ?? 0));
    }
  }

  /** What has ended when all has that was issued here so far. */
  ending(): Launched {
    // What is over for everybody need not be remembered: so there is one entry for each stream with work under way, and no more.
    for (const [stream, count] of this.#followed) if (count <= stream.#over) this.#followed.delete(stream);
    return new Map(this.#followed).set(this, this.#count);
  }

  /** The host has seen the end: what is launched from now on overlaps none of it. */
  static ended(launched: Launched): void {
    for (const [stream, count] of launched) stream.#over = Math.max(stream.#over, count);
  }

  /** What comes next follows something that is no launch of a kernel; or nothing comes any more. */
  breaks(): void {
    this.#over = this.#count;
  }
}

/** Gives the task of one launch in a stream. */
export type CapturedLaunch = (stream: BackendStream, position: StreamPosition) => Task;

/** A stream whose launches do not run: each gives a task of it whenever their graph is launched. */
export class EmulatorCapture extends EmulatorStream {
  readonly launches: CapturedLaunch[] = [];
}

export class EmulatorGraph implements BackendGraph {
  readonly role = "graph";
  readonly launches: readonly CapturedLaunch[];

  constructor({ launches }: EmulatorCapture) {
    this.launches = launches;
  }
}

/** A mark in the queue. */
export class EmulatorEvent implements BackendEvent {
  readonly role = "event";
  /** Records that the queue has not passed. */
  ahead = 0;
  /** Milliseconds, when the last record was passed. */
  time = 0;
}

/**
 * One piece of work. Gives whether it is done; else it is called again, in the next slice or when what it waits for is there. `late` says
 * when to let others go on; `issued` is its number among all that the device was given.
 */
export interface Task {
  run(late: () => boolean, issued: number): boolean | Promise<void>;
  /** Where it was issued. */
  readonly stream?: BackendStream | undefined;
  /** Done when it is issued, where nothing is before it. */
  readonly atOnce?: boolean;
}

/** Milliseconds that work goes on without an iteration of the event loop. */
const slice = 15;

export class WorkQueue {
  readonly #tasks: Task[] = [];
  /** A slice is to come, or the first task waits for somebody else. */
  #scheduled = false;
  /** Tasks that are over: the number of the first that is not. */
  #over = 0;
  readonly #failed: (error: unknown, task: Task) => void;

  /** `failed` gets what tasks throw; those behind go on. */
  constructor(failed: (error: unknown, task: Task) => void) {
    this.#failed = failed;
  }

  /** How many tasks have been issued: the number of the next one. */
  get issued(): number {
    return this.#over + this.#tasks.length;
  }

  add(task: Task): void {
    this.#tasks.push(task);
    if (this.#tasks.length === 1 && task.atOnce) this.#work();
    else this.#schedule();
  }

  /** Something to be done in order. */
  call(what: (issued: number) => void, { stream, atOnce = false }: Pick<Task, "stream" | "atOnce"> = {}): void {
    const run: Task["run"] = (_, issued) => {
      what(issued);
      return true;
    };
    this.add({ run, stream, atOnce });
  }

  /** What it gives when all before it is over. */
  after<T>(what: (issued: number) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (issued: number): void => {
        try {
          resolve(what(issued));
        } catch (error) {
          reject(error);
        }
      };
      this.call(run, { atOnce: true });
    });
  }

  clear(): void {
    this.#over += this.#tasks.length;
    this.#tasks.length = 0;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.#work();
    }, 0);
  }

  #work(): void {
    const end = performance.now() + slice;
    const late = (): boolean => performance.now() >= end;
    for (let task = this.#tasks[0]; task; task = this.#tasks[0]) {
      const done = this.#step(task, late);
      if (typeof done === "object") {
        this.#resumeAfter(done);
        return;
      }
      if (!done) break;
      this.#tasks.shift();
      this.#over += 1;
      if (late()) break;
    }
    if (this.#tasks.length > 0) this.#schedule();
  }

  #resumeAfter(event: Promise<void>): void {
    this.#scheduled = true;
    void event.then(() => {
      this.#scheduled = false;
      this.#work();
    });
  }

  #step(task: Task, late: () => boolean): boolean | Promise<void> {
    try {
      return task.run(late, this.#over);
    } catch (error) {
      this.#failed(error, task);
      return true;
    }
  }
}
