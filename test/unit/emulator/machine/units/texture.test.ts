// Expected values are worked out by hand from the formulas of the CUDA C++ Programming Guide ("Texture Fetching", "Cubemap Textures").
import { describe, expect, it } from "vitest";
import { type Geometry, type Sampling, type TexelFormat, texelBytes } from "../../../../../src/base/texture.ts";
import { surfaceOffset, type TextureObject, TextureReader, writeTexel } from "../../../../../src/emulator/machine/units/index.ts";
import { addressed, facePoint, filterPosition } from "../../../../../src/emulator/machine/units/texture-coordinates.ts";

const plain: Sampling = {
  addressModes: ["clamp", "clamp", "clamp"],
  filter: "point",
  normalizedCoordinates: false,
  normalizedFloat: false,
  border: [0, 0, 0, 0],
};

interface Made extends Partial<Sampling> {
  readonly format?: TexelFormat;
  readonly geometry: Geometry;
  readonly extents: readonly [width: number, height?: number, depth?: number];
}

function textureOf({ format = { type: "f32", channels: 1 }, geometry, extents, ...sampling }: Made): TextureObject {
  const [width, height = 1, depth = 1] = extents;
  const pitch = width * texelBytes(format);
  const texels = { address: 0, format, geometry, width, height, depth, pitch };
  return { kind: "texture", texels, sampling: { ...plain, ...sampling }, linear: false, gather: true };
}

type At = readonly [x: number, y?: number, z?: number, layer?: number];
const pointOf = ([x, y = 0, z = 0, layer = 0]: At) => ({ x, y, z, layer, offsets: [0, 0, 0] as [number, number, number] });

/** The four words that a fetch gives, as floats. */
function sampled(made: Made, values: ArrayBufferView, at: At): readonly number[] {
  const words = new Int32Array(4);
  new TextureReader(textureOf(made)).sample(new DataView(values.buffer), pointOf(at), words);
  return Array.from(new Float32Array(words.buffer));
}
const red = (made: Made, values: ArrayBufferView, at: At): number => sampled(made, values, at)[0] ?? Number.NaN;

describe("address modes", () => {
  it.each([
    ["clamp", [0, 0, 0, 1, 2, 3, 3, 3]],
    ["border", [-1, -1, 0, 1, 2, 3, -1, -1]],
    ["wrap", [2, 3, 0, 1, 2, 3, 0, 1]],
    ["mirror", [1, 0, 0, 1, 2, 3, 3, 2]],
  ] as const)("%s", (mode, expected) => {
    expect([-2, -1, 0, 1, 2, 3, 4, 5].map((i) => addressed(i, 4, mode))).toEqual(expected);
  });

  it("repeat far away", () => {
    expect([-9, 11, -17, 400].map((i) => addressed(i, 4, "wrap"))).toEqual([3, 3, 3, 0]);
    // A period of 8: 0 1 2 3 3 2 1 0.
    expect([-9, 11, -12, 402].map((i) => addressed(i, 4, "mirror"))).toEqual([0, 3, 3, 2]);
  });
});

describe("linear filtering", () => {
  it("has its texels half a texel before the coordinate", () => {
    expect(filterPosition(1)).toEqual({ first: 0, weight: 128 });
    expect(filterPosition(2.75)).toEqual({ first: 2, weight: 64 });
    expect(filterPosition(0)).toEqual({ first: -1, weight: 128 });
  });

  it("has weights of 8 bits, and 1", () => {
    expect(filterPosition(0.5 + 1.4 / 256)).toEqual({ first: 0, weight: 1 });
    expect(filterPosition(0.5 + 1.6 / 256)).toEqual({ first: 0, weight: 2 });
    expect(filterPosition(0.5 + 255.8 / 256)).toEqual({ first: 1, weight: 0 });
  });

  it("has whole weights of two axes, too", () => {
    const image = new Float32Array(4);
    // 80 and 8 of 256 are 2.5 together, 208 and 216 are 175.5: both go up.
    const weights = (a: number, b: number): readonly number[] =>
      [0, 1, 2, 3].map((texel) => {
        const linear: Made = { geometry: "2d", extents: [2, 2], filter: "linear" };
        return (
          256 *
          red(
            linear,
            image.fill(0).map((_, i) => (i === texel ? 1 : 0)),
            [0.5 + a / 256, 0.5 + b / 256],
          )
        );
      });
    expect(weights(80, 8)).toEqual([171, 77, 5, 3]);
    expect(weights(208, 216)).toEqual([8, 32, 40, 176]);
  });

  const row = Float32Array.of(0, 100, 200, 400);
  it("of a row: (1 - a) T[i] + a T[i + 1]", () => {
    const linear: Made = { geometry: "1d", extents: [4], filter: "linear" };
    expect([0, 0.5, 1, 1.75, 3.25, 3.75, 9].map((x) => red(linear, row, [x]))).toEqual([0, 0, 50, 125, 350, 400, 400]);
  });

  it("beside the edges, by the address mode", () => {
    const edges = (mode: "wrap" | "mirror" | "border"): readonly number[] => {
      const made: Made = {
        ...{ geometry: "1d", extents: [4], filter: "linear", normalizedCoordinates: true },
        addressModes: [mode, mode, mode],
      };
      return [0, 1, 1.0625, -0.0625].map((x) => red(made, row, [x]));
    };
    // Less the half texel: -0.5, 3.5, 3.75 and -0.75.
    expect(edges("wrap")).toEqual([200, 200, 100, 300]);
    expect(edges("mirror")).toEqual([0, 400, 400, 0]);
    expect(edges("border")).toEqual([0, 200, 100, 0]);
  });

  it("of an image and of a volume: the product of the weights", () => {
    // T[x, y, z] = x + 10 y + 100 z.
    const volume = Float32Array.from({ length: 27 }, (_, i) => (i % 3) + 10 * (Math.floor(i / 3) % 3) + 100 * Math.floor(i / 9));
    const image: Made = { geometry: "2d", extents: [3, 3], filter: "linear" };
    expect(red(image, volume, [1.25, 2])).toBe(0.75 + 15);
    expect(red({ ...image, geometry: "3d", extents: [3, 3, 3] }, volume, [1.25, 2, 0.625])).toBe(0.75 + 15 + 12.5);
  });

  it("of layers stays in its layer, which is clamped", () => {
    const layers = Float32Array.of(0, 2, 100, 104);
    const made: Made = { geometry: "a1d", extents: [2, 1, 2], filter: "linear" };
    expect([0, 1, 2, 2 ** 32 - 1].map((layer) => red(made, layers, [1, 0, 0, layer]))).toEqual([1, 102, 102, 102]);
  });

  it("of normalized integers, after they have become floats", () => {
    const made: Made = {
      ...{ geometry: "1d", extents: [2], filter: "linear", normalizedFloat: true },
      format: { type: "u8", channels: 1 },
    };
    expect(red(made, Uint8Array.of(0, 255), [0.75])).toBe(0.25);
  });

  it("takes a border color for texels outside", () => {
    const made: Made = {
      ...{ geometry: "1d", extents: [2], filter: "linear", format: { type: "f32", channels: 2 } },
      ...{ addressModes: ["border", "border", "border"], border: [8, -8, 4, 2] },
    };
    expect(sampled(made, Float32Array.of(0, 0, 0, 0), [0])).toEqual([4, -4, 2, 1]);
  });
});

describe("point sampling", () => {
  it("takes the texel that the coordinate is in", () => {
    const made: Made = { geometry: "2d", extents: [2, 2] };
    const image = Float32Array.of(1, 2, 3, 4);
    expect(red(made, image, [0.99, 1])).toBe(3);
    expect(red({ ...made, normalizedCoordinates: true }, image, [0.5, 0.49])).toBe(2);
  });

  it("repeats and mirrors the coordinate, then takes the texel", () => {
    const row = Float32Array.of(1, 2, 3, 4);
    const at = (mode: "wrap" | "mirror", x: number): number =>
      red({ geometry: "1d", extents: [4], normalizedCoordinates: true, addressModes: [mode, mode, mode] }, row, [x]);
    expect([0.25, 1, 1.25, -0.25, -0.3].map((x) => at("wrap", x))).toEqual([2, 1, 2, 4, 3]);
    // By whole texels: 1.25 is texel 5, which stands for 2, and -0.25 is texel -1, which stands for 0.
    expect([0.25, 1, 1.25, -0.25, -0.3, 2, 3.3].map((x) => at("mirror", x))).toEqual([2, 4, 3, 1, 2, 1, 3]);
  });

  it.each<readonly [TexelFormat["type"], ArrayBufferView, readonly number[]]>([
    ["u8", Uint8Array.of(0, 51, 255, 1), [0, 0.2, 1, 1 / 255]],
    ["i8", Int8Array.of(-128, -127, 0, 127), [-1, -1, 0, 1]],
    ["u16", Uint16Array.of(0, 65535, 13107, 1), [0, 1, 0.2, 1 / 65535]],
    ["i16", Int16Array.of(-32768, -32767, 32767, 1), [-1, -1, 1, 1 / 32767]],
  ])("reads %s as numbers up to 1", (type, values, expected) => {
    const made: Made = { geometry: "1d", extents: [1], format: { type, channels: 4 }, normalizedFloat: true };
    expect(sampled(made, values, [0])).toEqual(expected.map(Math.fround));
  });

  it("reads integers, halves and what has fewer channels", () => {
    const words = (format: TexelFormat, values: ArrayBufferView): readonly number[] => {
      const found = new Int32Array(4);
      new TextureReader(textureOf({ geometry: "1d", extents: [1], format })).sample(
        new DataView(values.buffer),
        pointOf([0]),
        found,
      );
      return Array.from(found);
    };
    expect(words({ type: "i8", channels: 4 }, Int8Array.of(-1, 2, -3, 4))).toEqual([-1, 2, -3, 4]);
    expect(words({ type: "u16", channels: 2 }, Uint16Array.of(65535, 7))).toEqual([65535, 7, 0, 0]);
    expect(words({ type: "u32", channels: 1 }, Uint32Array.of(0xdeadbeef))).toEqual([0xdeadbeef | 0, 0, 0, 0]);
    const halves: Made = { geometry: "1d", extents: [1], format: { type: "f16", channels: 2 } };
    expect(sampled(halves, Uint16Array.of(0x3c00, 0xc100), [0])).toEqual([1, -2.5, 0, 0]);
  });

  it("counts no number as 0, and goes to the edge for what is endless", () => {
    const made: Made = { geometry: "1d", extents: [3] };
    const row = Float32Array.of(1, 2, 3);
    expect([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((x) => red(made, row, [x]))).toEqual([1, 3, 1]);
  });
});

describe("whole coordinates and gathers", () => {
  it("load texels, and 0 outside", () => {
    const made: Made = { geometry: "2d", extents: [2, 2], normalizedCoordinates: true, filter: "linear" };
    const reader = new TextureReader(textureOf(made));
    const load = (x: number, y: number): number => {
      const words = new Int32Array(4);
      reader.load(new DataView(Float32Array.of(1, 2, 3, 4).buffer), pointOf([x, y]), words);
      return new Float32Array(words.buffer)[0] ?? 0;
    };
    expect([load(0, 0), load(1, 1), load(2, 0), load(0, -1)]).toEqual([1, 4, 0, 0]);
  });

  it("gather from the lower left, counter-clockwise", () => {
    const words = new Int32Array(4);
    const object = textureOf({ geometry: "2d", extents: [2, 2], format: { type: "i32", channels: 2 } });
    const values = Int32Array.of(0, 10, 1, 11, 2, 12, 3, 13);
    new TextureReader(object).gather(new DataView(values.buffer), pointOf([1, 1]), 1, words);
    expect(Array.from(words)).toEqual([12, 13, 11, 10]);
  });
});

describe("cubes", () => {
  it.each([
    [[2, 1, -1], { face: 0, s: 0.75, t: 0.25 }],
    [[-2, 1, -1], { face: 1, s: 0.25, t: 0.25 }],
    [[1, 2, -1], { face: 2, s: 0.75, t: 0.25 }],
    [[1, -2, -1], { face: 3, s: 0.75, t: 0.75 }],
    [[1, -1, 2], { face: 4, s: 0.75, t: 0.75 }],
    [[1, -1, -2], { face: 5, s: 0.25, t: 0.75 }],
  ] as const)("the direction %j", ([x, y, z], expected) => expect(facePoint(x, y, z)).toEqual(expected));

  it("read the face of their cube", () => {
    const faces = Float32Array.from({ length: 12 }, (_, i) => i);
    const made: Made = { geometry: "acube", extents: [1, 1, 12], normalizedCoordinates: true };
    expect(red(made, faces, [0, -3, 1, 1])).toBe(6 + 3);
    expect(red({ ...made, geometry: "cube", extents: [1, 1, 6] }, faces, [0, 0, -1])).toBe(5);
  });
});

describe("surfaces", () => {
  const { texels } = textureOf({ geometry: "3d", extents: [4, 3, 2], format: { type: "u8", channels: 2 } });
  it("lie row after row", () => expect(surfaceOffset(texels, { x: 6, y: 2, z: 1 }, 2, "trap")).toBe(3 * 8 + 2 * 8 + 6));
  it("clamp so that all of an access is inside", () => {
    expect(surfaceOffset(texels, { x: 100, y: -5, z: 9 }, 4, "clamp")).toBe(3 * 8 + 4);
    expect(surfaceOffset(texels, { x: -4, y: 1, z: 0 }, 4, "clamp")).toBe(8);
  });
  it("have nothing outside", () => {
    expect(surfaceOffset(texels, { x: 8, y: 0, z: 0 }, 1, "zero")).toBe(undefined);
    expect(surfaceOffset(texels, { x: 0, y: 3, z: 0 }, 1, "zero")).toBe(undefined);
    expect(() => surfaceOffset(texels, { x: 8, y: 1, z: 1 }, 2, "trap")).toThrow(
      "it used 2 bytes at byte 8, row 1, slice 1 of a surface with 2 slices, 3 rows, 8 bytes in a row, and .trap traps there",
    );
  });
  it("are used at multiples of the access", () =>
    expect(() => surfaceOffset(texels, { x: 2, y: 0, z: 0 }, 4, "clamp")).toThrow("not a multiple of 4"));

  it("are written by format", () => {
    const view = new DataView(new ArrayBuffer(8));
    const float = (x: number): number => new Int32Array(Float32Array.of(x).buffer)[0] ?? 0;
    writeTexel({ type: "u8", channels: 4 }, view, 0, [7, 300, -1]);
    expect(Array.from(new Uint8Array(view.buffer, 0, 4))).toEqual([7, 255, 255, 0]);
    writeTexel({ type: "i16", channels: 2 }, view, 0, [-70000, 5]);
    expect(Array.from(new Int16Array(view.buffer, 0, 2))).toEqual([-32768, 5]);
    writeTexel({ type: "f16", channels: 2 }, view, 4, [float(1.5), float(-2)]);
    expect(Array.from(new Uint16Array(view.buffer, 4, 2))).toEqual([0x3e00, 0xc000]);
    writeTexel({ type: "f32", channels: 1 }, view, 0, [float(0.1)]);
    expect(view.getFloat32(0, true)).toBe(Math.fround(0.1));
  });
});
