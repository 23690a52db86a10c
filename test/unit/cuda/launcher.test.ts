import { describe, expect, it } from "vitest";
import type { Device, LoadedModule } from "../../../src/runtime/index.ts";
import { prepareStream } from "../../../src/runtime/index.ts";
import { launchOf } from "./launch-of.ts";
import { moduleOptions, type Opened, openFake, ptx } from "./open-fake.ts";

const span = { file: "main.ts", line: 7, column: 3, length: 5 };

const kernels = {
  mixed: { parameterBytes: [8, 4, 128, 2, 1] },
  none: { parameterBytes: [] },
};

async function load(entry: keyof typeof kernels): Promise<Opened & { module: LoadedModule }> {
  const opened = await openFake({ kernels });
  const module = opened.backend.loadModule(ptx, moduleOptions(entry, kernels[entry].parameterBytes, 1000));
  return { ...opened, module };
}

describe("launches", () => {
  it("pass every parameter byte for byte, tensor maps at multiples of 64 bytes", async () => {
    const { backend, fake, module } = await load("mixed");
    const parameters = backend.parameters(module);
    const [pointer, scalar, map, half, flag] = parameters.views;
    pointer?.setBigUint64(0, 0x1122334455667788n, true);
    scalar?.setFloat32(0, 1.5, true);
    new Uint8Array(map!.buffer, map!.byteOffset, 128).set(Uint8Array.from({ length: 128 }, (_, i) => i));
    half?.setUint16(0, 0x3c00, true);
    flag?.setUint8(0, 1);
    backend.launch(launchOf(backend, module, { parameters, grid: [3, 2, 1], block: [64, 2, 1], sharedBytes: 512 }));
    scalar?.setFloat32(0, 2.5, true);
    backend.launch(launchOf(backend, module, { parameters }));

    const [first, second] = fake.launches;
    expect(first).toMatchObject({ entry: "mixed", grid: [3, 2, 1], block: [64, 2, 1], sharedBytes: 512, attributes: [] });
    expect(first?.parameters.map((p) => Buffer.from(p).toString("hex"))).toEqual([
      "8877665544332211",
      "0000c03f",
      Buffer.from(Uint8Array.from({ length: 128 }, (_, i) => i)).toString("hex"),
      "003c",
      "01",
    ]);
    expect(Buffer.from(second!.parameters[1]!).toString("hex")).toBe("00002040");
    const pointers = fake.calls.find((c) => c.name === "cuLaunchKernel")?.args[9] as BigUint64Array;
    expect([...pointers].map((p) => Number(p % 64n))).toEqual([0, 0, 0, 0, 0]);
  });

  it("go through the extended call with clusters, overlap and cooperation, and only then", async () => {
    const { backend, fake, module, stream } = await load("none");
    backend.launch(launchOf(backend, module, { grid: [4, 2, 1], cluster: [2, 1, 1], sharedBytes: 64 }));
    backend.launch(launchOf(backend, module, { overlapPrevious: true }));
    backend.launch(launchOf(backend, module, { grid: [4, 2, 1], cluster: [2, 2, 1], overlapPrevious: true }));
    backend.launch(launchOf(backend, module));
    backend.launch(launchOf(backend, module, { cooperative: true }));
    backend.launch(launchOf(backend, module, { cluster: [2, 1, 1], overlapPrevious: true, cooperative: true }));
    expect(fake.launches.map((l) => l.attributes)).toEqual([
      [[4, 2, 1, 1]],
      [[6, 1, 0, 0]],
      [
        [4, 2, 2, 1],
        [6, 1, 0, 0],
      ],
      [],
      [[2, 1, 0, 0]],
      [
        [4, 2, 1, 1],
        [6, 1, 0, 0],
        [2, 1, 0, 0],
      ],
    ]);
    expect(fake.launches[0]).toMatchObject({ grid: [4, 2, 1], block: [32, 1, 1], sharedBytes: 64, stream });
    expect([fake.countOf("cuLaunchKernelEx"), fake.countOf("cuLaunchKernel")]).toEqual([5, 1]);
  });

  it("ask for the shared memory and say what the kernel takes", async () => {
    const { fake, module, backend } = await load("none");
    expect(fake.calls.find((c) => c.name === "cuFuncSetAttribute")?.args.slice(1)).toEqual([8, 1000]);
    expect([module.registers, module.spillBytes, module.blocksPerSM(256, 0)]).toEqual([32, 0, 8]);
    backend.loadModule(ptx, { ...moduleOptions("none"), nonPortableCluster: true });
    expect(
      fake.calls
        .filter((c) => c.name === "cuFuncSetAttribute")
        .at(-1)
        ?.args.slice(1),
    ).toEqual([14, 1]);
  });

  it("say what the driver refuses, at the launch", async () => {
    const { backend, fake, module } = await load("none");
    fake.refuse.set("cuLaunchKernel", [701]);
    expect(() => backend.launch(launchOf(backend, module))).toThrow(
      expect.objectContaining({
        code: "W8007",
        spans: [span],
        message: expect.stringContaining("more registers or shared memory"),
      }),
    );
    backend.launch(launchOf(backend, module));
    await backend.synchronize();
  });
});

describe("streams", () => {
  it("a launch in the author's stream comes after what the host wrote, and before what it reads", async () => {
    const { device, backend, fake, module, stream: home } = await load("none");
    const t = device.tensor("i32", [2], [1, 2]);
    const own = device.stream();
    fake.hold(home);
    t.write([3, 4]);
    const handle = prepareStream(device, own, [t]);
    backend.launch(launchOf(backend, module, { stream: handle }));
    expect(fake.launches.length).toBe(1);
    const ran: string[] = [];
    const reading = t.read().then((v) => ran.push([...v].join()));
    await new Promise((r) => setTimeout(r, 5));
    expect(ran).toEqual([]);
    fake.letGo(home);
    await reading;
    expect(ran).toEqual(["3,4"]);
    const waits = fake.countOf("cuStreamWaitEvent");
    prepareStream(device, own, [t]);
    prepareStream(device, own, [t]);
    expect(fake.countOf("cuStreamWaitEvent")).toBe(waits + 1);
  });

  it("the device's own stream costs a launch no ordering", async () => {
    const { device, fake } = await load("none");
    const t = device.zeros("f32", [4]);
    const before = fake.calls.length;
    expect(prepareStream(device, undefined, [t, t])).toBeDefined();
    expect(fake.calls.length).toBe(before);
  });

  it("are refused when disposed or of another device", async () => {
    const { device } = await load("none");
    const other = (await load("none")).device;
    const stream = device.stream();
    expect(() => prepareStream(other, stream, [])).toThrow(expect.objectContaining({ code: "W7012" }));
    expect(() => prepareStream(other, undefined, [device.zeros("f32", [1])])).toThrow(expect.objectContaining({ code: "W7012" }));
    await stream.sync();
    stream[Symbol.dispose]();
    expect(() => prepareStream(device, stream, [])).toThrow(expect.objectContaining({ code: "W7014" }));
    await expect(stream.sync()).rejects.toMatchObject({ code: "W7014" });
    expect(() => prepareStream({ ...device } as unknown as Device, undefined, [])).toThrow(
      expect.objectContaining({ code: "W7023" }),
    );
  });

  it("a stream that goes leaves its work in order before the device's own", async () => {
    const { device, fake, backend, module } = await load("none");
    const t = device.zeros("f32", [1]);
    {
      using own = device.stream();
      backend.launch(launchOf(backend, module, { stream: prepareStream(device, own, [t]) }));
    }
    t.dispose();
    await device.sync();
    expect(fake.liveBytes).toBe(0);
  });
});

describe("events", () => {
  it("time what lies between them, in microseconds", async () => {
    const { backend } = await load("none");
    const [from, to] = [backend.createEvent(), backend.createEvent()];
    backend.record(from, backend.defaultStream);
    backend.record(to, backend.defaultStream);
    await backend.reached(to);
    expect(backend.elapsed(from, to)).toBeCloseTo(250);
    backend.destroyEvent(from);
    backend.destroyEvent(to);
  });
});
