/** The worker threads of Node that the emulator spreads a long launch over. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ownModule } from "../../base/own-files.ts";
import type { WorkerThread, WorkerThreads } from "../../emulator/index.ts";

/** Milliseconds for which a thread that no device needs any more is kept for the next one: to start one takes longer than many a launch. */
const kept = 10_000;

/** A worker thread of Node, for one device after another. What it says first, each of them hears. */
class NodeThread {
  readonly #worker: Worker;
  #first: unknown;
  #told: ((message: unknown) => void) | undefined;
  #lost: ((reason: unknown) => void) | undefined;
  #over = false;
  isBusy = false;

  constructor(file: URL) {
    this.#worker = new Worker(file, { execArgv: [], env: {} });
    this.#worker.on("message", (message) => {
      this.#first ??= message;
      this.#told?.(message);
    });
    this.#worker.on("error", (reason) => {
      this.#over = true;
      this.#lost?.(reason);
    });
    this.#worker.unref();
  }

  /** Not while it starts, since then it may have failed to, nor while it works. */
  get isFree(): boolean {
    return !this.#over && this.#first !== undefined && !this.isBusy;
  }

  serve(told: (message: unknown) => void, lost: (reason: unknown) => void): void {
    [this.#told, this.#lost] = [told, lost];
    // Whoever starts threads does not expect an answer before it has all of them.
    if (this.#first !== undefined) queueMicrotask(() => this.#told === told && told(this.#first));
  }

  leave(): void {
    [this.#told, this.#lost] = [undefined, undefined];
  }

  post(message: unknown): void {
    this.#worker.postMessage(message);
  }

  hold(busy: boolean): void {
    this.isBusy = busy;
    if (busy) this.#worker.ref();
    else this.#worker.unref();
  }

  end(): void {
    this.#over = true;
    void this.#worker.terminate();
  }
}

/** Worker threads of Node that run a module: `emulator-worker`, or what was made of it. */
export function nodeThreads(file: URL): WorkerThreads {
  const free: NodeThread[] = [];
  const keep = (thread: NodeThread): void => {
    thread.leave();
    free.push(thread);
    setTimeout(() => {
      const at = free.indexOf(thread);
      if (at >= 0) free.splice(at, 1)[0]?.end();
    }, kept).unref();
  };
  return {
    count: availableParallelism(),
    start(told, lost): WorkerThread {
      let thread = free.pop();
      while (thread && !thread.isFree) thread = free.pop();
      thread ??= new NodeThread(file);
      const own = thread;
      own.serve(told, lost);
      return {
        post: (message) => own.post(message),
        hold: (busy) => own.hold(busy),
        end: () => (own.isFree ? keep(own) : own.end()),
      };
    },
  };
}

let own: WorkerThreads | undefined;

/** Those of this package, the same for all devices. Undefined where this code is TypeScript that Node does not run by itself. */
export function ownThreads(): WorkerThreads | undefined {
  const module = ownModule("entries/emulator-worker");
  const runs = module.pathname.endsWith(".js") || Boolean((process.features as { typescript?: unknown }).typescript);
  if (runs) own ??= nodeThreads(module);
  return own;
}
