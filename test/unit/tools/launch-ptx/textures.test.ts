import { afterAll, describe, expect, it } from "vitest";
import { type Device, type EmulatorSettings, openDevice } from "warpsmith";
import { launchPtx, parseArguments } from "../../../../src/tools/launch-ptx/index.ts";
import { loadPtx } from "../../../../src/tools/load-ptx/index.ts";

const device = await openDevice("emulator", { check: "off" });
afterAll(() => device.dispose());

const noFiles = (path: string): never => {
  throw new Error(`no file ${path}`);
};

interface Run {
  readonly on?: Device;
  readonly threads?: number;
  readonly buffers?: readonly string[];
}

/** The kernel takes one object and the address of `out`; %i is the thread, %out where it may leave 16 bytes. */
async function run(body: string, args: readonly string[], { on = device, threads = 4, buffers = [] }: Run = {}) {
  const ptx = `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 object, .param .u64 result${args.length > 2 ? ", .param .u64 third" : ""})
{
  .reg .pred %p<4>;
  .reg .b16 %h<8>;
  .reg .b32 %r<16>, %i, %j;
  .reg .b64 %d<8>, %t, %out, %third;
  .reg .f32 %f<16>, %x;
  ld.param.u64 %t, [object];
  ld.param.u64 %out, [result];
  ${args.length > 2 ? "ld.param.u64 %third, [third];" : ""}
  mov.u32 %i, %tid.x;
  mul.wide.u32 %d0, %i, 16;
  add.u64 %out, %out, %d0;
  cvt.rn.f32.u32 %x, %i;
${body}
  ret;
}
`;
  const launch = {
    entry: "k",
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    cluster: [1, 1, 1],
    sharedBytes: 0,
    ...parseArguments(buffers, args),
  } as const;
  const results = await launchPtx(on, loadPtx(ptx), launch, noFiles);
  return new Map(results.map(({ name, values }) => [name, Array.from(values)]));
}

const failure = async (body: string, args: readonly string[], options?: Run): Promise<string> =>
  run(body, args, options).then(
    () => "nothing",
    (error: Error) => error.message,
  );

const floats = "  st.global.v4.f32 [%out], {%f0, %f1, %f2, %f3};";
const words = "  st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};";

describe("texture fetches", () => {
  it("of a row, filtered, by a scalar coordinate", async () => {
    const body = `tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, %x];\n${floats}`;
    const found = await run(body, ["tex:@x:f32[4]:linear", "out=f32[16]:zeros:out"], { buffers: ["x=f32[4]:arange"] });
    // 0 and i lie half way between texels i - 1 and i.
    expect(found.get("out")).toEqual([0, 0, 0, 0, 0.5, 0, 0, 0, 1.5, 0, 0, 0, 2.5, 0, 0, 0]);
  });

  it("of an image with constant coordinates, sinks, a predicate and offsets", async () => {
    const body = `mov.f32 %f1, 0f41200000; mov.f32 %f3, 0f41200000;
  tex.base.2d.v4.f32.f32 {%f0, _, %f2, _}|%p1, [%t, {1.5, 0f3F000000}], {%i, 1};
  @!%p1 mov.f32 %f3, 0f00000000;\n${floats}`;
    const found = await run(body, ["tex:@x:f32x2[2x4]", "out=f32[16]:zeros:out"], { buffers: ["x=f32[16]:arange"] });
    // Row 1, texels 1, 2, 3 and 3 again.
    expect(found.get("out")).toEqual([10, 10, 0, 10, 12, 10, 0, 10, 14, 10, 0, 10, 14, 10, 0, 10]);
  });

  it("of integers by whole coordinates, of a layer", async () => {
    const body = `tex.a2d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%t, {1, %i, 1, %i}];\n${words}`;
    const found = await run(body, ["tex:@x:i8x2[2x2x3]:layered", "out=i32[16]:zeros:out"], { buffers: ["x=i8[24]:arange"] });
    expect(found.get("out")).toEqual([18, 19, 0, 0, 20, 21, 0, 0, 22, 23, 0, 0, 0, 0, 0, 0]);
  });

  it("at a level, with derivatives, and as halves", async () => {
    const body = `tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}], 0f40400000;
  tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%x, %x}], {%x, %x}, {%x, %x};
  tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%t, {%x, %x}];
  tex.2d.v2.f16x2.f32 {%r0, %r1}, [%t, {%x, %x}];
  mov.b32 %r2, {%h0, %h3};
  mov.b32 %f1, %r0; mov.b32 %f2, %r1; mov.b32 %f3, %r2; add.f32 %f0, %f0, %f5;\n${floats}`;
    const found = await run(body, ["tex:@x:f16x4[2x2]", "out=u32[4]:zeros:out"], { threads: 1, buffers: ["x=f16[16]:arange"] });
    // 0 + 1 as f32; halves 0 1, 2 3, 0 3.
    expect(found.get("out")).toEqual([0x3f800000, 0x3c000000, 0x42004000, 0x42000000]);
  });

  it("of cubes, volumes and gathers", async () => {
    const cube = `tex.acube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%i, 0fC0000000, 0f3F000000, 0f00000000}];\n${floats}`;
    const faces = await run(cube, ["tex:@x:u8[12x1x1]:cube:layered:normalized:normalized-float", "out=f32[8]:zeros:out"], {
      ...{ threads: 2, buffers: ["x=u8[12]:arange"] },
    });
    // Face 1 of cubes 0 and 1.
    expect([faces.get("out")?.[0], faces.get("out")?.[4]]).toEqual([1 / 255, 7 / 255].map(Math.fround));
    const volume = `tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {0f3F000000, 0f3F000000, %x, %x}];\n${floats}`;
    const slices = await run(volume, ["tex:@x:f32[2x1x1]:linear", "out=f32[8]:zeros:out"], {
      threads: 2,
      buffers: ["x=f32[2]:arange"],
    });
    expect([slices.get("out")?.[0], slices.get("out")?.[4]]).toEqual([0, 0.5]);
    const gather = `tld4.g.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {1.0, 1.0}];\n${words}`;
    const found = await run(gather, ["tex:@x:u16x2[2x2]:gather", "out=u32[4]:zeros:out"], {
      threads: 1,
      buffers: ["x=u16[8]:arange"],
    });
    expect(found.get("out")).toEqual([5, 7, 3, 1]);
  });

  it("of memory: a row by index, rows with a pitch, both where the buffer lies", async () => {
    const row = `sub.s32 %j, %i, 1;\n  tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%j}];\n${words}`;
    const found = await run(row, ["tex:@x+512:u16x2[2]:memory", "out=u32[16]:zeros:out"], { buffers: ["x=u16[260]:arange"] });
    expect(found.get("out")).toEqual([0, 0, 0, 0, 256, 257, 0, 0, 258, 259, 0, 0, 0, 0, 0, 0]);
    const image = `tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, 1.0}];\n${floats}`;
    const args = ["tex:@x:f32[2x5]:memory:pitch=32", "out=f32[16]:zeros:out"];
    expect((await run(image, args, { buffers: ["x=f32[16]:arange"] })).get("out")?.filter((_, i) => i % 4 === 0)).toEqual([
      8, 9, 10, 11,
    ]);
  });

  it("by an object within a structure", async () => {
    const ptx = `.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .align 8 .b8 s[24])
{ .reg .b64 %d<3>; .reg .f32 %f<5>;
  ld.param.u64 %d0, [s+8]; ld.param.u64 %d1, [s+16];
  tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {0f3FC00000}];
  st.global.f32 [%d1], %f0; ret; }`;
    const parsed = parseArguments(
      ["x=f32[4]:arange", "y=f32[1]:zeros:out"],
      ["{i32:1, tex:@x:f32[4]:wrap/clamp:normalized:point, @y}"],
    );
    const launch = { entry: "k", grid: [1, 1, 1], block: [1, 1, 1], cluster: [1, 1, 1], sharedBytes: 0, ...parsed } as const;
    const [y] = await launchPtx(device, loadPtx(ptx), launch, noFiles);
    expect(Array.from(y?.values ?? [])).toEqual([2]);
  });

  it("are asked for their extents and how they are read", async () => {
    const body = `txq.width.b32 %r0, [%t]; txq.height.b32 %r1, [%t]; txq.array_size.b32 %r2, [%t]; txq.addr_mode_1.b32 %r3, [%t];\n${words}
  txq.filter_mode.b32 %r0, [%t]; txq.normalized_coords.b32 %r1, [%t]; txq.level.width.b32 %r2, [%t], 0;
  istypep.texref %p1, %t; istypep.surfref %p2, %t; selp.b32 %r3, 1, 0, %p1; @%p2 add.s32 %r3, %r3, 2;
  st.global.v4.b32 [%out+16], {%r0, %r1, %r2, %r3};`;
    const args = ["tex:@x:f32[3x4x5]:layered:linear:mirror/wrap:normalized", "out=u32[8]:zeros:out"];
    const found = await run(body, args, { threads: 1, buffers: ["x=f32[60]:zeros"] });
    expect(found.get("out")).toEqual([5, 4, 3, 0, 1, 1, 5, 1]);
  });
});

describe("surfaces", () => {
  it("are read and written, and go back to their buffers", async () => {
    const body = `shl.b32 %j, %i, 2;
  suld.b.2d.v2.b16.clamp {%h0, %h1}, [%t, {%j, 7}];
  cvt.u32.u16 %r0, %h1;
  sust.b.2d.b32.zero [%t, {%j, 0}], %r0;
  sust.b.2d.b32.zero [%t, {%j, 7}], %r0;`;
    const found = await run(body, ["surf:@x:u16x2[2x3]", "out=u32[16]:zeros"], { buffers: ["x=u16[12]:arange:out"] });
    expect(found.get("x")).toEqual([7, 0, 9, 0, 11, 0, 6, 7, 8, 9, 10, 11]);
  });

  it("of wide words, layers and volumes", async () => {
    const body = `shl.b32 %j, %i, 3;
  suld.b.a1d.b64.zero %d1, [%t, {1, %j}];
  add.u64 %d1, %d1, 1;
  sust.b.a1d.b64.zero [%t, {0, %j}], %d1;`;
    const found = await run(body, ["surf:@x:u32x2[2x2]:layered", "out=u32[16]:zeros"], { buffers: ["x=u32[8]:arange:out"] });
    expect(found.get("x")).toEqual([5, 5, 7, 7, 4, 5, 6, 7]);
    const third = `suld.b.3d.v2.b64.trap {%d1, %d2}, [%t, {0, 0, %i, %i}];\n  st.global.v2.b64 [%out], {%d2, %d1};`;
    const slices = await run(third, ["surf:@x:u32x4[2x1x1]", "out=u32[8]:zeros:out"], {
      threads: 2,
      buffers: ["x=u32[8]:arange"],
    });
    expect(slices.get("out")).toEqual([2, 3, 0, 1, 6, 7, 4, 5]);
  });

  it("take formatted stores and reductions", async () => {
    const formatted = `sust.p.1d.v4.b32.trap [%t, {%i}], {%i, 300, %i, %i};`;
    const bytes = await run(formatted, ["surf:@x:u8x2[2]", "out=u32[8]:zeros"], { threads: 2, buffers: ["x=u8[4]:zeros:out"] });
    expect(bytes.get("x")).toEqual([0, 255, 1, 255]);
    const reduced = `sured.b.add.1d.u32.trap [%t, {0}], %i;
  sured.b.min.1d.s32.trap [%t, {4}], %i;
  sured.p.max.1d.b32.clamp [%t, {9}], %i;
  sured.b.or.1d.b32.zero [%t, {12}], %i;`;
    const found = await run(reduced, ["surf:@x:u32[3]", "out=u32[16]:zeros"], { buffers: ["x=u32[3]:value=2:out"] });
    expect(found.get("x")).toEqual([8, 0, 3]);
    const long = `mov.b64 %d1, 4294967295;\n  sured.b.add.1d.u64.trap [%t, {8}], %d1;`;
    const longs = await run(long, ["surf:@x:u32x2[2]", "out=u32[16]:zeros"], { buffers: ["x=u32[4]:zeros:out"] });
    expect(longs.get("x")).toEqual([0, 0, 2 ** 32 - 4, 3]);
  });

  it("are asked for their extents", async () => {
    const body = `suq.width.b32 %r0, [%t]; suq.height.b32 %r1, [%t]; suq.depth.b32 %r2, [%t]; suq.memory_layout.b32 %r3, [%t];\n${words}`;
    const found = await run(body, ["surf:@x:f32[2x3x4]", "out=u32[4]:zeros:out"], { threads: 1, buffers: ["x=f32[24]:zeros"] });
    expect(found.get("out")).toEqual([4, 3, 2, 0]);
  });
});

describe("refuses", () => {
  const fetch = `tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}];`;
  const buffers = ["x=f32[64]:zeros"];
  it.each([
    [fetch, "tex:@x:f32[4]", /W9003.*it used tex\.2d\.v4\.f32\.f32 on a texture object of a 1D texture/],
    [fetch, "surf:@x:f32[4x4]", /W9003.*as a texture object, and that is a surface object/],
    [fetch, "i64:12345", /W9003.*used 0x3039 as a texture object, and that is no object/],
    [`tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x}];`, "tex:@x:f32[4]:memory", /W9003.*read by whole numbers alone/],
    [`tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}];`, "tex:@x:f32[4x4]", /W9003.*not made for gathers/],
    [`tex.1d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%t, {%x}];`, "tex:@x:u32[4]", /W9003.*that gives integers/],
    [`suld.b.2d.b32.trap %r0, [%t, {16, 0}];`, "surf:@x:f32[4x4]", /W9003.*at byte 16, row 0 of a surface.*\.trap traps/],
    [`suld.b.1d.b32.trap %r0, [%t, {0}];`, "surf:@x:f32[4x4]", /W9003.*on a surface object of a 2D array/],
    [`txq.depth.b32 %r0, [%t];`, "tex:@x:f32[4x4]", /W9003.*asked for the depth of a 2D texture/],
    [`tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}], %x;`, "tex:@x:f32[4x4]", /W9002.*a texture of depths/],
    [`tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%t, {%i, %i, %i, %i}];`, "tex:@x:f32[4x4]", /W9002.*several samples/],
    [`txq.channel_order.b32 %r0, [%t];`, "tex:@x:f32[4x4]", /W9002.*txq\.channel_order/],
    [`sured.p.add.1d.b32.trap [%t, {0}], %i;`, "surf:@x:f32[4]", /W9003.*on a surface of 1 x f32/],
  ])("%s on %s", async (body, object, message) =>
    expect(await failure(body, [object, "out=f32[16]:zeros"], { buffers })).toMatch(message),
  );

  it.each([
    ["tex:@x:f64[4]", /"f64" is not a type of texels/],
    ["tex:@x:f32x3[4]", /"f32x3" is not a type of texels/],
    ["tex:@x:f32", /a texture is tex:@buffer/],
    ["tex:@x:f32[4x0]", /list of whole numbers/],
    ["tex:@x:f32[1x2x3x4]", /one to three dimensions/],
    ["tex:@x:f32[4]:layered", /layered textures have one or two/],
    ["tex:@x:f32[4]:mipmap", /a texture has no mipmap/],
    ["tex:@x:f32[4]:srgb", /a texture has no srgb/],
    ["tex:@x:u32[4]:linear", /linear filtering needs floats/],
    ["tex:@x:u32[4]:normalized-float", /8 and 16 bits, not u32/],
    ["tex:@x:f32[4]:wrap", /wrap and mirror need normalized coordinates/],
    ["tex:@x:f32[4]:wrap:clamp:normalized", /joined, as in wrap\/clamp/],
    ["tex:@x:f32[4]:border:clamp", /joined, as in wrap\/clamp/],
    ["tex:@x:f32[4]:border:color=1/2", /four numbers/],
    ["tex:@x:f32[4]:color=1/0/0/1", /color= goes with border/],
    ["tex:@x:f32[4]:border=1/0/0/1", /a texture has no border=1/],
    ["tex:@x:u8[4]:border:color=1/0/0/0", /needs floats/],
    ["tex:@x:f32[4]:point:linear", /by point or by linear/],
    ["tex:@x:f32[4]:point:point", /point is given twice/],
    ["tex:@x:f32[4x2]:memory", /multiple of 32 bytes apart, not 8/],
    ["tex:@x:f32[2x16]:memory:pitch=32", /do not fit into 32 bytes/],
    ["tex:@x:f32[4]:memory:linear", /no linear, no normalized/],
    ["tex:@x:f32[4x8]:pitch=32", /pitch= goes with memory/],
    ["tex:@x:f32[6x2x3]:cube:normalized", /square/],
    ["tex:@x:f32[5x2x2]:cube:normalized", /6 faces/],
    ["tex:@x:f32[6x2x2]:cube", /normalized coordinates/],
    ["tex:@x:f32[8x2x2]:cube:layered:normalized", /multiple of 6/],
    ["tex:@x:f32[4]:gather", /only a 2D array/],
    ["surf:@x:f32[4]:linear", /a surface has no linear/],
    ["tex:@y:f32[4]", /The buffer y is declared nowhere/],
    ["tex:@x:f32[65]", /The buffer x ends before byte 260/],
    ["surf:@x+4:f32[64]", /The buffer x ends before byte 260/],
  ])("the argument %s", (text, message) => expect(() => parseArguments(buffers, [text])).toThrow(message));

  it("two surfaces of one buffer", () =>
    expect(() => parseArguments(buffers, ["surf:@x:f32[4]", "surf:@x:f32[8]"])).toThrow(/W7802.*in two surfaces/s));
});

describe("under checks", () => {
  const failed = async (body: string, args: readonly string[], buffers: readonly string[], threads = 64): Promise<string> => {
    const settings: EmulatorSettings = { check: "normal" };
    await using checked = await openDevice("emulator", settings);
    return await failure(body, args, { on: checked, threads, buffers });
  };
  const out = "out=f32[256]:zeros";

  it("threads that use one place of a surface race", async () => {
    const body = (x: string) => `shl.b32 %j, %i, 2;\n  sust.b.1d.b32.zero [%t, {${x}}], %i;`;
    expect(await failed(body("0"), ["surf:@x:u32[64]", out], ["x=u32[64]:zeros"])).toMatch(/^W9201/);
    expect(await failed(body("%j"), ["surf:@x:u32[64]", out], ["x=u32[64]:zeros"])).toBe("nothing");
  });

  it("reductions do not", async () =>
    expect(await failed(`sured.b.add.1d.u32.trap [%t, {0}], %i;`, ["surf:@x:u32[64]", out], ["x=u32[64]:zeros"])).toBe(
      "nothing",
    ));

  it("memory that a texture reads is not written in the same launch", async () => {
    const body = (offset: number) => `tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%i}];
  mul.wide.u32 %d1, %i, 4;
  add.u64 %d1, %third, %d1;
  st.global.u32 [%d1+${offset}], %r0;`;
    const args = ["tex:@x:u32[64]:memory", out, "@x"];
    expect(await failed(body(0), args, ["x=u32[128]:zeros"])).toMatch(/^W92/);
    expect(await failed(body(256), args, ["x=u32[128]:zeros"])).toBe("nothing");
  });
});
