// What the driver writes when a GPU stops a kernel: dumps of an H200, stripped to what is read, and dumps that are made here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { explainDump } from "../../../src/cuda/core-dump/explain.ts";
import { readCoreDump } from "../../../src/cuda/core-dump/read-dump.ts";
import { createCudaKind } from "../../../src/cuda/index.ts";
import { placeAt } from "../../../src/inspect/cubin/index.ts";
import { RuntimeDevice } from "../../../src/runtime/device.ts";
import { backendOf } from "../../../src/runtime/index.ts";
import { type WrittenDump, writeDump } from "../../support/written-dump.ts";
import { FakeDriver, type FakeOptions } from "./fake-driver.ts";
import { launchOf } from "./launch-of.ts";
import { moduleOptions, noEnvironment, openFake, ptx } from "./open-fake.ts";

const recorded = (name: string): Uint8Array => readFileSync(join(import.meta.dirname, `../../recorded/core-dumps/${name}.core`));
const none: readonly [number, number, number][] = [];

describe("dumps of an H200", () => {
  it("name the warp, the threads that were at it, and the lines", () => {
    const dump = readCoreDump(recorded("store"));
    const [warp, ...others] = dump?.stopped ?? [];
    expect(others).toEqual([]);
    expect(warp).toMatchObject({ exception: 14, block: [2, 0, 0] });
    expect(warp?.threads).toHaveLength(24);
    expect([warp?.threads[0], warp?.threads.at(-1)]).toEqual([
      [40, 0, 0],
      [63, 0, 0],
    ]);
    expect(dump?.images.map((image) => placeAt(image, warp?.at ?? 0))).toEqual([
      { entry: "store", line: { file: "test/faults/probe-kernels.ts", line: 5 }, ptxLine: 32 },
    ]);
  });

  it("of a trap name the thread, at the instruction before the one that it stands at", () => {
    const dump = readCoreDump(recorded("trap"));
    expect(dump?.stopped.map(({ at, ...rest }) => ({ ...rest, line: placeAt(dump.images[0]!, at ?? 0)?.line?.line }))).toEqual([
      { exception: "trap", block: [0, 0, 0], threads: [[33, 0, 0]], line: 26 },
      { exception: "trap", block: [1, 0, 0], threads: [[33, 0, 0]], line: 26 },
    ]);
  });

  it("of several warps name each, and leave those out that were stopped with them", () => {
    expect(readCoreDump(recorded("load"))?.stopped.map(({ block, threads }) => [block, threads[0]])).toEqual([
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
      [
        [1, 0, 0],
        [0, 0, 0],
      ],
      [
        [0, 1, 0],
        [0, 0, 0],
      ],
      [
        [1, 1, 0],
        [0, 0, 0],
      ],
    ]);
  });

  it("of a warp that is gone have the exception alone", () => {
    expect(readCoreDump(recorded("ended"))?.stopped).toEqual([{ exception: 18, at: undefined, block: undefined, threads: none }]);
  });

  it("that are cut off or damaged are as good as none, or say less, and nothing is thrown", () => {
    const whole = recorded("store");
    for (let bytes = 0; bytes < whole.length; bytes += 97) expect(readCoreDump(whole.subarray(0, bytes))).toBeUndefined();
    for (let at = 0; at < whole.length; at += 13) {
      const bad = whole.slice();
      bad[at] = 0xff ^ (bad[at] ?? 0);
      const dump = readCoreDump(bad);
      for (const { at: place } of dump?.stopped ?? [])
        expect(() => dump?.images.map((image) => placeAt(image, place ?? 0))).not.toThrow();
    }
    expect(readCoreDump(new Uint8Array(0))).toBeUndefined();
    expect(readCoreDump(new TextEncoder().encode("no dump".repeat(100)))).toBeUndefined();
  });
});

const dump: WrittenDump = {
  entry: "bad",
  line: { file: "kernel.cu", line: 77 },
  ptxLine: 5,
  warps: [{ block: [3, 1, 0], exception: 14, threads: [[4, 0, 0]] }],
};

async function failing(change: Partial<WrittenDump> | Uint8Array, options: FakeOptions = { version: 13_000, coreDumps: true }) {
  const bytes = change instanceof Uint8Array ? change : writeDump({ ...dump, ...change });
  const opened = await openFake({ ...options, kernels: { bad: { parameterBytes: [], dumps: () => bytes } } });
  const { backend, device } = opened;
  const launch = (more: Parameters<typeof launchOf>[2] = {}): void =>
    backend.launch(launchOf(backend, backend.loadModule(ptx, moduleOptions("bad")), more));
  const thrown = (): Promise<unknown> =>
    device.sync().then(
      () => undefined,
      (error: unknown) => error,
    );
  return { ...opened, launch, thrown };
}

const own = { instruction: "st.global.b32", spans: [{ file: "kernel.cu", line: 77, column: 5, length: 3 }] };

describe("a launch that the GPU stops", () => {
  it("is told at its line, although the driver's event passes", async () => {
    const { launch, thrown, device } = await failing({});
    const asked: number[] = [];
    launch({
      placeOf: (line) => {
        asked.push(line);
        return own;
      },
    });
    const error = await thrown();
    expect(error).toMatchObject({
      code: "W7756",
      sentence: "bad used memory that is not there: thread 4 of block (3, 1, 0), at st.global.b32.",
      spans: [own.spans[0], { file: "main.ts", line: 7, note: "launched at" }],
    });
    expect(asked).toContain(5);
    await expect(device.sync()).rejects.toMatchObject({ code: "W8009" });
    await device.dispose();
  });

  it("never gives what a read finds behind it", async () => {
    const { launch, device } = await failing({});
    const t = device.zeros("f32", [4]);
    launch();
    await expect(t.read()).rejects.toMatchObject({ code: "W7756" });
  });

  it("of other compilers is told at the whole line that the image names", async () => {
    const { launch, thrown } = await failing({});
    launch();
    expect(await thrown()).toMatchObject({
      code: "W7756",
      spans: [{ file: "kernel.cu", line: 77, column: 1 }, { note: "launched at" }],
    });
  });

  it("is not told at a place that is another kernel's of the same name", async () => {
    const { launch, thrown } = await failing({});
    launch({ placeOf: () => ({ ...own, spans: [{ file: "kernel.cu", line: 78, column: 5, length: 3 }] }) });
    expect(await thrown()).toMatchObject({
      spans: [{ line: 77 }, { note: "launched at" }],
      sentence: expect.not.stringContaining("st.global"),
    });
  });

  it("is told at the launch where the image has no lines", async () => {
    const { line: _, ptxLine: __, ...bare } = dump;
    const { launch, thrown } = await failing(writeDump(bare));
    launch();
    expect(await thrown()).toMatchObject({ code: "W7756", spans: [{ file: "main.ts", line: 7 }] });
  });

  it.each([
    [1, "W7756"],
    [6, "W7757"],
    [5, "W7758"],
    [4, "W7759"],
    [17, "W7761"],
    [18, "W7761"],
    [9, "W7762"],
    [77, "W7762"],
  ])("exception %i is %s", async (exception, code) => {
    const { launch, thrown } = await failing({ warps: [{ block: [0, 0, 0], exception, threads: [[0, 0, 0]] }] });
    launch();
    expect(await thrown()).toMatchObject({ code });
  });

  it("a trap names the threads that trapped, an exception those of which one did it", async () => {
    const threads = [
      [0, 1, 0],
      [1, 1, 0],
      [2, 1, 0],
    ] as const;
    const block = [4, 4, 1] as const;
    const trapped = await failing({ warps: [{ block: [0, 0, 0], exception: 0, trapped: true, threads }] });
    trapped.launch({ block });
    expect(await trapped.thrown()).toMatchObject({
      code: "W7760",
      sentence: "bad trapped: threads (0, 1, 0) to (2, 1, 0) of block (0, 0, 0).",
    });
    const [one, two] = [1, 0].map((x) => ({ block: [x, 0, 0] as const, exception: 6, threads }));
    const failed = await failing({ warps: [one!, two!] });
    failed.launch({ block });
    expect(await failed.thrown()).toMatchObject({
      sentence: expect.stringContaining(": one of the threads (0, 1, 0) to (2, 1, 0) of block (0, 0, 0), and one more warp."),
    });
  });

  it("a warp that is gone leaves the multiprocessor's exception", async () => {
    const { launch, thrown } = await failing({ warps: [], exceptionOfAll: 18 });
    launch();
    expect(await thrown()).toMatchObject({ code: "W7761", spans: [{ line: 7 }] });
  });

  it("is W8008 where the dump cannot be read, which guesses no reason and does not advise what is done already", async () => {
    const { launch, thrown } = await failing(Uint8Array.of(1, 2, 3));
    launch();
    expect(await thrown()).toMatchObject({
      code: "W8008",
      sentence: "The kernel bad failed on the device: the GPU stopped it, and the core dump that says why cannot be read.",
      message: expect.not.stringContaining("WARPSMITH_WATCH"),
      spans: [{ line: 7 }],
    });
  });

  it("waits for a dump that the driver is still at, as long as it grows now and then", () => {
    const whole = writeDump(dump);
    let looks = 0;
    const read = () => whole.subarray(0, ++looks > 30 ? undefined : looks > 15 ? 300 : 100);
    expect(explainDump({ written: true, read }, [])).toMatchObject({ code: "W7756" });
    expect(looks).toBe(31);
  });

  it("gives up a dump that stays what cannot be read", () => {
    let looks = 0;
    const part = writeDump(dump).subarray(0, 300);
    const read = () => {
      looks += 1;
      return part;
    };
    expect(explainDump({ written: true, read }, [])).toBeUndefined();
    expect(looks).toBe(21);
  });

  it("ends the process without the driver, as far as that can be had", async () => {
    const bytes = writeDump(dump);
    const kernels = { bad: { parameterBytes: [], dumps: () => bytes } };
    const { library } = new FakeDriver({ version: 13_000, coreDumps: true, kernels });
    const leaveAtExit = vi.fn();
    const kind = createCudaKind(async () => ({ library: { ...library, leaveAtExit } }));
    const device = new RuntimeDevice(await kind.open(0, { ...noEnvironment, watch: "on" }));
    const backend = backendOf(device);
    await device.sync();
    expect(leaveAtExit).not.toHaveBeenCalled();
    backend.launch(launchOf(backend, backend.loadModule(ptx, moduleOptions("bad"))));
    await expect(device.sync()).rejects.toMatchObject({ code: "W7756" });
    expect(leaveAtExit).toHaveBeenCalledOnce();
  });

  it("tells of an assertion first", async () => {
    const { launch, thrown } = await failing({});
    const { makeError } = await import("../../../src/kernel/errors.ts");
    launch({ explain: () => makeError("W7515", { kernel: "bad", message: "no", who: "thread 1", lost: true }) });
    expect(await thrown()).toMatchObject({ code: "W7515" });
  });
});

describe("dumps are asked for", () => {
  const open = (fake: FakeDriver, environment: { watch?: "off" | undefined } = {}) =>
    createCudaKind(async () => ({ library: fake.library })).open(0, { ...noEnvironment, watch: "on", ...environment });
  const asked = (fake: FakeDriver): boolean => fake.dumpAttributes.get(1)?.[0] === 1;

  it("at the context alone, and its flags are given back", async () => {
    const fake = new FakeDriver({ version: 13_000, coreDumps: true });
    fake.contextFlags = 4;
    const device = new RuntimeDevice(await open(fake));
    expect([fake.contextFlags, asked(fake)]).toEqual([0x24, true]);
    expect(new Uint32Array(fake.dumpAttributes.get(7)?.buffer ?? new ArrayBuffer(4))[0]).toBe(0x3f);
    await device.dispose();
    expect(fake.contextFlags).toBe(4);
  });

  it("once for two devices on one context, both of which know of the dump", async () => {
    const bytes = writeDump(dump);
    const fake = new FakeDriver({
      version: 13_000,
      coreDumps: true,
      kernels: { bad: { parameterBytes: [], dumps: () => bytes } },
    });
    const [one, two] = [new RuntimeDevice(await open(fake)), new RuntimeDevice(await open(fake))];
    await one.dispose();
    expect(fake.contextFlags).toBe(0x20);
    const backend = backendOf(two);
    backend.launch(launchOf(backend, backend.loadModule(ptx, moduleOptions("bad"))));
    await expect(two.sync()).rejects.toMatchObject({ code: "W7756" });
    await two.dispose().catch(() => {});
    expect(fake.contextFlags).toBe(0);
  });

  it.each<[string, FakeOptions, { watch?: "off" | undefined }, ((fake: FakeDriver) => void)?]>([
    ["by a driver that would end the process", { version: 12_050, coreDumps: true }, {}],
    ["by a driver without them", { version: 13_000 }, {}],
    ["where somebody else has asked", { version: 13_000, coreDumps: "others" }, {}],
    ["where nobody asks", { version: 13_000, coreDumps: true }, { watch: undefined }],
    ["where WARPSMITH_WATCH is off", { version: 13_000, coreDumps: true }, { watch: "off" }],
    ["of a context that others have made", { version: 13_000, coreDumps: true }, {}, (fake) => void fake.contexts++],
    [
      "where the flag is refused",
      { version: 13_000, coreDumps: true },
      {},
      (fake) => void fake.refuse.set("cuDevicePrimaryCtxSetFlags_v2", [1]),
    ],
  ])("not %s", async (_, options, environment, before) => {
    const fake = new FakeDriver({ ...options, kernels: { bad: { parameterBytes: [], dumps: () => writeDump(dump) } } });
    before?.(fake);
    const device = new RuntimeDevice(await open(fake, environment));
    expect(asked(fake)).toBe(false);
    const backend = backendOf(device);
    backend.launch(launchOf(backend, backend.loadModule(ptx, moduleOptions("bad"))));
    await expect(device.sync()).rejects.toMatchObject({ code: "W8008" });
    await device.dispose().catch(() => {});
  });

  it("and switched off where the driver does not take the file", async () => {
    const fake = new FakeDriver({ version: 13_000, coreDumps: true });
    fake.refuse.set("cuCoredumpSetAttribute", [0, 1]);
    await open(fake);
    expect(fake.dumpAttributes.get(1)?.[0]).toBe(0);
  });

  it("with flags restored where there is no context", async () => {
    const fake = new FakeDriver({ version: 13_000, coreDumps: true });
    fake.refuse.set("cuDevicePrimaryCtxRetain", [2]);
    await expect(open(fake)).rejects.toMatchObject({ code: "W8004" });
    expect(fake.contextFlags).toBe(0);
  });
});
