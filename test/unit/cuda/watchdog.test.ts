import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asks, watchBytes, watchSlots } from "../../../src/base/watch-layout.ts";
import { makeError } from "../../../src/runtime/errors/index.ts";
import type { WatchedLaunch } from "../../../src/runtime/index.ts";
import { rotating } from "../../support/amount.ts";
import { hasten } from "../../support/hasten.ts";
import { launchOf } from "./launch-of.ts";
import { moduleOptions, type Opened, openFake, ptx } from "./open-fake.ts";

const kernels = { hangs: { parameterBytes: [], hangs: () => {} }, good: { parameterBytes: [] } };
const seconds = 0.02;

/** Judges that the launch has hung whenever it is asked. */
const judge = (): WatchedLaunch => ({
  seconds,
  questions: () => undefined,
  explain: (records, still) =>
    still < seconds || records.length * 4 !== watchBytes ? undefined : makeError("W8010", { what: "end", reason: "it hangs" }),
});

async function launched(watch: WatchedLaunch | undefined): Promise<Opened> {
  const opened = await openFake({ kernels });
  const { backend } = opened;
  backend.watchRecords?.();
  backend.launch({ ...launchOf(backend, backend.loadModule(ptx, moduleOptions("hangs")), {}), watch });
  return opened;
}

describe("a watched launch that hangs", () => {
  beforeEach(() => hasten(10));
  afterEach(() => void vi.restoreAllMocks());

  it("loses the device: the wait ends with what the records say, and disposing calls nothing that would wait", async () => {
    const { device, fake } = await launched(judge());
    const t = device.zeros("f32", [4]);
    await expect(t.read()).rejects.toMatchObject({ code: "W8010" });
    await expect(t.read()).rejects.toMatchObject({ code: "W8009" });
    const calls = fake.calls.length;
    await device.dispose();
    expect(fake.calls.slice(calls).map(({ name }) => name)).toEqual([]);
  });

  it("does not count as hung while the driver writes what the GPU was stopped for", async () => {
    const opened = await openFake({ kernels, version: 13_000, coreDumps: true });
    const { backend, device, fake } = opened;
    backend.watchRecords?.();
    writeFileSync(new TextDecoder().decode(fake.dumpAttributes.get(5)?.subarray(0, -1)), "begun");
    let ended = false;
    backend.launch({ ...launchOf(backend, backend.loadModule(ptx, moduleOptions("hangs")), {}), watch: judge() });
    const wait = device.sync().catch(() => {
      ended = true;
    });
    await sleep(90);
    expect(ended).toBe(false);
    writeFileSync(new TextDecoder().decode(fake.dumpAttributes.get(5)?.subarray(0, -1)), "");
    await wait;
    expect(ended).toBe(true);
  });

  it("is asked, and the report is made of the answers", async () => {
    const words = new Uint32Array(watchSlots).fill(asks(2));
    const heard: number[] = [];
    const watch: WatchedLaunch = {
      ...judge(),
      explain: (records, still) => {
        heard.push(records[0] ?? 0);
        return judge().explain(records, still);
      },
      questions: () => ({ words, answered: (records) => records[0] === 77 }),
    };
    const opened = await launched(watch);
    const { device, fake, backend } = opened;
    const at = backend.watchRecords?.().address ?? 0n;
    const word = (): number => new DataView(fake.memoryAt(at + BigInt(watchBytes), 4).slice().buffer).getUint32(0, true);
    const answering = setInterval(() => {
      if (word() === asks(2)) fake.memoryAt(at, 4)[0] = 77;
    }, 5);
    await expect(device.zeros("f32", [4]).read()).rejects.toMatchObject({ code: "W8010" });
    clearInterval(answering);
    expect(heard).toEqual([0, 77]);
  });

  it("is asked again where one answer leads to the next question", async () => {
    const [first, second] = [asks(2), asks(3)].map((word) => new Uint32Array(watchSlots).fill(word));
    const heard: number[] = [];
    const watch: WatchedLaunch = {
      ...judge(),
      explain: (records, still) => {
        heard.push(records[0] ?? 0);
        return judge().explain(records, still);
      },
      questions: () => ({
        words: first ?? new Uint32Array(),
        answered: (records) => records[0] === 77,
        next: ([told]) => ({
          words: second ?? new Uint32Array(),
          answered: (records) => told === 77 && records[0] === 78,
        }),
      }),
    };
    const { device, fake, backend } = await launched(watch);
    const at = backend.watchRecords?.().address ?? 0n;
    const word = (): number => new DataView(fake.memoryAt(at + BigInt(watchBytes), 4).slice().buffer).getUint32(0, true);
    const answering = setInterval(() => {
      if (word() === asks(2)) fake.memoryAt(at, 4)[0] = 77;
      if (word() === asks(3)) fake.memoryAt(at, 4)[0] = 78;
    }, 5);
    await expect(device.zeros("f32", [4]).read()).rejects.toMatchObject({ code: "W8010" });
    clearInterval(answering);
    expect(heard).toEqual([0, 78]);
  });

  it("is told of as stopped where the device fails when it is asked", async () => {
    let [opened, asked]: [Opened | undefined, boolean] = [undefined, false];
    const watch: WatchedLaunch = {
      seconds,
      explain: (records, still, stopped) =>
        judge().explain(records, still) && makeError("W8010", { what: "end", reason: `${stopped}` }),
      questions: () => ({
        get words() {
          asked = true;
          // CUDA_ERROR_LAUNCH_FAILED
          opened?.fake.refuse.set("cuMemcpyHtoDAsync_v2", [719]);
          return new Uint32Array(watchSlots);
        },
        answered: () => false,
      }),
    };
    opened = await launched(watch);
    await expect(opened.device.zeros("f32", [4]).read()).rejects.toThrow(/stopped/);
    expect(asked).toBe(true);
  });

  it("is told of without answers where none come", async () => {
    const words = new Uint32Array(watchSlots).fill(asks(0));
    const watch: WatchedLaunch = { ...judge(), questions: () => ({ words, answered: () => false }) };
    const { device } = await launched(watch);
    await expect(device.zeros("f32", [4]).read()).rejects.toMatchObject({ code: "W8010" });
  });

  it("is found before a module is loaded, which would wait for it", async () => {
    const { backend } = await launched(judge());
    expect(() => backend.loadModule(ptx, moduleOptions("good"))).toThrow(expect.objectContaining({ code: "W8010" }));
  });

  // What changes does so by the clock.
  it("is given more time as long as something changes", rotating, async () => {
    vi.restoreAllMocks();
    const opened = await openFake({ kernels });
    const { backend, fake, device, stream } = opened;
    const records = backend.watchRecords?.();
    if (!records) throw new Error("a CUDA device has records");
    let asked = 0;
    const explain = () => {
      asked++;
      return makeError("W8010", { what: "end", reason: "it hangs" });
    };
    const watch = { seconds: 2, explain, questions: () => undefined };
    fake.hold(stream);
    backend.launch({ ...launchOf(backend, backend.loadModule(ptx, moduleOptions("good")), {}), watch });
    const change = (): void => {
      const words = fake.memoryAt(records.address, 4);
      words[0] = (words[0] ?? 0) + 1;
    };
    // Something has changed when it looks for the first time, however late timers are.
    change();
    const changing = setInterval(change, 50);
    setTimeout(() => fake.letGo(stream), 3000);
    await device.sync();
    clearInterval(changing);
    expect(asked).toBe(0);
    await device.dispose();
  });
});
