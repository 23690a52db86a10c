/** Graphs of launches on a real GPU. */
import { afterAll, describe, expect, it } from "vitest";
import {
  assert,
  blockIdx,
  type Device,
  type f32,
  gridDependency,
  kernel,
  openDevice,
  probeDevices,
  range,
  type Tensor,
  threadIdx,
} from "warpsmith";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/graphs: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");

const blocks = 256;
const n = blocks * 256;

const times = kernel({ block: 256, grid: blocks }, function times(x: Tensor<"f32", 1>, by: f32) {
  const i = blockIdx.x * 256 + threadIdx.x;
  x[i] = x[i]! * by;
});
/** Each block takes what blocks far away have written; a slow one shows who does not wait. */
const shift = kernel({ block: 256, grid: blocks }, function shift(from: Tensor<"f32", 1>, to: Tensor<"f32", 1>) {
  const i = blockIdx.x * 256 + threadIdx.x;
  gridDependency.launchDependents();
  gridDependency.wait();
  let sum = from[(i + 12345) % n]!;
  for (const _ of range(blockIdx.x % 64)) sum += 0 * from[i]!;
  to[i] = sum + 1;
});
const small = kernel({ block: 32, grid: 1, debug: true }, function small(x: Tensor<"f32", 1>) {
  assert(x[threadIdx.x]! < 10, "too big");
  x[threadIdx.x] = x[threadIdx.x]! + 4;
});

describe.skipIf(gpu === undefined)("graphs on the GPU", () => {
  const device = gpu as Device;
  afterAll(() => device?.dispose());

  it("run nothing when captured, and everything in order at each launch, in any stream", async () => {
    using x = device.tensor("f32", [n], new Float32Array(n).fill(1)),
      stream = device.stream();
    using graph = device.capture(() => {
      times.launch({}, x, 2);
      times.launch({}, x, 3);
    });
    expect((await x.read())[n - 1]).toBe(1);
    for (let k = 0; k < 3; k++) graph.launch();
    expect([...new Set(await x.read())]).toEqual([216]);
    x.fill(1);
    graph.launch({ stream });
    times.launch({}, x, 5);
    graph.launch({ stream });
    graph.launch();
    expect([...new Set(await x.read())]).toEqual([1080]);
  });

  it("overlap their kernels where those wait, and stay in order: captured or not", async () => {
    const start = Float32Array.from({ length: n }, (_, i) => i);
    const expected = (steps: number): number[] => Array.from(start, (_, i) => ((i + 12345 * steps) % n) + steps);
    using x = device.tensor("f32", [n], start),
      y = device.empty("f32", [n]);
    const chain = (): void => {
      for (let k = 0; k < 20; k++) {
        const [from, to] = k % 2 === 0 ? [x, y] : [y, x];
        shift.launch({ overlapPrevious: k > 0 }, from, to);
      }
    };
    chain();
    expect([...(await x.read())]).toEqual(expected(20));
    using graph = device.capture(chain);
    for (let k = 0; k < 10; k++) graph.launch();
    expect([...(await x.read())]).toEqual(expected(220));
  });

  it("are freed while they run", async () => {
    using x = device.tensor("f32", [n], new Float32Array(n).fill(1));
    const graph = device.capture(() => {
      for (let k = 0; k < 100; k++) times.launch({}, x, k % 2 === 0 ? 2 : 0.5);
    });
    for (let k = 0; k < 20; k++) graph.launch();
    graph.dispose();
    expect([...new Set(await x.read())]).toEqual([1]);
  });

  it("end a capture that fails, and leave the device as it was", async () => {
    using x = device.tensor("f32", [n], new Float32Array(n).fill(1));
    const record = (): void => {
      times.launch({}, x, 2);
      x.fill(3);
    };
    expect(() => device.capture(record)).toThrow("W7029");
    times.launch({}, x, 5);
    expect((await x.read())[0]).toBe(5);
  });

  it("let an assertion speak; last, because the device is lost with it", async () => {
    const x = device.zeros("f32", [32]);
    const graph = device.capture(() => small.launch({}, x));
    for (let i = 0; i < 3; i++) graph.launch();
    expect((await x.read())[7]).toBe(12);
    graph.launch();
    await expect(x.read()).rejects.toMatchObject({
      code: "W7515",
      message: expect.stringMatching(/too big \(12 < 10 is false\): thread \d+ of block \(0, 0, 0\)/),
    });
  });
});
