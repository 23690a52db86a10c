import { describe, expect, it } from "vitest";
import { openDevice } from "../../../src/index.ts";
import { backendOf, prepareStream } from "../../../src/runtime/index.ts";
import { openFake } from "../cuda/open-fake.ts";
import { borrow, borrowExpected } from "./tensor-at-scenario.ts";

describe("tensorAt on the emulator", () => {
  it.each(["off", "normal"] as const)("with checks %s, as on a GPU", async (check) => {
    await using device = await openDevice("emulator", { check });
    expect(await borrow(device)).toEqual(borrowExpected);
  });

  it("finds nothing where memory has been freed", async () => {
    await using device = await openDevice("emulator");
    const backend = backendOf(device);
    const memory = backend.allocate(64);
    device.tensorAt("u8", [64], memory);
    expect(() => device.tensorAt("u8", [65], memory)).toThrow(/W7057.*ends after 64 bytes, and the tensor takes 65/s);
    backend.free(memory);
    expect(() => device.tensorAt("u8", [64], memory)).toThrow(/W7057.*given no memory there/s);
  });

  it.each([
    [3, "an address is a bigint"],
    [undefined, "an address is a bigint"],
    [0n, "the null pointer"],
    [-4n, "64 bits"],
    [2n ** 64n, "64 bits"],
    [2n ** 63n, "no memory there"],
    [0x7f_0000_0002n, "multiples of 4"],
  ])("refuses the address %s", async (address, reason) => {
    await using device = await openDevice("emulator");
    expect(() => device.tensorAt("f32", [1], address as bigint)).toThrow(reason);
  });

  it.each([
    [[4], "one for each dimension"],
    ["41", "one for each dimension"],
    [[-1, 1], "whole number from 0"],
    [[1.5, 1], "whole number from 0"],
    [[0, 1], "share a place"],
    [[3, 1], "share a place"],
    [[1, 1], "share a place"],
    [[2 ** 52, 1], "further away"],
  ])("refuses the strides %j", async (strides, reason) => {
    await using device = await openDevice("emulator");
    const x = device.zeros("f32", [64]);
    const at = () => device.tensorAt("f32", [2, 4], x.address(), { strides: strides as never });
    expect(at).toThrow("W7058");
    expect(at).toThrow(reason);
  });

  it("takes the strides of other libraries", async () => {
    await using device = await openDevice("emulator");
    const x = device.tensor("i32", [2, 4], [0, 1, 2, 3, 4, 5, 6, 7]);
    const turned = device.tensorAt("i32", [4, 2], x.address(), { strides: [1, 4] });
    expect([...(await turned.read())]).toEqual([0, 4, 1, 5, 2, 6, 3, 7]);
    turned.fill(9);
    expect([...(await x.read())]).toEqual(new Array(8).fill(9));
    // Of a dimension of one element the stride says nothing.
    expect([...(await device.tensorAt("i32", [1, 2], x.address(), { strides: [0, 4] }).read())]).toEqual([9, 9]);
  });
});

describe("tensorAt through the driver", () => {
  it("asks what is there", async () => {
    const { fake, device, backend } = await openFake();
    const memory = backend.allocate(64);
    const t = device.tensorAt("u8", [60], memory + 4n);
    t.fill(7);
    expect([...(await t.read())]).toEqual(new Array(60).fill(7));
    const live = fake.liveBytes;
    t.dispose();
    await device.sync();
    expect(fake.liveBytes).toBe(live);
    expect(() => device.tensorAt("u8", [61], memory + 4n)).toThrow(/W7057.*ends after 60 bytes, and the tensor takes 61/s);
    expect(() => device.tensorAt("u8", [1], 0x5000n)).toThrow(/W7057.*the driver knows of no memory there/s);
    fake.others.push({ begin: 0x5000n, bytes: 64 });
    expect(() => device.tensorAt("u8", [1], 0x5000n)).toThrow(/W7057.*this GPU cannot use the memory there/s);
    const mapped = backend.mapped(32);
    expect(device.tensorAt("u32", [8], mapped.address).address()).toBe(mapped.address);
    // A range that is reserved further than it is mapped: the last byte is asked for.
    fake.refuse.set("cuPointerGetAttribute", [undefined, undefined, 1, 1] as never);
    expect(() => device.tensorAt("u8", [8], memory)).toThrow(/W7057.*the 8 bytes of the tensor reach beyond/s);
    fake.refuse.set("cuPointerGetAttribute", [719]);
    expect(() => device.tensorAt("u8", [1], memory)).toThrow("W8008");
  });

  it("orders all tensors of one allocation, in whatever streams", async () => {
    const { fake, device, backend } = await openFake();
    const memory = backend.allocate(64);
    using stream = device.stream();
    const before = fake.countOf("cuStreamWaitEvent");
    // The second is another tensor of the same memory.
    const [first, second] = [device.tensorAt("u8", [4], memory), device.tensorAt("u8", [4], memory + 8n)];
    prepareStream(device, stream, [first]);
    second.fill(1);
    expect(fake.countOf("cuStreamWaitEvent")).toBeGreaterThan(before + 1);
  });
});
