import { describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { openFake } from "../cuda/open-fake.ts";

/** A call of each kind, with memory of the author's for its result. */
const calls: Readonly<Record<string, (device: Device) => Pick<kernels.ReadyKernel, "before" | "args" | "after">>> = {
  add: (device) => {
    const x = device.empty("f32", [8, 64]);
    return kernels.kernelOf(kernels.add, x, x, { out: device.empty("f32", [8, 64]) });
  },
  map: (device) => {
    const x = device.empty("f32", [8, 64]);
    return kernels.kernelOf(
      kernels.map,
      { x },
      helper(({ x = 0 }: Readonly<Record<string, number>>) => x),
    );
  },
  sample: (device) => kernels.kernelOf(kernels.sample, device.empty("f32", [8, 64]), { uniform: device.empty("f32", [8]) }),
  sort: (device) => kernels.kernelOf(kernels.sort, device.empty("i32", [8, 64]), { values: "columns" }),
  rotary: (device) => {
    const [x, angles] = [device.empty("f32", [1, 4, 2, 64]), device.empty("f32", [4, 32])];
    return kernels.kernelOf(kernels.rotary, x, angles, angles);
  },
  histogram: (device) => kernels.kernelOf(kernels.histogram, device.empty("i32", [64]), 4),
  "matmul with all its launches": (device) => all(device),
  attention: (device) => {
    const x = device.empty("f16", [1, 2, 64, 64]) as DeviceTensor<"f16", 4>;
    return kernels.attentionKernel(x, x, x, { logSumExp: device.empty("f32", [1, 2, 64]) });
  },
  attentionVarlen: (device) => {
    const x = device.empty("f16", [64, 2, 64]) as DeviceTensor<"f16", 3>;
    return kernels.attentionVarlenKernel(x, x, x, { cuSeqlens: device.empty("i32", [3]) });
  },
};

const counted = helper((value: number) => ({ value, total: value }));

/** A product whose operand is copied before and whose rows are put together after. */
const all = (device: Device) => {
  const [a, b] = [device.empty("f16", [64, 6303]), device.empty("f16", [6303, 64])] as const;
  return kernels.matmulKernel(a as DeviceTensor<"f16", 2>, b as DeviceTensor<"f16", 2>, {
    epilogue: counted,
    outputs: { total: { sum: device.empty("f32", [64]) } },
  });
};

/** Objects and lists of a launch that may change: a kernel prepares a launch with them anew each time. */
function changing(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return [];
  return [...(Object.isFrozen(value) ? [] : [value]), ...Object.values(value).flatMap(changing)];
}

describe("a call of warpsmith/kernels as data", () => {
  it.each(Object.entries(calls))("%s: no launch has arguments that could change", async (_, make) => {
    const { device } = await openFake();
    const { before, args, after } = make(device);
    expect([...before.flatMap((one) => one.args), ...args, ...after.flatMap((one) => one.args)].flatMap(changing)).toEqual([]);
  });

  it("names its launches in order, and says what the further ones are for", async () => {
    const { device } = await openFake();
    const { before, kernel, after } = all(device);
    expect([...before, { kernel }, ...after].map((one) => one.kernel.name)).toEqual(["copyLines", "gemm", "combineRows"]);
    expect([...before, ...after].map(({ why, without }) => why !== "" && without !== "")).toEqual([true, true]);
  });
});
