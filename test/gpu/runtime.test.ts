/** The driver binding on a real GPU, with PTX written by hand: nothing of the compiler takes part. */

import { describe, expect, it } from "vitest";
import { tiledMap } from "../../src/base/tensor-map.ts";
import { cudaKind } from "../../src/cuda/index.ts";
import {
  addressOf,
  backendOf,
  encodeMap,
  type Launch,
  type LoadedModule,
  openDevice,
  probeDevices,
  type RuntimeDevice,
  registerDeviceKind,
} from "../../src/runtime/index.ts";
import { collectGarbage } from "../support/collect-garbage.ts";

const ptx = `
.version 8.0
.target sm_90a
.address_size 64

.visible .entry scale(.param .u64 p, .param .f32 k)
{
  .reg .b64 %rd<4>;
  .reg .f32 %f<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd0, [p];
  ld.param.f32 %f0, [k];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r0, %r0, %r1, %r2;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd0, %rd0, %rd1;
  ld.global.f32 %f1, [%rd0];
  mul.rn.f32 %f1, %f1, %f0;
  st.global.f32 [%rd0], %f1;
  ret;
}

.visible .entry ranks(.param .u64 p)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd0, [p];
  mov.u32 %r0, %ctaid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd0, %rd0, %rd1;
  mov.u32 %r1, %cluster_ctarank;
  st.global.u32 [%rd0], %r1;
  ret;
}

.visible .entry crash()
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  mov.u64 %rd0, 64;
  mov.u32 %r0, 1;
  st.global.u32 [%rd0], %r0;
  ret;
}
`;

registerDeviceKind(cudaKind);
const [cuda] = await probeDevices();
if (cuda?.reason) console.log(`test/gpu/runtime: skipped, ${cuda.reason}`);

const open = async (): Promise<RuntimeDevice> => (await openDevice("cuda")) as RuntimeDevice;

function launch(
  device: RuntimeDevice,
  module: LoadedModule,
  fill: (views: readonly DataView[]) => void,
  change: Partial<Launch> = {},
): void {
  const backend = backendOf(device);
  const parameters = backend.parameters(module);
  fill(parameters.views);
  backend.launch({
    ...{ module, parameters, grid: [1, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1], sharedBytes: 0 },
    ...{ stream: backend.defaultStream, overlapPrevious: false, spans: [{ file: "main.ts", line: 5, column: 1, length: 1 }] },
    ...change,
  });
}

const moduleOf = (
  device: RuntimeDevice,
  entry: string,
  parameterBytes: readonly number[],
  dynamicSharedBytes = 0,
): LoadedModule => backendOf(device).loadModule(ptx, { entry, kernel: entry, parameterBytes, dynamicSharedBytes });

describe.skipIf(cuda?.reason !== undefined)("the CUDA driver", () => {
  it("moves memory", async () => {
    await using device = await open();
    const numbers = Float32Array.from({ length: 3_000_000 }, (_, i) => i % 1000);
    const t = device.tensor("f16", [1000, 3000], numbers);
    expect((await t.read()).length).toBe(3_000_000);
    expect([...(await t.slice([999, 1000], [2998, 3000]).read())]).toEqual([998, 999]);
    t.slice([0, 1]).fill(7);
    expect([...(await t.transpose().slice([0, 1], [0, 2]).read())]).toEqual([7, 0]);
    const wide = device.empty("i64", [5]);
    wide.fill(-3n);
    expect([...(await wide.read())]).toEqual([-3n, -3n, -3n, -3n, -3n]);
  });

  it("launches, with scalars and pointers, in its own stream and the author's", async () => {
    await using device = await open();
    const module = moduleOf(device, "scale", [8, 4], 200_000);
    const t = device.tensor("f32", [64], new Float32Array(64).fill(3));
    const fill = ([pointer, scalar]: readonly DataView[]): void => {
      pointer?.setBigUint64(0, addressOf(t), true);
      scalar?.setFloat32(0, 0.5, true);
    };
    launch(device, module, fill, { grid: [2, 1, 1], sharedBytes: 200_000 });
    launch(device, module, fill, { grid: [2, 1, 1], overlapPrevious: true });
    expect([...(await t.read())]).toEqual(new Array(64).fill(0.75));
    expect(module.registers).toBeGreaterThan(0);
    expect(module.blocksPerSM(32, 200_000)).toBe(1);
  });

  it("launches clusters", async () => {
    await using device = await open();
    const t = device.zeros("u32", [8]);
    launch(device, moduleOf(device, "ranks", [8]), ([p]) => p?.setBigUint64(0, addressOf(t), true), {
      grid: [8, 1, 1],
      cluster: [4, 1, 1],
    });
    expect([...(await t.read())]).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it("encodes tensor maps and times events", async () => {
    await using device = await open();
    const backend = backendOf(device);
    const t = device.zeros("f16", [256, 256]);
    const bytes = encodeMap(backend, addressOf(t), tiledMap(t, { box: [64, 64], swizzle: "128B" }));
    expect(bytes.some((byte) => byte !== 0)).toBe(true);
    const [from, to] = [backend.createEvent(), backend.createEvent()];
    backend.record(from, backend.defaultStream);
    t.fill(1);
    backend.record(to, backend.defaultStream);
    await backend.reached(to);
    expect(backend.elapsed(from, to)).toBeGreaterThan(0);
  });

  it("unloads modules that nobody holds, while others run", async () => {
    await using device = await open();
    const t = device.tensor("f32", [64], new Float32Array(64).fill(1));
    const double = (i: number): void => {
      const options = { entry: "scale", kernel: "scale", parameterBytes: [8, 4], dynamicSharedBytes: 0 };
      const module = backendOf(device).loadModule(`${ptx}// ${i}\n`, options);
      const fill = ([pointer, scalar]: readonly DataView[]): void => {
        pointer?.setBigUint64(0, addressOf(t), true);
        scalar?.setFloat32(0, 2, true);
      };
      launch(device, module, fill, { grid: [2, 1, 1] });
    };
    for (let i = 0; i < 60; i++) {
      double(i);
      // Every third time nothing is awaited before the module of the launch is gone.
      if (i % 3 > 0) await device.sync();
      await collectGarbage();
    }
    expect([...(await t.read())]).toEqual(new Array(64).fill(2 ** 60));
  });

  it("refuses PTX with the assembler's own words", async () => {
    await using device = await open();
    const broken = ptx.replace("mul.rn.f32", "mul.rn.f33");
    const load = (): unknown =>
      backendOf(device).loadModule(broken, { entry: "scale", kernel: "scale", parameterBytes: [8, 4], dynamicSharedBytes: 0 });
    expect(load).toThrow(/The PTX of scale was refused/);
    expect(load).toThrow(/line \d+/);
  });

  it("loses the device to a kernel that writes to address 64, says so, and cannot open it again in this process", async () => {
    const device = await open();
    const t = device.zeros("f32", [4]);
    launch(device, moduleOf(device, "crash", []), () => undefined);
    await expect(t.read()).rejects.toMatchObject({ code: "W8008", message: expect.stringMatching(/The kernel crash failed/) });
    await expect(t.read()).rejects.toMatchObject({ code: "W8009" });
    await device.dispose();
    await expect(open()).rejects.toMatchObject({ code: "W8012" });
  });
});
