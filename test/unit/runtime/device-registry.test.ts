import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createCudaKind } from "../../../src/cuda/index.ts";
import {
  backendOf,
  chooseDevice,
  openDevice,
  openDevices,
  probeDevices,
  registerDeviceKind,
} from "../../../src/runtime/index.ts";
import { FakeDriver, type FakeOptions } from "../cuda/fake-driver.ts";
import { noEnvironment } from "../cuda/open-fake.ts";

let forget: () => void = () => undefined;

function install(options: FakeOptions): FakeDriver {
  const fake = new FakeDriver(options);
  forget = registerDeviceKind(createCudaKind(async () => ({ library: fake.library })));
  return fake;
}

const a100 = { name: "NVIDIA A100", major: 8, minor: 0 };
const h200 = { name: "NVIDIA H200", major: 9, minor: 0 };

beforeEach(() => {
  vi.stubEnv("WARPSMITH_DEVICE", undefined);
  vi.stubEnv("WARPSMITH_CACHE", "off");
});
afterEach(() => {
  forget();
  vi.unstubAllEnvs();
});

describe("openDevice", () => {
  it("takes the first device of compute capability 9.0", async () => {
    install({ devices: [a100, h200, { ...h200, name: "second" }] });
    await using device = await openDevice();
    expect([device.kind, device.name, device.multiprocessors]).toEqual(["cuda", "NVIDIA H200", 132]);
    expect(openDevices()).toEqual([device]);
  });

  it("takes the one that is named, by the argument before the environment", async () => {
    install({ devices: [a100, h200, { ...h200, name: "second" }] });
    vi.stubEnv("WARPSMITH_DEVICE", "cuda:2");
    await using device = await openDevice();
    expect(device.name).toBe("second");
    await using other = await openDevice("cuda:1");
    expect(other.name).toBe("NVIDIA H200");
  });

  it.each<[string, string, FakeOptions, Parameters<typeof openDevice>[0], RegExp]>([
    ["no GPU", "W8001", { devices: [] }, undefined, /no NVIDIA GPU.*, and the emulator is not part of this version/],
    [
      "an older GPU",
      "W8001",
      { devices: [a100] },
      undefined,
      /NVIDIA A100 has compute capability 8\.0, and 9\.0 \(Hopper\) is needed/,
    ],
    ["an old driver", "W8003", { version: 11080 }, "cuda", /the NVIDIA driver is of CUDA 11\.8, and 12\.0 or newer is needed/],
    ["the emulator", "W8002", {}, "emulator", /the emulator is not part of this version/],
    ["a number too high", "W8004", { devices: [h200] }, "cuda:1", /there are 1, numbered from 0/],
    ["a number of an older GPU", "W8004", { devices: [a100, h200] }, "cuda:0", /compute capability 8\.0/],
    ["a wrong name", "W7022", {}, "gpu" as "cuda", /"gpu"/],
  ])("says why not: %s (%s)", async (_, code, options, which, text) => {
    install(options);
    await expect(openDevice(which)).rejects.toMatchObject({ code, message: expect.stringMatching(text) });
  });

  it("refuses a wrong environment", async () => {
    install({});
    vi.stubEnv("WARPSMITH_DEVICE", "tpu");
    await expect(openDevice()).rejects.toMatchObject({ code: "W7001" });
  });

  it("says that there is no driver, without a stack of another library", async () => {
    forget = registerDeviceKind(
      createCudaKind(async () => ({ problem: "the NVIDIA driver is not installed (libcuda.so.1 was not found)" })),
    );
    await expect(openDevice()).rejects.toMatchObject({ code: "W8001", message: expect.stringContaining("is not installed") });
    const [cuda, emulator] = await probeDevices();
    expect(cuda).toEqual({ kind: "cuda", devices: [], reason: expect.stringContaining("is not installed") });
    expect(emulator).toEqual({ kind: "emulator", devices: [], reason: "the emulator is not part of this version" });
  });

  it("probes without throwing", async () => {
    install({ devices: [a100, h200] });
    const [cuda] = await probeDevices();
    expect(cuda?.reason).toBeUndefined();
    expect(cuda?.devices.map((d) => [d.name, d.reason === undefined])).toEqual([
      ["NVIDIA A100", false],
      ["NVIDIA H200", true],
    ]);
  });

  it("prefers CUDA, then any other kind that is there", async () => {
    install({ devices: [a100] });
    const { library } = new FakeDriver({ devices: [{ ...h200, name: "the other kind" }] });
    const { open } = createCudaKind(async () => ({ library }));
    const stop = registerDeviceKind({
      kind: "emulator",
      probe: async () => ({ kind: "emulator", devices: [{ index: 0, name: "emulator", computeCapability: [9, 0] }] }),
      open,
    });
    await using device = await openDevice();
    expect(backendOf(device).name).toBe("the other kind");
    stop();
  });

  it("opens nothing that kernels cannot be compiled for, whoever asks", async () => {
    const { library } = new FakeDriver({ devices: [a100] });
    const opened = createCudaKind(async () => ({ library })).open(0, noEnvironment);
    await expect(opened).rejects.toMatchObject({ code: "W8004", message: expect.stringMatching(/capability 8\.0/) });
  });
});

describe("chooseDevice", () => {
  it("takes the tensors' device, the named one, or the only one", async () => {
    install({});
    expect(() => chooseDevice([], undefined)).toThrow(expect.objectContaining({ code: "W7013" }));
    await using a = await openDevice();
    expect(chooseDevice([], undefined)).toBe(a);
    await using b = await openDevice();
    expect(chooseDevice([], b)).toBe(b);
    expect(() => chooseDevice([], undefined)).toThrow(/2 devices are open/);
    const [x, y] = [a.zeros("f32", [1]), b.zeros("f32", [1])];
    expect(chooseDevice([y, y], undefined)).toBe(b);
    expect(() => chooseDevice([x, y], undefined)).toThrow(expect.objectContaining({ code: "W7012" }));
    expect(() => chooseDevice([x], b)).toThrow(expect.objectContaining({ code: "W7012" }));
  });
});
