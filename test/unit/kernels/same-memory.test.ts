import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import { randn } from "warpsmith/testing";
import { isSame, knownOperand, overlap } from "../../../src/kernels/common/same-memory.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator");
});
afterAll(() => device.dispose());

/** Where each element lies, in bytes. */
function bytesOf({ shape, strides, dtype, address }: DeviceTensor, begin: bigint): Set<bigint> {
  void address;
  const size = dtype === "f32" ? 4 : 2;
  let at = [0];
  shape.forEach((extent, i) => {
    at = at.flatMap((from) => Array.from({ length: extent }, (_, j) => from + j * (strides[i] ?? 0)));
  });
  return new Set(at.flatMap((element) => Array.from({ length: size }, (_, b) => begin + BigInt(element * size + b))));
}

describe("memory of two tensors", () => {
  it("is shared exactly where an element is, for slices and transposed slices of one matrix", () => {
    const memory = device.zeros("f16", [6, 8]);
    const random = randn(4000, 7);
    let next = 0;
    const pick = (below: number): number => Math.floor(Math.abs((random[next++] ?? 0) * 1000)) % below;
    const range = (extent: number): [number, number] => {
      const start = pick(extent);
      return [start, start + 1 + pick(extent - start)];
    };
    const seen = new Set<boolean>();
    for (let i = 0; i < 400; i++) {
      const [x, y] = [0, 1].map(() => {
        const part = memory.slice(range(6), range(8));
        return pick(2) === 0 ? part : part.transpose(1, 0);
      }) as [DeviceTensor, DeviceTensor];
      const [here, there] = [bytesOf(x, x.address()), bytesOf(y, y.address())];
      const shares = [...here].some((byte) => there.has(byte));
      // One row or column says nothing of how far apart rows are: then an overlap may be assumed where there is none, never the opposite.
      const rows = [x, y].every(({ shape }) => shape.every((extent) => extent > 1));
      if (rows || shares) expect(overlap(x, y), `${x.shape}|${x.strides} ${y.shape}|${y.strides}`).toBe(shares);
      seen.add(shares);
    }
    expect(seen.size).toBe(2);
  });

  it("of other types and ranks", () => {
    const memory = device.zeros("f32", [64]);
    expect(overlap(memory.slice([0, 32]), memory.slice([31, 64]))).toBe(true);
    expect(overlap(memory.slice([0, 32]), memory.slice([32, 64]))).toBe(false);
    expect(overlap(memory, device.zeros("f16", [64]))).toBe(false);
  });
});

describe("the first of equal views", () => {
  it("is found by place, shape, strides and type", () => {
    const x = device.zeros("f16", [8, 8]);
    const view = x.transpose(1, 0);
    expect(knownOperand(view)).toBe(view);
    expect(knownOperand(x.transpose(1, 0))).toBe(view);
    expect(knownOperand(x)).toBe(x);
    expect(knownOperand(x.slice([0, 4])).shape).toEqual([4, 8]);
    expect(isSame(view, x.transpose(1, 0))).toBe(true);
    view.dispose();
    const again = x.transpose(1, 0);
    expect(knownOperand(again)).toBe(again);
  });

  it("is none whose memory has been freed, nor one of another device", () => {
    let freed = false;
    const at = (owner: object, address: () => bigint) =>
      ({ dtype: "f16", rank: 2, shape: [8, 8], strides: [8, 1], device: owner, address }) as unknown as DeviceTensor;
    const gone = () => {
      if (freed) throw new Error("freed");
      return 4096n;
    };
    const owner = {};
    const [old, elsewhere] = [at(owner, gone), at({}, () => 4096n)];
    expect(knownOperand(old)).toBe(old);
    expect(knownOperand(elsewhere)).toBe(elsewhere);
    const alive = at(owner, () => 4096n);
    expect(knownOperand(alive)).toBe(old);
    freed = true;
    expect(knownOperand(alive)).toBe(alive);
  });
});
