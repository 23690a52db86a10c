/** A worker thread of the emulator on Node. */
import { parentPort } from "node:worker_threads";
import { createWorker } from "../emulator/index.ts";

const run = createWorker((what) => parentPort?.postMessage(what));
parentPort?.on("message", run);
