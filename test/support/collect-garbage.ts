import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");
const gc = runInNewContext("gc") as () => void;

/** Collects it, and lets those know who are told of what is gone. */
export async function collectGarbage(): Promise<void> {
  gc();
  await sleep(5);
}

/** Collects garbage, again and again, until it holds; fails after five seconds. */
export async function collectUntil(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 5000; performance.now() < end; ) {
    await collectGarbage();
    if (holds()) return;
  }
  throw new Error("it is still there");
}
