// Writes down which modules a process loads, in modules.txt beside this file: node --import ./list-modules.mjs main.mjs
import { appendFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

// The hooks run in a thread of Node's own, which loads this file, too.
if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  appendFileSync(new URL("./modules.txt", import.meta.url), `${url}\n`);
  return next(url, context);
}
