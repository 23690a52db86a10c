import { describe, expect, it } from "vitest";
import { type Im2colOptions, im2colMap, type TiledOptions, tiledMap } from "../../../src/base/tensor-map.ts";
import type { DType, Shape, TensorSpec } from "../../../src/base/types.ts";
import { encodeMap } from "../../../src/runtime/device.ts";
import { tensorSpec } from "../../../src/runtime/shape.ts";
import { openFake } from "../cuda/open-fake.ts";

const code = (expected: string) => expect.objectContaining({ code: expected });
const strided = (dtype: DType, shape: Shape, strides: Shape): TensorSpec => ({ dtype, rank: shape.length, shape, strides });

describe("tiled maps", () => {
  it("turn the tensor round: innermost first, strides in bytes without the innermost", () => {
    expect(tiledMap(tensorSpec("f16", [5, 4, 64]), { box: [1, 2, 32], swizzle: "64B" })).toEqual({
      mode: "tiled",
      dtype: "f16",
      dims: [64, 4, 5],
      strides: [128, 512],
      box: [32, 2, 1],
      elementStrides: [1, 1, 1],
      interleave: "none",
      swizzle: "64B",
      l2Promotion: "none",
      oobFill: "zero",
    });
  });

  it("do not ask for a stride that is never taken", () => {
    expect(tiledMap(strided("f32", [1, 4], [3, 1]), { box: [1, 4] }).strides).toEqual([32]);
  });

  const f16 = tensorSpec("f16", [256, 256]);
  it.each<[string, string, TensorSpec, TiledOptions]>([
    ["six dimensions", "W4001", tensorSpec("f32", [1, 1, 1, 1, 1, 4]), { box: [1, 1, 1, 1, 1, 4] }],
    ["interleave of two dimensions", "W4001", f16, { box: [8, 8], interleave: "16B" }],
    ["a box of another rank", "W4002", f16, { box: [8] }],
    ["element strides of another rank", "W4002", f16, { box: [8, 8], elementStrides: [1] }],
    ["too many elements", "W4004", strided("u8", [2 ** 32 + 16], [1]), { box: [16] }],
    ["a stride of 12 bytes", "W4005", tensorSpec("f32", [4, 3]), { box: [1, 4] }],
    [
      "a stride of 16 bytes with interleave 32B",
      "W4005",
      tensorSpec("f16", [4, 4, 8]),
      { box: [1, 1, 8], interleave: "32B", swizzle: "32B" },
    ],
    ["a stride of 2^40 bytes", "W4006", strided("f32", [2, 4], [2 ** 38, 1]), { box: [1, 4] }],
    ["a transposed tensor", "W4007", strided("f32", [4, 4], [1, 4]), { box: [1, 4] }],
    ["a box of 257", "W4008", f16, { box: [257, 8] }],
    ["a box of 0", "W4008", f16, { box: [0, 8] }],
    ["a box of 12 bytes", "W4009", f16, { box: [1, 6] }],
    ["a box wider than its swizzle", "W4010", f16, { box: [1, 128], swizzle: "128B" }],
    ["an element stride of 9", "W4011", f16, { box: [8, 8], elementStrides: [9, 1] }],
    ["interleave 32B with another swizzle", "W4012", tensorSpec("f16", [4, 4, 16]), { box: [1, 1, 16], interleave: "32B" }],
    ["NaN for integers", "W4013", tensorSpec("i32", [64, 64]), { box: [8, 8], oobFill: "nan" }],
    ["an unknown swizzle", "W4014", f16, { box: [8, 8], swizzle: "16B" as "32B" }],
  ])("refuse %s (%s)", (_, expected, spec, options) => {
    expect(() => tiledMap(spec, options)).toThrow(code(expected));
  });

  it("says which number broke which rule", () => {
    expect(() => tiledMap(tensorSpec("f32", [4, 3]), { box: [1, 4] })).toThrow(
      /Dimension 0 .* 3 f32 elements, 12 bytes; .* multiples of 16 bytes/,
    );
    expect(() => tiledMap(f16, { box: [1, 128], swizzle: "128B" })).toThrow(/128 f16 elements is 256 bytes, more than the 128B/);
  });

  it("are encoded by the device, at aligned addresses only", async () => {
    const { backend, fake } = await openFake();
    const map = tiledMap(f16, { box: [8, 64], swizzle: "128B", l2Promotion: "128B", oobFill: "nan" });
    expect([...encodeMap(backend, 0x1000n, map)]).toEqual(new Array(128).fill(0x11));
    const call = fake.calls.find((c) => c.name === "cuTensorMapEncodeTiled");
    const [, dtype, rank, address, dims, strides, box, elementStrides, ...choices] = call?.args ?? [];
    expect([dtype, rank, address]).toEqual([6, 2, 0x1000n]);
    expect([dims, strides]).toEqual([BigUint64Array.of(256n, 256n), BigUint64Array.of(512n, 0n)]);
    expect([box, elementStrides, choices]).toEqual([Uint32Array.of(64, 8), Uint32Array.of(1, 1), [0, 3, 2, 1]]);
    expect(() => encodeMap(backend, 0x1008n, map)).toThrow(code("W4003"));
    const interleaved = tiledMap(tensorSpec("f16", [4, 4, 16]), { box: [1, 1, 16], interleave: "32B", swizzle: "32B" });
    expect(() => encodeMap(backend, 0x1010n, interleaved)).toThrow(code("W4003"));
  });
});

describe("im2col maps", () => {
  const nhwc = tensorSpec("f16", [2, 16, 16, 64]);
  const good: Im2colOptions = { lower: [-1, -2], upper: [-1, -2], channels: 64, pixels: 128, swizzle: "128B" };

  it("turn the corners round, too", async () => {
    const map = im2colMap(nhwc, good);
    expect(map).toMatchObject({
      mode: "im2col",
      dims: [64, 16, 16, 2],
      lower: [-2, -1],
      upper: [-2, -1],
      channels: 64,
      pixels: 128,
    });
    const { backend, fake } = await openFake();
    expect(encodeMap(backend, 0x1000n, map)[0]).toBe(0x22);
    const call = fake.calls.find((c) => c.name === "cuTensorMapEncodeIm2col");
    expect(call?.args.slice(6)).toEqual([
      Int32Array.of(-2, -1),
      Int32Array.of(-2, -1),
      64,
      128,
      Uint32Array.of(1, 1, 1, 1),
      0,
      3,
      0,
      0,
    ]);
  });

  it.each<[string, string, TensorSpec, Partial<Im2colOptions>]>([
    ["two dimensions", "W4001", tensorSpec("f16", [64, 64]), {}],
    ["a corner too many", "W4015", nhwc, { lower: [0, 0, 0] }],
    ["too far a corner", "W4016", nhwc, { lower: [-129, 0] }],
    ["257 channels", "W4017", nhwc, { channels: 257 }],
    ["1025 pixels", "W4017", nhwc, { pixels: 1025 }],
    ["no pixel left", "W4018", nhwc, { lower: [0, 10], upper: [0, -10] }],
    ["channels wider than the swizzle", "W4010", nhwc, { channels: 128 }],
    ["channels of 8 bytes", "W4009", nhwc, { channels: 4 }],
  ])("refuse %s (%s)", (_, expected, spec, change) => {
    expect(() => im2colMap(spec, { ...good, ...change })).toThrow(code(expected));
  });
});
