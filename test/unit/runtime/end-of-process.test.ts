import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { assert, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { watchEnd } from "../../../src/runtime/end-of-process.ts";
import { RuntimeDevice } from "../../../src/runtime/index.ts";
import { launchOf } from "../cuda/launch-of.ts";
import { moduleOptions, openFake, ptx } from "../cuda/open-fake.ts";

const small = kernel({ block: 32, grid: 1, debug: true }, function small(x: Tensor<"i32", 1>) {
  assert(x[threadIdx.x]! < 10, "too big");
});

/** What `process` does when nothing is left to do, and at its very end. */
class Process extends EventEmitter {
  exitCode: number | undefined = undefined;
  /** Ends as Node does: again and again, as long as something was begun. */
  async end(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      this.emit("beforeExit");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.emit("exit");
  }
}

const told: unknown[] = [];
beforeEach(() => {
  told.length = 0;
  vi.spyOn(console, "error").mockImplementation((...words) => void told.push(...words));
});
afterEach(() => vi.restoreAllMocks());

async function open(): Promise<{ device: RuntimeDevice; ended: Process; fails: () => void }> {
  const device = await openDevice("emulator");
  if (!(device instanceof RuntimeDevice)) throw new Error("this is another device");
  const ended = new Process();
  watchEnd(new Set([device.home]), ended);
  const x = device.tensor("i32", [32], Array<number>(32).fill(20));
  return { device, ended, fails: () => small.launch({}, x) };
}

it("what nobody waited for is told when the process ends, once, with exit code 1", async () => {
  const { device, ended, fails } = await open();
  fails();
  await ended.end();
  expect(told).toEqual([expect.stringMatching(/^W7515 .*too big/)]);
  expect(ended.exitCode).toBe(1);
  await device.dispose();
});

it("what somebody was told is not told again", async () => {
  const { device, ended, fails } = await open();
  fails();
  await expect(device.sync()).rejects.toThrow("too big");
  await ended.end();
  expect(told).toEqual([]);
  expect(ended.exitCode).toBeUndefined();
  await device.dispose();
});

it("what a listener for the end launches is waited for, too; where nothing is launched, nothing is waited for", async () => {
  const { device, ended, fails } = await open();
  const synchronize = vi.spyOn(device.home.backend, "synchronize");
  await ended.end();
  expect(synchronize).not.toHaveBeenCalled();
  fails();
  await ended.end();
  expect([told.length, synchronize.mock.calls.length]).toEqual([1, 1]);
  fails();
  await ended.end();
  expect([told.length, synchronize.mock.calls.length]).toEqual([2, 2]);
  await device.dispose();
});

it("after process.exit() what is known by then is told, and the author's exit code stays", async () => {
  const { device, ended, fails } = await open();
  fails();
  // Turns of the loop, not time: on a busy machine one timer may come before anything has run.
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
  ended.exitCode = 0;
  ended.emit("exit");
  expect(told).toEqual([expect.stringMatching(/^W7515 /)]);
  expect(ended.exitCode).toBe(0);
  await device.dispose().catch(() => {});
});

it("a CUDA device tells at the end what ruined it, and not what everybody has heard of", async () => {
  const { device, backend } = await openFake({ kernels: { bad: { parameterBytes: [], run: () => 700 } } });
  const ended = new Process();
  watchEnd(new Set([device.home]), ended);
  backend.launch(launchOf(backend, backend.loadModule(ptx, moduleOptions("bad"))));
  device.home.launches += 1;
  await ended.end();
  expect(told).toEqual([expect.stringMatching(/^W8008 /)]);
  expect(ended.exitCode).toBe(1);
  device.home.launches += 1;
  await ended.end();
  expect(told.length).toBe(1);
  await device.dispose();
});
