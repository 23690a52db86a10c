import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");
const gc = runInNewContext("gc") as () => void;

let begun: Promise<void> | undefined;

async function collect(): Promise<void> {
  // Whoever runs beside this one drops what it has to drop before.
  await sleep(0);
  begun = undefined;
  gc();
  await sleep(5);
}

/** Collects it, and lets those know who are told of what is gone. Those who ask before it begins share it: where a process holds much, it takes a second. */
export function collectGarbage(): Promise<void> {
  begun ??= collect();
  return begun;
}

/** Collects garbage, again and again, until it holds; fails after twenty times. */
export async function collectUntil(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await collectGarbage();
    if (holds()) return;
  }
  throw new Error("it is still there");
}
