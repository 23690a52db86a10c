import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assert, type Device, type f32, gridDependency, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { registerEmulator } from "../../../src/emulator/index.ts";
import { openFake } from "../cuda/open-fake.ts";

const times = kernel({ block: 32, grid: 1 }, function times(x: Tensor<"f32", 1>, by: f32) {
  x[threadIdx.x] = x[threadIdx.x]! * by;
});
const plus = kernel({ block: 32, grid: 1 }, function plus(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
  gridDependency.wait();
  y[threadIdx.x] = x[threadIdx.x]! + y[threadIdx.x]!;
});
const say = kernel({ block: 32, grid: 1 }, function say() {
  if (threadIdx.x === 0) console.log("here");
});
const small = kernel({ block: 32, grid: 1, debug: true }, function small(x: Tensor<"f32", 1>) {
  assert(x[threadIdx.x]! < 10, "too big");
  x[threadIdx.x] = x[threadIdx.x]! + 4;
});
const many = (n: number): number[] => new Array<number>(32).fill(n);

describe("a graph on the emulator", () => {
  let device: Device;
  let takeBack: () => void;
  beforeAll(async () => {
    takeBack = registerEmulator();
    device = await openDevice("emulator");
  });
  afterEach(() => device.sync());
  afterAll(async () => {
    await device.dispose();
    takeBack();
  });

  it("runs nothing when captured, and everything in order at each launch", async () => {
    using x = device.tensor("f32", [32], many(1)),
      y = device.tensor("f32", [32], many(0));
    using graph = device.capture(() => {
      times.launch({}, x, 2);
      plus.launch({ overlapPrevious: true }, x, y);
    });
    expect((await x.read())[0]).toBe(1);
    graph.launch();
    graph.launch();
    expect([(await x.read())[31], (await y.read())[31]]).toEqual([4, 6]);
    times.launch({}, x, 10);
    graph.launch();
    expect([(await x.read())[0], (await y.read())[0]]).toEqual([80, 86]);
  });

  it("has the arguments of the capture", async () => {
    using x = device.tensor("f32", [32], many(1));
    let graph = device.capture(() => {
      for (const by of [2, 3]) times.launch({}, x, by);
    });
    times.launch({}, x, 5);
    graph.launch();
    expect((await x.read())[0]).toBe(30);
    graph.dispose();
    graph = device.capture(() => {});
    graph.launch();
    expect((await x.read())[0]).toBe(30);
    graph.dispose();
  });

  it("is in order with other uses of its tensors, in any stream", async () => {
    using x = device.tensor("f32", [32], many(1)),
      stream = device.stream();
    using graph = device.capture(() => times.launch({}, x, 2));
    x.fill(3);
    graph.launch({ stream });
    times.launch({}, x, 5);
    expect((await x.read())[0]).toBe(30);
  });

  it("uses the memory of views that are gone, but no memory that is", () => {
    const x = device.zeros("f32", [64]);
    const graph = device.capture(() => {
      using half = x.slice([32, 64]);
      times.launch({}, half, 2);
    });
    graph.launch();
    x.dispose();
    expect(() => graph.launch()).toThrow(/W7032 {2}This graph was captured with a tensor \(f32 \[32\]\)/);
    graph.dispose();
    expect(() => graph.launch()).toThrow("W7031");
  });

  it("keeps what an assertion needs to speak, at the line of the kernel and of the launch", async () => {
    const gpu = await openDevice("emulator");
    using x = gpu.zeros("f32", [32]);
    const graph = gpu.capture(() => small.launch({}, x));
    for (let i = 0; i < 3; i++) graph.launch();
    expect((await x.read())[7]).toBe(12);
    graph.launch();
    await expect(x.read()).rejects.toMatchObject({
      code: "W7515",
      message: expect.stringContaining("too big (12 < 10 is false): thread 0 of block (0, 0, 0)"),
    });
    graph.dispose();
    await gpu.dispose();
  });

  it("refuses what is no launch, and ends the capture", async () => {
    using x = device.zeros("f32", [32]),
      stream = device.stream();
    const other = device.capture(() => {});
    const wrong: [code: string, record: () => unknown][] = [
      ["W7029  Allocating a tensor", () => device.empty("f32", [4])],
      ["W7029  Writing a tensor", () => x.write(many(1))],
      ["W7029  Filling a tensor", () => x.fill(1)],
      ["W7029  Making a stream", () => device.stream()],
      ["W7029  The launch of a graph", () => other.launch()],
      ["W7029  A capture within", () => device.capture(() => {})],
      // Nobody awaits these: what is refused is told by `capture` alone, and no rejected promise is left to end the process.
      ["W7029  Reading a tensor", () => void x.read()],
      ["W7029  Waiting for the device", () => void device.sync()],
      ["W7029  Waiting for a stream", () => void stream.sync()],
      ["W7029  Disposing the device", () => void device.dispose()],
      ["W7029  times.bench", () => void times.bench({}, x, 2)],
      // Refused before any of it runs: what follows an await would be launched for real.
      [
        "W7030",
        async () => {
          await 0;
          times.launch({}, x, 2);
        },
      ],
      ["W7030", () => Promise.resolve(times.launch({}, x, 2))],
      ["W7034  device.capture() takes a function that launches kernels, and it was given a generator", function* () {}],
      ["W7033", () => times.launch({ stream }, x, 2)],
      ["W7519", () => say.launch({ device })],
    ];
    for (const [code, record] of wrong) {
      expect(() => device.capture(record as () => void)).toThrow(code);
      expect((await x.read())[0]).toBe(0);
    }
    expect(() =>
      device.capture(() => {
        try {
          x.fill(1);
        } catch {}
        times.launch({}, x, 2);
      }),
    ).toThrow("W7029");
    expect(() =>
      device.capture(() => {
        throw new Error("mine");
      }),
    ).toThrow("mine");
    for (const given of [undefined, 7, {}]) expect(() => device.capture(given as unknown as () => void)).toThrow("W7034");
    other.dispose();
  });
});

describe("a graph of the driver", () => {
  const kernels = { times: { parameterBytes: [8, 4] }, plus: { parameterBytes: [8, 8] } };

  it("is captured, made once, launched in the stream that is asked for, and freed", async () => {
    const { fake, device, stream } = await openFake({ kernels });
    const x = device.zeros("f32", [32]),
      y = device.zeros("f32", [32]);
    const graph = device.capture(() => {
      times.launch({}, x, 2);
      plus.launch({ overlapPrevious: true }, x, y);
    });
    expect([fake.launches.length, fake.liveGraphs]).toEqual([0, 1]);
    graph.launch();
    const own = device.stream();
    graph.launch({ stream: own });
    expect(fake.launches.map((l) => [l.entry, l.stream, l.attributes])).toEqual([
      ["times", stream, []],
      ["plus", stream, [[6, 1, 0, 0]]],
      ["times", own.native, []],
      ["plus", own.native, [[6, 1, 0, 0]]],
    ]);
    expect(fake.countOf("cuGraphInstantiateWithFlags")).toBe(1);
    expect(fake.countOf("cuStreamWaitEvent")).toBe(1);
    graph.dispose();
    expect(fake.liveGraphs).toBe(0);
    device.capture(() => times.launch({}, x, 2));
    await device.dispose();
    expect(fake.liveGraphs).toBe(0);
  });

  it("leaves nothing behind when the capture fails", async () => {
    const { fake, device } = await openFake({ kernels });
    const x = device.zeros("f32", [32]);
    const record = (): void => {
      times.launch({}, x, 2);
      x.fill(1);
    };
    expect(() => device.capture(record)).toThrow("W7029");
    fake.refuse.set("cuGraphInstantiateWithFlags", [2]);
    expect(() => device.capture(() => times.launch({}, x, 2))).toThrow(/W8010 .*make a graph/);
    expect([fake.liveGraphs, fake.countOf("cuStreamEndCapture"), fake.launches.length]).toEqual([0, 2, 0]);
    expect(fake.countOf("cuStreamCreate") - fake.countOf("cuStreamDestroy_v2")).toBe(1);
    await device.dispose();
  });

  it("tells which of its kernels may have failed, at the next read", async () => {
    const { device } = await openFake({ kernels: { ...kernels, times: { ...kernels.times, run: () => 700 } } });
    const x = device.zeros("f32", [32]);
    const graph = device.capture(() => times.launch({}, x, 2));
    await device.sync();
    graph.launch();
    await expect(x.read()).rejects.toMatchObject({
      code: "W8008",
      message: expect.stringContaining("The kernel times failed"),
      spans: [{ file: "test/unit/runtime/capture.test.ts" }],
    });
    await device.dispose();
  });
});
