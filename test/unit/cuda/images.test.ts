import { describe, expect, it } from "vitest";
import { loadPtx, scalar, struct } from "warpsmith/ptx";
import type { FakeLaunch } from "./fake-driver.ts";
import { openFake } from "./open-fake.ts";

const text = `.version 8.4
.target sm_90a
.address_size 64
.const .align 4 .f32 coef[2];
.global .align 4 .u32 counter;
.visible .entry k(.param .u64 x, .param .align 8 .b8 s[16], .param .u32 n) .reqntid 32 { ret; }
.visible .entry other() { ret; }
`;
const launches: FakeLaunch[] = [];
const kernels = {
  k: { parameterBytes: [8, 16, 4], run: (launch: FakeLaunch) => void launches.push(launch) as undefined },
  other: { parameterBytes: [] },
};
const variables = { coef: new Uint8Array(Float32Array.of(1, 2).buffer), counter: new Uint8Array(4) };

describe("PTX of other compilers on a CUDA device", () => {
  it("is loaded once for all entries, launches and variables", async () => {
    const { device, fake } = await openFake({ kernels, variables });
    const module = loadPtx(text);
    const x = device.zeros("f32", [4]);
    const coef = module.variable("coef", { device, dtype: "f32" });
    expect(Array.from(await coef.read())).toEqual([1, 2]);
    coef.write([3, 4]);
    module.entry("k").launch({ grid: 2 }, x, struct(x, scalar("i32", 7)), -1);
    module.entry("other").launch({ grid: 1, block: 64, device });
    expect(Array.from(await module.variable("coef", { device, dtype: "f32" }).read())).toEqual([3, 4]);
    expect(fake.countOf("cuModuleLoadDataEx")).toBe(1);
    const [launch] = launches;
    expect(launch).toMatchObject({ grid: [2, 1, 1], block: [32, 1, 1], sharedBytes: 0 });
    const [address, structure, n] = (launch?.parameters ?? []).map((bytes) => new DataView(bytes.slice().buffer));
    expect(address?.getBigUint64(0, true)).toBe(x.address());
    expect(structure?.getBigUint64(0, true)).toBe(x.address());
    expect(structure?.getInt32(8, true)).toBe(7);
    expect(n?.getInt32(0, true)).toBe(-1);
    await device.dispose();
    expect(fake.countOf("cuModuleUnload")).toBe(1);
  });

  it("keeps the most dynamic shared memory that a launch of the entry has asked for", async () => {
    const { device, fake } = await openFake({ kernels });
    const entry = loadPtx(text).entry("other");
    for (const smem of [1024, 65_536, 2048, 65_536]) entry.launch({ grid: 1, block: 1, smem, device });
    const asked = fake.calls
      .filter(({ name, args }) => name === "cuFuncSetAttribute" && args[1] === 8)
      .map(({ args }) => args[2]);
    expect(asked).toEqual([1024, 65_536]);
    await device.dispose();
  });

  it("is in order with what the host does to its variables, whatever the stream", async () => {
    const { device, fake } = await openFake({ kernels, variables });
    const module = loadPtx(text);
    using stream = device.stream();
    module.entry("other").launch({ grid: 1, block: 1, device, stream });
    const before = fake.countOf("cuStreamWaitEvent");
    await module.variable("counter", { device, dtype: "u32" }).read();
    expect(fake.countOf("cuStreamWaitEvent")).toBe(before + 1);
    await device.dispose();
  });

  it("says what the driver does not take, and does not find", async () => {
    const { device, fake } = await openFake({ kernels });
    const module = loadPtx(text);
    expect(() => module.variable("counter", { device })).toThrow("W7808");
    fake.refuse.set("cuModuleLoadDataEx", [218]);
    fake.jitLog = "ptxas fatal";
    expect(() => loadPtx(text).entry("other").launch({ grid: 1, block: 1, device })).toThrow("The PTX of module.ptx was refused");
    await device.dispose();
  });
});
