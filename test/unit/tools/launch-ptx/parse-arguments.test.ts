import { describe, expect, it } from "vitest";
import { type PtxArgument, parseArguments } from "../../../../src/tools/launch-ptx/index.ts";

const one = (text: string, buffers: readonly string[] = []): PtxArgument => {
  const [arg] = parseArguments(buffers, [text]).args;
  if (!arg) throw new Error("no argument");
  return arg;
};
const bytesOf = (text: string): number[] => {
  const arg = one(text);
  return arg.kind === "bytes" ? [...arg.bytes] : [];
};

describe("scalars", () => {
  it.each([
    ["i32:-2", [0xfe, 0xff, 0xff, 0xff]],
    ["u8:200", [200]],
    ["u64:18446744073709551615", [255, 255, 255, 255, 255, 255, 255, 255]],
    ["i64:-1", [255, 255, 255, 255, 255, 255, 255, 255]],
    ["u64:0xff00000001", [1, 0, 0, 0, 0xff, 0, 0, 0]],
    ["f32:1.5", [0, 0, 0xc0, 0x3f]],
    ["f32:0x7fc00001", [1, 0, 0xc0, 0x7f]],
    ["f16:-inf", [0, 0xfc]],
    ["bf16:1", [0x80, 0x3f]],
    ["e4m3:0x7f", [0x7f]],
    ["f64:-0.5", [0, 0, 0, 0, 0, 0, 0xe0, 0xbf]],
    ["bytes:00ff10", [0, 255, 16]],
  ])("%s", (text, bytes) => expect(bytesOf(text)).toEqual(bytes));

  it("keeps NaN", () =>
    expect(Number.isNaN(new DataView(Uint8Array.from(bytesOf("f32:nan")).buffer).getFloat32(0, true))).toBe(true));
});

describe("buffers", () => {
  it("takes a shape, a filling and a mark", () => {
    const { buffers, args } = parseArguments([], ["x=f16[4x8]:randn:7:out", "f32[3]:value=2.5", "u8[5]:below=9"]);
    expect(buffers).toEqual([
      { name: "x", dtype: "f16", shape: [4, 8], fill: { kind: "randn", seed: 7 }, out: true },
      { name: "arg1", dtype: "f32", shape: [3], fill: { kind: "value", value: 2.5 }, out: false },
      { name: "arg2", dtype: "u8", shape: [5], fill: { kind: "below", limit: 9, seed: 0 }, out: false },
    ]);
    expect(args).toEqual(["x", "arg1", "arg2"].map((buffer) => ({ kind: "address", buffer, offset: 0 })));
  });

  it("takes a file by any path", () => {
    const [buffer] = parseArguments([], ["x=u8[4]:file=C:/some where/in.bin:out"]).buffers;
    expect(buffer).toMatchObject({ fill: { kind: "file", path: "C:/some where/in.bin" }, out: true });
  });

  it("points into buffers declared apart, in arguments and in lists of addresses", () => {
    const { buffers, args } = parseArguments(["x=i32[8]:arange", "table=u64[2]:addresses=@x,@x+16"], ["@table", "@x+4"]);
    expect(buffers[1]?.fill).toEqual({
      kind: "addresses",
      of: [
        { kind: "address", buffer: "x", offset: 0 },
        { kind: "address", buffer: "x", offset: 16 },
      ],
    });
    expect(args[1]).toEqual({ kind: "address", buffer: "x", offset: 4 });
  });
});

describe("structures and tensor maps", () => {
  it("keeps the members of a structure in order", () => {
    expect(one("{i8:1, {i16:2,i32:3}, @x+8}", ["x=u8[16]:zeros"])).toMatchObject({
      kind: "structure",
      members: [{ kind: "bytes" }, { kind: "structure", members: [{ align: 2 }, { align: 4 }] }, { kind: "address", offset: 8 }],
    });
  });

  it("makes a tiled map, innermost first", () => {
    const arg = one("tma:@x+256:f16[64x128]:box=32x64:swizzle=128B:oob=nan:l2=256B", ["x=f16[66x128]:zeros"]);
    expect(arg).toMatchObject({
      kind: "map",
      address: { buffer: "x", offset: 256 },
      map: {
        mode: "tiled",
        dims: [128, 64],
        strides: [256],
        box: [64, 32],
        swizzle: "128B",
        oobFill: "nan",
        l2Promotion: "256B",
      },
    });
  });

  it("makes an im2col map", () => {
    const arg = one("tma:@x:f16[2x8x8x32]:lower=0x0:upper=0x0:channels=32:pixels=64", ["x=f16[4096]:zeros"]);
    expect(arg).toMatchObject({ kind: "map", map: { mode: "im2col", channels: 32, pixels: 64 } });
  });
});

describe("refuses", () => {
  it.each([
    ["seven", "W7801"],
    ["i33:7", "W7801"],
    ["i32:", "W7801"],
    ["i32:x", "W7801"],
    ["u8:0x100", "W7801"],
    ["i64:1.5", "W7801"],
    ["u8:300", "W7005"],
    ["f32[4]:nothing", "W7801"],
    ["f32[4]:randn=3", "W7801"],
    ["f32[4]:below=0", "W7801"],
    ["f32[0]:zeros", "W7801"],
    ["f32[4x]:zeros", "W7801"],
    ["{i32:1", "W7801"],
    ["bytes:0", "W7801"],
    ["@x-1", "W7801"],
    ["@nowhere", "W7802"],
    ["tma:@x:f16[64x128]", "W7801"],
    ["tma:@x:f16[64x128]:colour=red", "W7801"],
    ["tma:@x:f16[64x128]:box=64x64:swizzle=96B", "W4014"],
    ["tma:@x:f16[64x65]:box=64x64", "W4005"],
  ])("%s", (text, code) => expect(() => one(text)).toThrow(code));

  it("a name twice, and an address beyond its buffer", () => {
    expect(() => parseArguments([], ["x=u8[1]:zeros", "x=u8[1]:zeros"])).toThrow("W7802");
    expect(() => one("@x+17", ["x=u8[16]:zeros"])).toThrow("The buffer x ends before byte 17");
  });
});
