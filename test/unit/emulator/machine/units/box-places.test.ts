import { describe, expect, it } from "vitest";
import { im2colMap, type MappedTensor, tiledMap } from "../../../../../src/base/tensor-map.ts";
import { missesImages, otherOrder } from "../../../../../src/emulator/machine/units/index.ts";
import { tensorSpec } from "../../../../../src/runtime/index.ts";

const spec = (dtype: "f16" | "f32", shape: readonly number[]) => tensorSpec(dtype, shape) as unknown as MappedTensor;

describe("the order in which coordinates may have been meant", () => {
  const map = tiledMap(spec("f32", [256, 64]), { box: [64, 32] }, []);
  it.each<[given: readonly number[], meant: readonly number[] | undefined]>([
    // innermost first
    [
      [64, 0],
      [0, 64],
    ],
    [
      [252, 32],
      [32, 252],
    ],
    // as good or as bad as it is
    [[0, 0], undefined],
    [[64, 64], undefined],
    [[64, 300], undefined],
    // not at 16 bytes
    [[64, 2], undefined],
    // begins before the tensor
    [[0, -63], undefined],
    [
      [-60, -28],
      [-28, -60],
    ],
  ])("%j: %j", (given, meant) => expect(otherOrder(map, given)).toEqual(meant));

  it("of three dimensions is reversed, or has the first two exchanged", () => {
    const batch = tiledMap(spec("f16", [4, 256, 64]), { box: [1, 64, 64] }, []);
    expect(otherOrder(batch, [3, 128, 0])).toEqual([0, 128, 3]);
    expect(otherOrder(batch, [128, 0, 3])).toEqual([0, 128, 3]);
  });
  it("of im2col there is none", () => {
    const images = im2colMap(spec("f16", [2, 4, 4, 8]), { lower: [0, 0], upper: [0, 0], channels: 8, pixels: 4 }, []);
    expect(otherOrder(images, [8, 0, 0, 0])).toBeUndefined();
    expect(
      [
        [0, -1, -1, 0],
        [8, 0, 0, 0],
        [-8, 0, 0, 0],
        [0, 0, 0, 2],
      ].map((at) => missesImages(images as never, at)),
    ).toEqual([...[false, true, true, true]]);
  });
});
