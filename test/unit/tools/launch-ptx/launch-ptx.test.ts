import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import { checkArguments, launchPtx, parseArguments } from "../../../../src/tools/launch-ptx/index.ts";

const device = await openDevice("emulator");
afterAll(() => device.dispose());

const noFiles = (path: string): never => {
  throw new Error(`no file ${path}`);
};

interface Run {
  readonly entry?: string;
  readonly block?: number;
  readonly buffers?: readonly string[];
  readonly args: readonly string[];
  readonly read?: (path: string) => Uint8Array;
}

async function run(ptx: string, { entry = "k", block = 8, buffers = [], args, read = noFiles }: Run) {
  const launch = {
    entry,
    grid: [1, 1, 1],
    block: [block, 1, 1],
    cluster: [1, 1, 1],
    sharedBytes: 0,
    ...parseArguments(buffers, args),
  } as const;
  const results = await launchPtx(device, loadPtx(ptx), launch, read);
  return new Map(results.map(({ name, values }) => [name, Array.from(values)]));
}

const module = (params: string, body: string): string => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(${params})
{
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .reg .f32 %f<8>;
  .reg .f64 %g<4>;
${body}
  ret;
}
`;

const saxpy = module(
  ".param .u64 x, .param .u64 y, .param .f32 a",
  `  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  add.u64 %d0, %d0, %d2;
  add.u64 %d1, %d1, %d2;
  ld.param.f32 %f0, [a];
  ld.global.f32 %f1, [%d0];
  ld.global.f32 %f2, [%d1];
  fma.rn.f32 %f2, %f0, %f1, %f2;
  st.global.f32 [%d1], %f2;`,
);

/** Copies the 8 bytes at every offset of its structure. */
const structure = module(
  ".param .align 8 .b8 s[40], .param .u64 out",
  `  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 8;
  mov.b64 %d3, s;
  add.u64 %d3, %d3, %d2;
  ld.param.b64 %d4, [%d3];
  ld.param.u64 %d1, [out];
  add.u64 %d1, %d1, %d2;
  st.global.u64 [%d1], %d4;`,
);

describe("launchPtx", () => {
  it("fills, launches and gives what is marked", async () => {
    const results = await run(saxpy, { args: ["f32[8]:arange", "y=f32[8]:ones:out", "f32:0.5"] });
    expect([...results]).toEqual([["y", [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5]]]);
  });

  it("fills by a seed as warpsmith/testing does, from files and by value", async () => {
    const { randn } = await import("warpsmith/testing");
    const bytes = new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer);
    const args = ["x=f32[8]:randn:3:out", "y=f32[8]:file=y.bin:out", "f32:1"];
    const results = await run(saxpy, { args, read: (path) => (path === "y.bin" ? bytes : noFiles(path)) });
    const x = Array.from(randn(8, 3));
    expect(results.get("x")).toEqual(x);
    expect(results.get("y")).toEqual(x.map((v, i) => Math.fround(v + i + 1)));
  });

  it("lays structures out as C does", async () => {
    // i8 at 0, i16 at 2, u64 at 8, { i8 at 16, i32 at 20 } at 16, i8 at 24, f64 at 32.
    const args = ["{u8:1,i16:-1,u64:0x1122334455667788,{u8:2,u32:7},u8:3,f64:1}", "out=u64[5]:zeros:out"];
    const results = await run(structure, { block: 5, args });
    expect(results.get("out")).toEqual([0xffff0001n, 0x1122334455667788n, (7n << 32n) | 2n, 3n, 0x3ff0000000000000n]);
  });

  it("writes addresses into buffers", async () => {
    const follow = module(
      ".param .u64 table, .param .u64 out",
      `  ld.param.u64 %d0, [table];
  ld.param.u64 %d1, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 8;
  add.u64 %d0, %d0, %d2;
  ld.global.u64 %d3, [%d0];
  ld.global.u32 %r1, [%d3];
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r1;`,
    );
    const buffers = ["x=u32[4]:arange", "z=u32[1]:value=99", "table=u64[3]:addresses=@x+8,@z,@x+12"];
    const results = await run(follow, { block: 3, buffers, args: ["@table", "out=u32[3]:zeros:out"] });
    expect(results.get("out")).toEqual([2, 99, 3]);
  });

  it("refuses a file of another length, a list of another length and too many threads", async () => {
    const args = ["f32[8]:arange", "f32[8]:file=y", "f32:1"];
    await expect(run(saxpy, { args, read: () => new Uint8Array(31) })).rejects.toThrow("W7803");
    const table = ["x=u32[4]:arange", "t=u64[3]:addresses=@x"];
    await expect(run(saxpy, { buffers: table, args: ["@t", "@x", "f32:1"] })).rejects.toThrow("W7803");
    await expect(run(saxpy, { block: 2048, args })).rejects.toThrow("W7017");
  });
});

describe("checkArguments", () => {
  it("refuses arguments that are not the entry's", () => {
    const entry = loadPtx(saxpy).entry("k");
    const check = (...args: string[]): void => checkArguments(entry, parseArguments([], args).args);
    expect(() => check("f32[8]:zeros")).toThrow("W7805");
    expect(() => check("f32[8]:zeros", "f32[8]:zeros", "f64:1")).toThrow(
      "Argument 2 of k has 8 bytes, but its parameter a has 4",
    );
    expect(() => check("f32[8]:zeros", "f32[8]:zeros", "f32:1")).not.toThrow();
  });
});
