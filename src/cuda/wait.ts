import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/** How long to look again at every turn of the event loop before sleeping between looks. */
const eagerMs = 2;

/** Asks again and again until it is done, never blocking the event loop. What `isDone` throws ends the wait. */
export async function waitUntil(isDone: () => boolean): Promise<void> {
  if (isDone()) return;
  const start = performance.now();
  do {
    if (performance.now() - start < eagerMs) await nextTurn();
    else await sleep(1);
  } while (!isDone());
}
