/** Configurations measured on a real GPU. */
import { afterAll, describe, expect, it } from "vitest";
import {
  autotune,
  blockIdx,
  type Device,
  type f32,
  kernel,
  openDevice,
  probeDevices,
  range,
  type Tensor,
  threadIdx,
} from "warpsmith";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/autotune: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");

const n = 2 ** 20;

/** Adds `by` to each element: threads of few elements, or of many that lie far from those of their neighbours. */
const makeAdd = () =>
  autotune(
    [
      { block: 32, each: 1024 },
      { block: 2048, each: 1 },
      { block: 256, each: 1 },
    ],
    ({ block, each }) =>
      kernel({ block, grid: n / (block * each) }, function add(x: Tensor<"f32", 1>, by: f32) {
        const first = (blockIdx.x * block + threadIdx.x) * each;
        for (const i of range(each)) x[first + i] = x[first + i]! + by;
      }),
    { restore: (x) => [x] },
  );

afterAll(() => gpu?.dispose());

describe.skipIf(!gpu)("autotune on a GPU", () => {
  it.each(["the device's own stream", "a stream of the author's"])("in %s: keeps the fastest, and restores", async (where) => {
    const device = gpu as Device;
    using stream = where.startsWith("a ") ? device.stream() : undefined;
    using x = device.tensor("f32", [n], new Float32Array(n).fill(1));
    const tuned = makeAdd();
    for (let i = 1; i <= 3; i++) tuned.launch(stream ? { stream } : {}, x, 2);
    const found = await x.read();
    expect([found[0], found[n / 2 + 7], found[n - 1]]).toEqual([7, 7, 7]);
    const [choice] = tuned.choices();
    expect(choice?.config).toEqual({ block: 256, each: 1 });
    expect(choice?.trials.map(({ outcome }) => outcome)).toEqual(["measured", "refused", "measured"]);
    const [slow, , fast] = choice?.trials.map(({ time = 0 }) => time) ?? [];
    expect(fast).toBeGreaterThan(0);
    expect(slow).toBeGreaterThan(fast as number);
  });

  it("times as `bench` does, within a third", async () => {
    const add = makeAdd();
    using x = (gpu as Device).zeros("f32", [n]);
    const { median } = await add.bench({}, x, 1);
    const [choice] = add.choices();
    const time = choice?.trials.at(-1)?.time ?? 0;
    expect(time / median).toBeGreaterThan(0.67);
    expect(time / median).toBeLessThan(1.5);
  });
});
