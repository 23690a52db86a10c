import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { WorkerThreads } from "./emulator/index.ts";

/** Worker threads of Node that run a module: `emulator-worker`, or what was made of it. */
export const nodeThreads = (file: URL): WorkerThreads => ({
  count: availableParallelism(),
  start(told, lost) {
    const worker = new Worker(file, { execArgv: [], env: {} });
    worker.on("message", told);
    worker.on("error", lost);
    worker.unref();
    return {
      post: (message) => worker.postMessage(message),
      hold: (busy) => void (busy ? worker.ref() : worker.unref()),
      end: () => void worker.terminate(),
    };
  },
});

/** Undefined where this code is TypeScript that Node does not run by itself. */
export function ownThreads(): WorkerThreads | undefined {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const runs = ending === "js" || Boolean((process.features as { typescript?: unknown }).typescript);
  return runs ? nodeThreads(new URL(`./emulator-worker.${ending}`, import.meta.url)) : undefined;
}
