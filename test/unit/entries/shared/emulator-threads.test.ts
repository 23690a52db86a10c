import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { nodeThreads } from "../../../../src/entries/shared/emulator-threads.ts";

const folder = mkdtempSync(join(tmpdir(), "threads-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Says which thread it is, then so of each message. */
const file = join(folder, "worker.mjs");
writeFileSync(
  file,
  `import { parentPort, threadId } from "node:worker_threads";
parentPort.postMessage([threadId, "ready"]);
parentPort.on("message", (message) => parentPort.postMessage([threadId, message]));`,
);

type Said = readonly [thread: number, what: string];
const threads = nodeThreads(pathToFileURL(file));

/** A thread, and what it says, one after the other. */
function start() {
  const said: Said[] = [];
  let heard: (() => void) | undefined;
  const told = (message: unknown): void => {
    said.push(message as Said);
    heard?.();
  };
  const thread = threads.start(told, (reason) => {
    throw reason;
  });
  const next = async (): Promise<Said> => {
    while (said.length === 0)
      await new Promise<void>((go) => {
        heard = go;
      });
    return said.shift() as Said;
  };
  return { thread, next, said };
}

it("a thread that nobody needs any more serves the next one, who hears that it is ready", async () => {
  const first = start();
  const [id] = await first.next();
  first.thread.end();
  const second = start();
  expect(second.said).toEqual([]);
  expect(await second.next()).toEqual([id, "ready"]);
  second.thread.post("one");
  expect(await second.next()).toEqual([id, "one"]);
  expect(first.said).toEqual([]);
  second.thread.end();
});

it("each has its own", async () => {
  const both = [start(), start()];
  const [a, b] = await Promise.all(both.map(({ next }) => next()));
  expect(a?.[0]).not.toBe(b?.[0]);
  for (const { thread } of both) thread.end();
});

it("one that is still at work is ended", async () => {
  const busy = start();
  const [id] = await busy.next();
  busy.thread.hold(true);
  busy.thread.end();
  const next = start();
  const [other] = await next.next();
  expect(other).not.toBe(id);
  next.thread.end();
});
