import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type f32, type Kernel, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { randn, referenceMatmul } from "warpsmith/testing";
import { noSpans } from "../../../src/base/diag/index.ts";
import { EmulatorDevice, registerEmulator } from "../../../src/emulator/index.ts";
import { backendOf } from "../../../src/runtime/index.ts";
import { rotating } from "../../support/amount.ts";

const double = kernel({ block: 32, grid: 1 }, function double(x: Tensor<"f32", 1>, by: f32) {
  x[threadIdx.x] = x[threadIdx.x]! * by;
});

/** Checked with the examples, whose kernels may index without asking whether something is there. */
const bench = import(join(import.meta.dirname, "../../../bench/reference.ts")) as Promise<
  Readonly<Record<"compareKernel" | "referenceKernel", Kernel<unknown[]>>>
>;

describe("the emulator as a device", () => {
  let device: Device;
  let takeBack: () => void;
  beforeAll(async () => {
    takeBack = registerEmulator();
    device = await openDevice("emulator");
  });
  afterAll(async () => {
    await device.dispose();
    takeBack();
  });

  it("is found by its name", async () => {
    expect([device.kind, device.name, device.multiprocessors]).toEqual(["emulator", "emulator", 132]);
  });

  it("runs launches in order, after launch() has returned", async () => {
    using x = device.tensor("f32", [32], new Array<number>(32).fill(1));
    for (let i = 0; i < 10; i++) double.launch({ device }, x, 2);
    expect([...(await x.read())]).toEqual(new Array<number>(32).fill(1024));
  });

  it("says how much one allocation may have", () => {
    expect(() => device.empty("u8", [2 ** 32 + 1])).toThrow(/W8005 .*one allocation of it has at most 4294967296/);
  });

  it("orders streams that share a tensor", async () => {
    using stream = device.stream();
    using x = device.tensor("f32", [32], new Array<number>(32).fill(1));
    double.launch({ device, stream }, x, 3);
    double.launch({ device }, x, 5);
    expect((await x.read())[0]).toBe(15);
  });

  it("copies within the device, in order with what is written before and after", async () => {
    const backend = backendOf(device);
    using x = device.tensor("f32", [4], [1, 2, 3, 4]);
    using y = device.zeros("f32", [4]);
    backend.copy(backend.defaultStream, y.address() + 4n, x.address(), 8);
    x.fill(9);
    expect([...(await y.read())]).toEqual([0, 1, 2, 0]);
    backend.copy(backend.defaultStream, y.address(), 64n, 8);
    await expect(device.sync()).rejects.toMatchObject({ code: "W8010" });
  });

  it("gives nobody its own time as if it were the GPU's", async () => {
    using x = device.zeros("f32", [32]);
    await expect(double.bench({ device, warmup: 1, repeat: 3, flush: false }, x, 2)).rejects.toMatchObject({ code: "W8013" });
    expect([...(await x.read())]).toEqual(new Array<number>(32).fill(0));
  });

  it("runs the reference kernels of the bench", rotating, async () => {
    const [M, N, K] = [64, 256, 64];
    // Small whole numbers: every sum is exact.
    const whole = (count: number, seed: number) => randn(count, seed).map((x) => Math.round(2 * x));
    const [a, b] = [whole(M * K, 1), whole(K * N, 2)];
    using aDev = device.tensor("f16", [M, K], a),
      bDev = device.tensor("f16", [K, N], b);
    using d = device.empty("f32", [M, N]),
      wanted = device.tensor("f32", [M * N], referenceMatmul(a, b, { M, N, K }));
    using worst = device.zeros("i32", [2]),
      misses = device.zeros("i32", [1]);
    const { referenceKernel, compareKernel } = await bench;
    referenceKernel.launch({}, aDev, bDev, d);
    const flat = device.tensor("f32", [M * N], await d.read());
    compareKernel.launch({ grid: 4 }, flat, wanted, worst, misses, 0, 0);
    expect([...(await misses.read())]).toEqual([0]);
    flat.dispose();
  });
});

describe("its backend", () => {
  it("fills with patterns and keeps maps of the host's memory in view", async () => {
    const backend = new EmulatorDevice();
    const address = backend.allocate(24);
    backend.fill(backend.defaultStream, address, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), 3);
    expect([...(await backend.download(backend.defaultStream, address + 6n, 6))]).toEqual([7, 8, 1, 2, 3, 4]);
    const mapped = backend.mapped(8);
    backend.upload(backend.defaultStream, mapped.address + 1n, new Uint8Array([9]));
    await backend.synchronize();
    expect([...mapped.bytes]).toEqual([0, 9, 0, 0, 0, 0, 0, 0]);
  });

  it("tells of a failure once, and goes on with what was issued after it", async () => {
    const backend = new EmulatorDevice();
    const stream = backend.defaultStream;
    const ptx = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n  trap;\n}\n";
    const module = backend.loadModule(ptx, { entry: "k", kernel: "k", parameterBytes: [], dynamicSharedBytes: 0 });
    const one = [1, 1, 1] as const;
    const address = backend.allocate(4);
    backend.launch({
      module,
      parameters: backend.parameters(module),
      grid: one,
      block: one,
      cluster: one,
      sharedBytes: 0,
      stream,
      overlapPrevious: false,
      spans: noSpans,
    });
    backend.upload(stream, address, new Uint8Array([1, 1, 1, 1]));
    await expect(backend.synchronize()).rejects.toMatchObject({ code: "W9003" });
    await backend.synchronize();
    expect([...(await backend.download(stream, address, 4))]).toEqual([1, 1, 1, 1]);
  });

  it("refuses addresses that are nobody's, and kernels that are not in the PTX", async () => {
    const backend = new EmulatorDevice();
    const address = backend.allocate(4);
    await expect(backend.download(backend.defaultStream, address + 1n, 4)).rejects.toMatchObject({ code: "W8010" });
    const ptx = ".version 8.0\n.target sm_90a\n.address_size 64\n";
    expect(() => backend.loadModule(ptx, { entry: "k", kernel: "k", parameterBytes: [], dynamicSharedBytes: 0 })).toThrow(
      /no entry k/,
    );
  });
});
