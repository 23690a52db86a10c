/** What reports say of kernels, held against what the driver says of them. */
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { blockIdx, type Device, kernel, openDevice, probeDevices, type Tensor, threadIdx } from "warpsmith";
import { sortArguments } from "../../src/kernel/arguments.ts";
import { shapeOf } from "../../src/kernel/instance.ts";
import { load } from "../../src/kernel/load.ts";
import { partsOf } from "../../src/kernel/value.ts";
import { backendOf } from "../../src/runtime/index.ts";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/report: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");

const n = 2 ** 24;
const makeAdd = (block: number) =>
  kernel({ block, grid: n / block }, function add(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    y[i] = (x[i] as number) + (y[i] as number);
  });

describe.skipIf(!gpu)("reports on a GPU", () => {
  const device = gpu as Device;
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(() => device?.dispose());

  it.each([32, 128, 256, 1024])("blocks of %i threads: registers and blocks of a multiprocessor are the driver's", (block) => {
    vi.stubEnv("WARPSMITH_PTXAS", "/nowhere/ptxas");
    const add = makeAdd(block);
    using x = device.zeros("f32", [n]);
    const parts = partsOf(add);
    if (!parts) throw new Error("no kernel");
    const sorted = sortArguments(parts.source, [x, x]);
    const instance = parts.instances.get(sorted, shapeOf(parts.source, [x, x]).options);
    const module = load(parts.source, sorted, instance, backendOf(device));
    const { assembled, occupancy } = add.compile(x, x).report();
    expect(assembled).toMatchObject({ by: "device", registers: module.registers, localBytes: module.spillBytes });
    expect(occupancy.blocks).toBe(module.blocksPerSM(block, 0));
  });

  it("a launch that was measured is below the roof, and near that of memory", async () => {
    const add = makeAdd(256);
    using x = device.zeros("f32", [n]);
    using y = device.zeros("f32", [n]);
    const { median } = await add.bench({}, x, y);
    const { roofline } = add.compile(x, y).report({ us: median });
    expect(roofline?.boundBy).toBe("memory");
    expect(roofline?.measured?.share).toBeLessThan(1);
    expect(roofline?.measured?.share).toBeGreaterThan(0.4);
  });
});
