import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as warpsmith from "warpsmith";
import * as arrays from "warpsmith/arrays";
import * as builds from "warpsmith/build";
import * as kernels from "warpsmith/kernels";
import * as ptx from "warpsmith/ptx";
import * as runtime from "warpsmith/runtime";
import * as schedules from "warpsmith/schedule";
import { type Buffer, block, grid, program, spatial } from "warpsmith/schedule";
import * as testing from "warpsmith/testing";
import { parametersOf } from "../../src/base/diag/index.ts";
import { isClass, kernelObjects, Sweep, traceKernel } from "./sweep.ts";

/**
 * Every exported function, every method of an exported class, and every method of the objects that these return: one argument more than it has
 * parameters is W2078. What takes any number of arguments is listed.
 */
// biome-ignore lint/suspicious/noExplicitAny: types are what this is not about
type Any = any;
type Callable = (this: unknown, ...args: unknown[]) => unknown;

const { explicit, kernel, tensorSpec } = warpsmith;

const before = warpsmith.helper((query: number, key: number) => key <= query);
const doubled = program({ X: [8], Z: [8] }, function doubled(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  for (const i of grid(8)) block("doubled", { v: spatial(i) }, ({ v }) => (Z[v] = X[v]! * 2));
});

let gpu: warpsmith.Device;
const folder = mkdtempSync(join(tmpdir(), "surplus-"));
beforeAll(async () => {
  gpu = await warpsmith.openDevice("emulator");
});
afterAll(async () => {
  await gpu.dispose();
  rmSync(folder, { recursive: true });
});

/** The objects of the host. */
async function onHost(sweep: Sweep): Promise<void> {
  const x = gpu.zeros("f32", [32]);
  const fill = kernel({ block: 32, grid: 1, params: ["tensor"] }, explicit((to: Any) => to.at(0).store(1)) as Any) as Any;
  const file = join(folder, "x.npy");
  await arrays.writeArray(file, Float32Array.of(1, 2));
  const objects: Record<string, unknown> = {
    ...{ Device: gpu, DeviceTensor: x, Stream: gpu.stream(), Graph: gpu.capture(() => fill.launch({}, x)) },
    ...{ Kernel: fill, Compiled: fill.compile(x), Report: fill.compile(x).report(), Profile: await fill.profile({}, x) },
    Build: builds.build({ k: fill.at(tensorSpec("f32", [32])) }),
    PtxModule: ptx.loadPtx({ file: "examples/ptx/saxpy.ptx" }),
    PtxEntry: ptx.loadPtx({ file: "examples/ptx/saxpy.ptx" }).entry(),
    Schedule: new schedules.Schedule(doubled),
    DeviceArrays: await arrays.loadArrays(gpu, file),
    AttentionMask: kernels.attentionMask(gpu, before, { queries: 64, keys: 64 }),
    TunedKernel: warpsmith.autotune([1], () => fill),
  };
  for (const [name, object] of Object.entries(objects)) sweep.object(name, object as object);
}

/** Classes that authors construct nothing of, what JavaScript calls, and a function of the author's. */
const notCalled = [
  ...["Layout", "SharedLayout", "WGMMAMatrix", "WMMAMatrix", "WarpsmithError", "runtime.WarpsmithError"],
  ...["schedule.BlockRef", "schedule.LoopRef", "Scalar.toJSON", "Tile.toJSON", "AttentionMask.visible"],
];

/** What a call throws, or gives to who awaits it. */
async function answer(f: object, receiver: unknown, args: readonly unknown[]): Promise<unknown> {
  try {
    return await (isClass(f) ? Reflect.construct(f as Callable, [...args]) : Reflect.apply(f as Callable, receiver, [...args]));
  } catch (error) {
    return error;
  }
}

describe("arguments that a function has no parameter for", () => {
  it("are refused by every exported function and method", async () => {
    const sweep = new Sweep();
    const modules = { "": warpsmith, arrays, build: builds, kernels, ptx, runtime, schedule: schedules, testing };
    for (const [name, members] of Object.entries(modules)) sweep.exports(name, members);
    traceKernel((x, map) => {
      for (const [name, object] of Object.entries(kernelObjects(x, map))) sweep.object(name, object);
    });
    await onHost(sweep);
    for (const name of notCalled) sweep.found.delete(name);
    const [taking, silent]: [string[], string[]] = [[], []];
    for (const [name, { f, receiver }] of sweep.found) {
      const { names, takesMore } = parametersOf(f);
      if (takesMore) {
        taking.push(name);
        continue;
      }
      const given = await answer(f, receiver, [...names.map(() => undefined), { surplus: true }]);
      const isTold =
        given instanceof warpsmith.WarpsmithError &&
        given.code === "W2078" &&
        given.message.includes(`given ${names.length + 1}`);
      if (!isTold) silent.push(name);
    }
    expect(silent).toEqual([]);
    expect(sweep.found.size).toBeGreaterThan(300);
    expect(taking.sort()).toMatchInlineSnapshot(`
      [
        "DeviceTensor.reshape",
        "DeviceTensor.slice",
        "DeviceTensor.transpose",
        "Kernel.at",
        "Kernel.bench",
        "Kernel.compile",
        "Kernel.launch",
        "Kernel.profile",
        "Kernel.trace",
        "PtxEntry.launch",
        "RemoteMbarrier.init",
        "RemoteMbarrier.invalidate",
        "RemoteMbarrier.testWait",
        "RemoteMbarrier.tryWait",
        "RemoteMbarrier.wait",
        "Schedule.fuse",
        "Schedule.reorder",
        "SharedView.at",
        "SharedView.reshape",
        "SharedView.transpose",
        "Tensor.at",
        "Tensor.reshape",
        "Tensor.transpose",
        "TunedKernel.at",
        "TunedKernel.bench",
        "TunedKernel.compile",
        "TunedKernel.launch",
        "TunedKernel.profile",
        "TunedKernel.trace",
        "assert",
        "kernels.kernelOf",
        "logical.and",
        "logical.or",
        "ptx",
        "ptx.struct",
        "schedule.Schedule.prototype.fuse",
        "schedule.Schedule.prototype.reorder",
        "schedule.effect",
        "schedule.grid",
        "schedule.intrinsic",
        "schedule.reads",
        "schedule.writes",
        "tile.transpose",
      ]
    `);
  });
});
