import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Device, openDevice } from "warpsmith";
import type { Chapter } from "../../../../examples/chapter.ts";
import { noSpans, type WarpsmithError } from "../../../../src/base/diag/index.ts";
import { EmulatorDevice, type EmulatorOptions, type LaunchProgress, type WorkerThreads } from "../../../../src/emulator/index.ts";
import { nodeThreads } from "../../../../src/entries/shared/emulator-threads.ts";
import { registerDeviceKind } from "../../../../src/runtime/device-registry.ts";
import { launchPtx, parseArguments } from "../../../../src/tools/launch-ptx/index.ts";
import { loadPtx } from "../../../../src/tools/load-ptx/index.ts";
import { allCases } from "../../../cases/index.ts";
import { type Kernel, ptxOf, runPtx, wordsOf } from "../run-ptx.ts";
import { type BundledWorker, bundleWorker } from "./bundled-worker.ts";

let worker: BundledWorker;
let spread: EmulatorOptions;
beforeAll(async () => {
  worker = await bundleWorker();
  // All clusters of every launch, so that the small ones of these tests count.
  spread = { workers: worker.threads, patience: { trial: 0, rest: 0, start: 0 } };
}, 60_000);
afterAll(() => worker.remove());

/** Launches that workers were given meanwhile. */
async function jobsOf(what: () => Promise<unknown>): Promise<number> {
  const before = worker.jobs();
  await what();
  return worker.jobs() - before;
}

/** What a device with and one without workers leaves, the same. */
async function both(k: Kernel): Promise<DataView> {
  const alone = await runPtx(k);
  let together = alone;
  const jobs = await jobsOf(async () => {
    together = await runPtx({ ...k, options: { ...k.options, ...spread } });
  });
  expect(jobs).toBe(1);
  expect(Buffer.from(together.buffer).equals(Buffer.from(alone.buffer))).toBe(true);
  return together;
}

const failureOf = (run: Promise<unknown>): Promise<Error> =>
  run.then(
    () => new Error("it does not fail"),
    (error: Error) => error,
  );

/** Fails the same way with and without workers; gives how. */
async function bothFail(k: Kernel): Promise<string> {
  const [alone, together] = [await failureOf(runPtx(k)), await failureOf(runPtx({ ...k, options: spread }))];
  expect(together.message).toBe(alone.message);
  return together.message;
}

/** A device that remembers what it gave to the host. */
class Witness extends EmulatorDevice {
  readonly seen: Buffer[] = [];
  override async download(...args: Parameters<EmulatorDevice["download"]>): Promise<Uint8Array> {
    const bytes = await super.download(...args);
    this.seen.push(Buffer.from(bytes));
    return bytes;
  }
}

/** What a program reads on a device with these options. */
async function readsOf(options: EmulatorOptions, program: (device: Device) => Promise<unknown>): Promise<readonly Buffer[]> {
  const witness = new Witness(options);
  const takeBack = registerDeviceKind({
    kind: "emulator",
    probe: async () => ({ kind: "emulator", devices: [{ index: 0, name: "emulator", computeCapability: [9, 0] }] }),
    open: async () => witness,
  });
  try {
    await using device = await openDevice("emulator");
    await program(device);
    return witness.seen;
  } finally {
    takeBack();
  }
}

describe("programs on worker threads read what they read on one", () => {
  const same = async (program: (device: Device) => Promise<unknown>): Promise<void> => {
    expect(await readsOf(spread, program)).toEqual(await readsOf({}, program));
  };
  it.each(["ch0", "ch1", "ch2", "ch3", "ch4", "ch5"])(
    "%s",
    async (name) => {
      const { chapter } = (await import(join(import.meta.dirname, "../../../../examples", name, "main.ts"))) as {
        chapter: Chapter;
      };
      // Chapters 0 and 3 have one block.
      expect(await jobsOf(() => same((device) => chapter.run(device, 0)))).toBe(["ch0", "ch3"].includes(name) ? 0 : 1);
    },
    60_000,
  );

  const sample = allCases.filter((c) =>
    /^(atomics\/(?!shared)|cluster|logs|asserts|log|assert|programs|tma\/(box.*store|store-f16))/.test(c.name),
  );
  it.each(sample.map((c) => [c.name, c] as const))("%s", async (_, c) => same((device) => c.run(device)), 60_000);
});

it("textures and surfaces on worker threads hold what they hold on one", async () => {
  const ptx = `.version 8.0\n.target sm_90a\n.address_size 64
.visible .entry k(.param .u64 t, .param .u64 s, .param .u64 n)
{ .reg .b64 %d<3>; .reg .b32 %r<6>; .reg .f32 %f<5>, %x;
  ld.param.u64 %d0, [t]; ld.param.u64 %d1, [s]; ld.param.u64 %d2, [n];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r0, %r0, 32, %r1;
  cvt.rn.f32.u32 %x, %r0; shl.b32 %r2, %r0, 2;
  tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%x}];
  sust.b.1d.b32.zero [%d1, {%r2}], %f0;
  sured.b.add.1d.u32.zero [%d2, {0}], %r0;
  ret; }`;
  const buffers = ["x=f32[256]:randn:1", "y=f32[256]:zeros:out", "sum=u32[1]:zeros:out"];
  const launch = {
    ...({ entry: "k", grid: [8, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1], sharedBytes: 0 } as const),
    ...parseArguments(buffers, ["tex:@x:f32[256]:linear", "surf:@y:f32[256]", "surf:@sum:u32[1]"]),
  };
  const run = (device: Device) => launchPtx(device, loadPtx(ptx), launch, () => new Uint8Array());
  const [alone, together] = [await readsOf({}, run), await readsOf(spread, run)];
  expect(together).toEqual(alone);
  expect(alone[1]?.readUInt32LE()).toBe((255 * 256) / 2);
  expect(await jobsOf(() => readsOf(spread, run))).toBe(1);
});

describe("what may be spread", () => {
  const perThread = "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 7, %tid; mov.u32 %r0, %r1;";
  const grid = [8, 1, 1] as const;
  const words = (body: string, rest: Partial<Kernel> = {}): Promise<Int32Array> =>
    wordsOf(body, 32, { grid, ...rest, options: spread });

  it("blocks that know nothing of each other", async () => {
    let result: Int32Array = new Int32Array();
    expect(
      await jobsOf(async () => {
        result = await words(perThread);
      }),
    ).toBe(1);
    expect([...result]).toEqual(Array.from({ length: 256 }, (_, i) => 7 * (i >> 5) + (i & 31)));
  });

  it("not a launch of one block", async () => {
    expect(await jobsOf(() => words(perThread, { grid: [1, 1, 1] }))).toBe(0);
  });

  it("not with a timeline or another schedule", async () => {
    const profiles = { room: () => 0, take: () => {} };
    for (const options of [{ profiles }, { schedule: "lazy" }, { schedule: 3 }, { threads: 1 }] as const)
      expect(await jobsOf(() => wordsOf(perThread, 32, { grid, options: { ...spread, ...options } }))).toBe(0);
  });

  const once = "ld.acquire.gpu.global.u32 %r0, [%in];";
  const spins = `setp.eq.u32 %p0, %thread, 99;
again: ld.acquire.gpu.global.u32 %r0, [%in]; @%p0 bra again;`;
  const trapping = `setp.eq.u32 %p0, %thread, 99; @!%p0 bra on;
again: ld.relaxed.gpu.global.u32 %r0, [%in]; setp.eq.u32 %p1, %r0, 7; @%p1 bra again; trap;
on: mov.u32 %r0, 1;`;
  it.each([
    ["an acquire that nobody repeats", once, 1],
    ["a loop of acquires", spins, 0],
    ["one that ends in a trap only", trapping, 1],
    [
      "a loop of atomics with a result",
      spins.replace("ld.acquire.gpu.global.u32 %r0, [%in]", "atom.global.add.u32 %r0, [%in], 1"),
      0,
    ],
    ["a loop of reductions", spins.replace("ld.acquire.gpu.global.u32 %r0, [%in]", "red.global.add.u32 [%in], 1"), 1],
    ["a loop of plain loads", spins.replace("ld.acquire.gpu.global", "ld.global"), 1],
    [
      "a loop of atomics in shared memory",
      spins.replace("ld.acquire.gpu.global.u32 %r0, [%in]", "atom.shared.add.u32 %r0, [smem], 1"),
      1,
    ],
    ["the clock", "mov.u32 %r0, %clock;", 0],
  ])("%s", async (_, body, jobs) => {
    expect(await jobsOf(() => words(body, { sharedBytes: 16 }))).toBe(jobs);
  });
});

describe("blocks that tell each other something", () => {
  /** Blocks with low numbers take longest, so that others are ready first. */
  const delay = `mov.u32 %r10, %ctaid.x; sub.u32 %r10, 16, %r10; mul.lo.u32 %r10, %r10, 400;
wait: sub.u32 %r10, %r10, 1; setp.ne.u32 %p9, %r10, 0; @%p9 bra wait;`;
  const kernel = (body: string, outputBytes: number): Kernel => ({ body: delay + body, outputBytes, grid: [16, 1, 1] });

  it("get tickets in the order of one thread", async () => {
    const out = await both(
      kernel(
        `atom.global.add.u32 %r0, [%in], 1;
mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 32, %thread; mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %out, %d0; st.global.u32 [%d0], %r0;`,
        4 * 512,
      ),
    );
    expect(Array.from({ length: 512 }, (_, i) => out.getInt32(4 * i, true))).toEqual(Array.from({ length: 512 }, (_, i) => i));
  });

  it("add floats in the order of one thread", async () => {
    const out = await both(
      kernel(
        "mov.u32 %r1, %ctaid.x; cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3DCCCCCD; rcp.approx.f32 %f1, %f1; red.global.add.f32 [%out], %f1;",
        16,
      ),
    );
    expect(out.getFloat32(0, true)).toBeGreaterThan(300);
  });

  it("the last one sees what all have written", async () => {
    const body = `mov.u32 %r1, %ctaid.x; mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %out, %d0; add.u32 %r2, %r1, 1;
setp.ne.u32 %p0, %thread, 0; @%p0 bra done;
st.global.u32 [%d0], %r2; fence.acq_rel.gpu; atom.global.add.u32 %r3, [%in], 1; setp.ne.u32 %p0, %r3, 15; @%p0 bra done;
fence.acq_rel.gpu; mov.u32 %r4, 0; mov.u32 %r5, 0;
sum: mul.wide.u32 %d1, %r5, 4; add.u64 %d1, %out, %d1; ld.global.u32 %r6, [%d1]; add.u32 %r4, %r4, %r6; add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 16; @%p1 bra sum; st.global.u32 [%out+64], %r4;
done:`;
    expect((await both(kernel(body, 80))).getInt32(64, true)).toBe(136);
  });

  it("print in the order of one thread", async () => {
    const print = (options: EmulatorOptions) => async (): Promise<readonly string[]> => {
      const lines: string[] = [];
      const module = `.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 text[] = {98, 108, 111, 99, 107, 32, 37, 100, 10, 0};`;
      const body = `${delay} setp.ne.u32 %p0, %thread, 0; @%p0 bra done;
{ .local .align 8 .b8 args[8]; .reg .b32 %n; .reg .b64 %a, %t; .param .b64 f; .param .b64 v; .param .b32 r;
mov.u32 %n, %ctaid.x; st.local.u32 [args], %n; mov.u64 %a, args; cvta.local.u64 %a, %a; mov.u64 %t, text; cvta.global.u64 %t, %t;
st.param.b64 [f], %t; st.param.b64 [v], %a; call.uni (r), vprintf, (f, v); }
done:`;
      const print = (line: string): void => void lines.push(line);
      await runPtx({ module, body, outputBytes: 16, grid: [16, 1, 1], options: { ...options, print } });
      return lines;
    };
    const expected = Array.from({ length: 16 }, (_, i) => `block ${i}`);
    expect(await print({})()).toEqual(expected);
    expect(await jobsOf(async () => expect(await print(spread)()).toEqual(expected))).toBe(1);
  });
});

describe("what fails on worker threads", () => {
  const at = (condition: string, what: string): Kernel => ({
    body: `mov.u32 %r0, %ctaid.x; ${condition} @!%p0 bra fine; ${what} fine: st.global.u32 [%out], %r0;`,
    outputBytes: 16,
    grid: [12, 1, 1],
  });

  it("says it as one thread does", async () => {
    expect(await bothFail(at("setp.eq.u32 %p0, %r0, 5;", "trap;"))).toMatch(/W9003 .*it trapped, in warp 0 of block \(5, 0, 0\)/);
    expect(await bothFail(at("setp.eq.u32 %p0, %r0, 3;", "mov.u64 %d0, 64; ld.global.u32 %r1, [%d0];"))).toContain(
      "block (3, 0, 0)",
    );
    expect(await bothFail(at("setp.eq.u32 %p0, %r0, 3;", "bar.sync 1, 64;"))).toMatch(/^W9001/);
  });

  it("is that of the first block, whoever fails first", async () => {
    const slow = "mov.u32 %r10, 20000; wait: sub.u32 %r10, %r10, 1; setp.ne.u32 %p9, %r10, 0; @%p9 bra wait;";
    const k = at("setp.ge.u32 %p0, %r0, 2;", `setp.eq.u32 %p1, %r0, 2; @!%p1 bra now; ${slow} now: trap;`);
    expect(await bothFail(k)).toContain("block (2, 0, 0)");
  });

  it("names the threads of one cluster where all wait for ever", async () => {
    const k: Kernel = { body: "bar.sync 1, 64;", grid: [12, 1, 1], outputBytes: 16 };
    const [alone, together] = [await failureOf(runPtx(k)), await failureOf(runPtx({ ...k, options: spread }))];
    for (const { message } of [alone, together]) expect(message).toMatch(/^W9001 [\s\S]*warp 0 of block \(0, 0, 0\)/);
    expect((together as WarpsmithError).spans).toEqual((alone as WarpsmithError).spans);
    expect(together.message).not.toContain("block (1, 0, 0)");
  });

  it("after the others have taken over, on the thread of the device", async () => {
    const device = new EmulatorDevice({ ...spread, patience: { trial: 5, rest: 0, start: 0 } });
    const loop = (times: number): string =>
      `mov.u32 %r10, ${times}; wait: sub.u32 %r10, %r10, 1; setp.ne.u32 %p9, %r10, 0; @%p9 bra wait;`;
    const warm = launcher(device, loop(20_000));
    for (let i = 0; i < 20; i++) warm.run();
    await device.synchronize();
    const failing = launcher(
      device,
      `mov.u32 %r0, %ctaid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra fine; ${loop(400_000)} trap; fine: st.global.u32 [%out], 7;`,
    );
    failing.run();
    const before = worker.jobs();
    await expect(device.synchronize()).rejects.toThrow(/W9003 .*block \(0, 0, 0\)/);
    expect(worker.jobs()).toBe(before + 1);
    warm.run();
    await device.synchronize();
    await device.dispose();
  });

  it("stops those who wait for their turn", async () => {
    const k = at("setp.eq.u32 %p0, %r0, 1;", "trap;");
    expect(await bothFail({ ...k, body: `red.global.add.u32 [%in], 1; ${k.body}` })).toContain("block (1, 0, 0)");
  });

  it("leaves the device usable", async () => {
    const device = new EmulatorDevice(spread);
    const launch = launcher(
      device,
      "mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 3; ld.global.u32 %r1, [%in]; setp.eq.u32 %p1, %r1, 0; and.pred %p0, %p0, %p1; @%p0 trap; st.global.u32 [%out], 9;",
    );
    launch.run();
    await expect(device.synchronize()).rejects.toThrow("W9003");
    device.upload(device.defaultStream, launch.input, Uint8Array.of(1, 0, 0, 0));
    launch.run();
    expect((await device.download(device.defaultStream, launch.output, 1))[0]).toBe(9);
    await device.dispose();
  });
});

const endless = "wait: ld.global.u32 %r1, [%in]; setp.eq.u32 %p0, %r1, 0; @%p0 st.global.u32 [%out], %r1; @%p0 bra wait;";

/** A kernel of 8 blocks, and its two buffers. */
function launcher(device: EmulatorDevice, body: string): { run(): void; readonly input: bigint; readonly output: bigint } {
  const [input, output] = [device.allocate(16), device.allocate(16)];
  const module = device.loadModule(ptxOf({ body }), { entry: "k", kernel: "k", parameterBytes: [8, 8], dynamicSharedBytes: 0 });
  const parameters = device.parameters(module);
  parameters.views[0]?.setBigUint64(0, input, true);
  parameters.views[1]?.setBigUint64(0, output, true);
  const dims = { grid: [8, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1] } as const;
  const rest = { sharedBytes: 0, stream: device.defaultStream, overlapPrevious: false, spans: noSpans };
  return { run: () => device.launch({ module, parameters, ...dims, ...rest }), input, output };
}

describe("workers", () => {
  const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

  it("leave the thread of the device free", async () => {
    const device = new EmulatorDevice(spread);
    launcher(device, endless).run();
    const before = worker.jobs();
    while (worker.jobs() === before) await later(5);
    // The least of some: on a busy machine a thread may be kept from ending its turns.
    const found: number[] = [];
    for (let i = 0; i < 5 && found.every((one) => one >= 0.5); i++) {
      const begin = performance.eventLoopUtilization();
      await later(200);
      found.push(performance.eventLoopUtilization(begin).utilization);
    }
    expect(Math.min(...found)).toBeLessThan(0.5);
    await device.dispose();
  });

  it("end when the device is disposed of while they run", async () => {
    let alive = 0;
    const start: WorkerThreads["start"] = (told, lost) => {
      const thread = worker.threads.start(told, lost);
      alive += 1;
      const end = (): void => {
        alive -= 1;
        thread.end();
      };
      return { ...thread, end };
    };
    const device = new EmulatorDevice({ ...spread, workers: { count: 2, start } });
    launcher(device, endless).run();
    const before = worker.jobs();
    while (worker.jobs() === before) await later(5);
    await device.dispose();
    expect(alive).toBe(0);
  });

  it("that are lost: the launch fails, later ones run on one thread", async () => {
    const lose: (() => void)[] = [];
    const start: WorkerThreads["start"] = (told, lost) => {
      lose.push(() => lost(new Error("out of memory")));
      return worker.threads.start(told, lost);
    };
    const device = new EmulatorDevice({ ...spread, workers: { count: 2, start } });
    launcher(device, endless).run();
    const failed = expect(device.synchronize()).rejects.toThrow(/W9006 .*out of memory/);
    const before = worker.jobs();
    while (worker.jobs() === before) await later(5);
    lose[0]?.();
    await failed;
    const more = launcher(device, "st.global.u32 [%out], 5;");
    more.run();
    expect((await device.download(device.defaultStream, more.output, 1))[0]).toBe(5);
    await device.dispose();
  });

  it("that cannot be started: one thread", async () => {
    const workers = nodeThreads(new URL("file:///nowhere/worker.mjs"));
    const k: Kernel = { body: "mov.u32 %r0, 3; st.global.u32 [%out], %r0;", grid: [8, 1, 1], outputBytes: 16 };
    expect((await runPtx({ ...k, options: { ...spread, workers } })).getInt32(0, true)).toBe(3);
  });

  it("are as many as the program says, one at least", async () => {
    for (const threads of [0, 1.5, 257]) await expect(openDevice("emulator", { threads })).rejects.toThrow("W7025");
  });

  it("are started for many launches that are short", async () => {
    const device = new EmulatorDevice({ ...spread, patience: { trial: 2, rest: 0, start: 400 } });
    const some = launcher(device, "mov.u32 %r10, 200000; wait: sub.u32 %r10, %r10, 1; setp.ne.u32 %p9, %r10, 0; @%p9 bra wait;");
    const before = worker.jobs();
    // As many as it takes: how long each takes is the machine's.
    while (worker.jobs() === before) {
      some.run();
      await device.synchronize();
    }
    expect(worker.jobs()).toBe(before + 1);
    await device.dispose();
  });

  it("tell how far they are", async () => {
    const now = performance.now.bind(performance);
    const fast = vi.spyOn(performance, "now").mockImplementation(() => 1000 * now());
    const words: (LaunchProgress | undefined)[] = [];
    const body = `mov.u32 %r10, 20000; wait: sub.u32 %r10, %r10, 1; setp.ne.u32 %p9, %r10, 0; @%p9 bra wait; mov.u32 %r0, %ctaid.x;`;
    const options: EmulatorOptions = { ...spread, progress: (word) => void words.push(word) };
    try {
      const jobs = await jobsOf(() => wordsOf(body, 32, { grid: [100, 1, 1], options }));
      expect(jobs).toBe(1);
    } finally {
      fast.mockRestore();
    }
    const over = words.map((word) => word?.over ?? -1);
    expect(over.at(-1)).toBe(-1);
    expect(Math.max(...over)).toBeGreaterThan(0);
    expect(Math.max(...over)).toBeLessThanOrEqual(100);
    expect(over.slice(0, -1)).toEqual(over.slice(0, -1).toSorted((a, b) => a - b));
  });

  it("take over in the middle of a launch", async () => {
    const body = `mov.u32 %r10, 3000; wait: sub.u32 %r10, %r10, 1; setp.ne.u32 %p9, %r10, 0; @%p9 bra wait;
mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 3, %thread;`;
    const options = { ...spread, patience: { trial: 20, rest: 0, start: 0 } };
    // So many blocks that a busy machine, too, has run some of them twice as long as the trial before the last one.
    const blocks = 1600;
    let result: Int32Array = new Int32Array();
    const jobs = await jobsOf(async () => {
      result = await wordsOf(body, 32, { grid: [blocks, 1, 1], options });
    });
    expect(jobs).toBe(1);
    expect([...result]).toEqual(Array.from({ length: 32 * blocks }, (_, i) => 3 * (i >> 5) + (i & 31)));
  });
});
