import { describe, expect, it } from "vitest";
import type { Device } from "warpsmith";
import { add, cast, copy, embedding, rotary, sort, topK } from "warpsmith/kernels";
import { some } from "../../support/amount.ts";
import { openFake } from "../cuda/open-fake.ts";

const code = (expected: string) => expect.objectContaining({ code: expected });

/** Inputs, and a call whose results, and what they go through on the way, are in memory of their own. */
const calls: Readonly<Record<string, (device: Device) => () => unknown>> = {
  topK: (device) => {
    const x = device.empty("f32", [4, 64]);
    return () => topK(x, 8);
  },
  copy: (device) => {
    const x = device.empty("f32", [64]);
    return () => copy(x);
  },
  "topK, one result given": (device) => {
    const [x, indices] = [device.empty("f32", [4, 64]), device.empty("i32", [4, 8])];
    return () => topK(x, 8, { indices });
  },
  "sort of rows": (device) => {
    const x = device.empty("i32", [4, 64]);
    return () => sort(x, { values: "columns" });
  },
  "sort of one row, keys given": (device) => {
    const x = device.empty("i32", [100_000]);
    return () => sort(x, { values: "columns", out: x });
  },
};

describe("what was taken for a call that fails is freed", () => {
  // Each is compiled.
  it.each(some(Object.entries(calls), 2))("%s: no kernel", async (_, make) => {
    const { fake, device } = await openFake();
    const call = make(device);
    const before = fake.liveBytes;
    fake.refuse.set("cuModuleLoadDataEx", [1, 1, 1]);
    expect(call).toThrow();
    expect(fake.liveBytes).toBe(before);
  });

  it.each(Object.entries(calls))("%s: no memory", async (_, make) => {
    let room = 2 ** 30;
    const { fake, device } = await openFake({
      get memoryBytes() {
        return room;
      },
    });
    const call = make(device);
    const before = fake.liveBytes;
    // With the last one a sort has memory and is compiled: it is the module that has none.
    for (const part of some([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5], 7)) {
      room = before + part * before;
      expect(call).toThrow();
      expect(fake.liveBytes).toBe(before);
    }
  });
});

describe("more than threads number", () => {
  const huge: Readonly<Record<string, (device: Device) => unknown>> = {
    "a row that is sorted": (device) => sort(device.empty("u32", [1, 2 ** 31])),
    "vectors of an embedding": (device) => embedding(device.empty("bf16", [4, 4097]), device.empty("i32", [2 ** 20])),
    "vectors of heads": (device) => {
      const [x, positions] = [device.empty("bf16", [2 ** 20, 256, 67]), device.empty("i32", [2 ** 20])];
      return rotary(x, device.empty("f32", [8, 33]), device.empty("f32", [8, 33]), { positions });
    },
    "elements in one axis": (device) => add(device.empty("f32", [2 ** 31]), device.empty("f32", [2 ** 31])),
    "elements of rows with a gap": (device) => cast(device.empty("bf16", [2 ** 20, 4098]).slice(undefined, [0, 4097]), "f32"),
  };
  it.each(Object.entries(huge))("%s", async (_, call) => {
    const { device } = await openFake({ memoryBytes: 2 ** 42 });
    expect(() => call(device)).toThrow(code("W7710"));
  });
});
