/** Kernels of the tutorial refuse shapes that do not go together while they are compiled, and name them. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TMA, tensorSpec } from "warpsmith";

const examples = join(import.meta.dirname, "../../examples");

interface Compiles {
  compile(...args: readonly unknown[]): unknown;
}
/** Kernels, functions that make them, and functions that make their arguments: their own types are those of the examples. */
type Makes = (...args: readonly unknown[]) => Compiles;
type Args = (...args: readonly unknown[]) => readonly unknown[];

/** What the file of an example exports. */
const from = async <T>(file: string): Promise<T> => (await import(/* @vite-ignore */ join(examples, file))) as T;

const { gemm } = await from<{ gemm: Compiles }>("ch3/kernel.ts");
const { gemmMultistage } = await from<{ gemmMultistage: Compiles }>("ch4/kernel.ts");
const { gemmWarpSpecialized } = await from<{ gemmWarpSpecialized: Compiles }>("ch5/kernel.ts");
const intro = await from<{ makeMemcpy: Makes }>("gluon/01-intro/kernel.ts");
const layouts =
  await from<Readonly<Record<"makeMemcpy1d" | "makeMemcpy2d" | "makeMemcpyInOut", Makes>>>("gluon/02-layouts/kernel.ts");
const { makeAdd } = await from<{ makeAdd: Makes }>("gluon/03-async-copy/add.ts");
const { makeMemcpy } = await from<{ makeMemcpy: Makes }>("gluon/03-async-copy/memcpy.ts");
const ahead = await from<{ makePipelined: Makes }>("gluon/03-async-copy/pipelined.ts");
const { add, addArgs } = await from<{ add: Compiles; addArgs: Args }>("gluon/04-tma/add.ts");
const { BLOCK, memcpyTma } = await from<{ BLOCK: number; memcpyTma: Compiles }>("gluon/04-tma/kernel.ts");
const { makeBlocked } = await from<{ makeBlocked: Makes }>("gluon/05-wgmma/blocked.ts");
const { makePipelined } = await from<{ makePipelined: Makes }>("gluon/05-wgmma/pipelined.ts");
const { mapsOf } = await from<{ mapsOf: Args }>("gluon/05-wgmma/plan.ts");
const { makeSmall, smallMaps } = await from<{ makeSmall: Makes; smallMaps: Args }>("gluon/05-wgmma/small.ts");
const { makeOverlapped } = await from<{ makeOverlapped: Makes }>("gluon/07-persistence/overlapped.ts");
const { makePersistent } = await from<{ makePersistent: Makes }>("gluon/07-persistence/persistent.ts");
const handingBack = await from<{ makePipelined: Makes }>("gluon/07-persistence/pipelined.ts");
const inRoles = await from<{ add: Compiles; addArgs: Args }>("gluon/08-warp-specialization/add.ts");
const { makeMatmul } = await from<{ makeMatmul: Makes }>("gluon/08-warp-specialization/matmul.ts");
const { convArgs, makeConv } = await from<{ convArgs: Args; makeConv: Makes }>("gluon/13-im2col/conv.ts");
const { multicast, multicastArgs } = await from<{ multicast: Compiles; multicastArgs: Args }>("gluon/14-multi-cta/multicast.ts");
const { makeSoftmax } = await from<{ makeSoftmax: Makes }>("gluon/14-multi-cta/softmax.ts");

const f32 = (...shape: readonly [number, number]) => tensorSpec("f32", shape);
const f16 = (...shape: readonly [number, number]) => tensorSpec("f16", shape);
type Matrix = readonly [rows: number, columns: number];

function refused(compile: () => unknown): string {
  try {
    compile();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing was refused";
}

/** The maps of chapters 3 to 5. */
const maps = (a: Matrix, b: Matrix) =>
  [new TMA(f16(...a), { box: [128, 64], swizzle: "128B" }), new TMA(f16(...b), { box: [64, 64], swizzle: "128B" })] as const;

const plan = { tile: [64, 64, 64], warpgroups: 1, stages: 3 } as const;
const dealt = { ...plan, order: { group: 8 } } as const;
type Product = (a: Matrix, b: Matrix, c: Matrix) => unknown;

const products: Readonly<Record<string, Product>> = {
  ch3: (a, b, d) => gemm.compile(...maps(a, b), f32(...d)),
  ch4: (a, b, d) => gemmMultistage.compile(...maps(a, b), f32(...d), 2),
  ch5: (a, b, d) => gemmWarpSpecialized.compile(...maps(a, b), f32(...d), 2),
  "05 small": (a, b, d) =>
    makeSmall({ width: 64, warpgroups: 1, registers: false }).compile(
      ...smallMaps(f16(64, a[1]), f16(...b), { width: 64, warpgroups: 1, registers: false }),
      f32(64, d[1]),
      f32(64, d[1]),
    ),
  "05 blocked": (a, b, c) => makeBlocked(plan).compile(...mapsOf(f16(...a), f16(...b), f16(...c), { ...plan, stages: 1 })),
  "05 pipelined": (a, b, c) => makePipelined(plan).compile(...mapsOf(f16(...a), f16(...b), f16(...c), plan)),
  "07 pipelined": (a, b, c) => handingBack.makePipelined(plan).compile(...mapsOf(f16(...a), f16(...b), f16(...c), plan)),
  "07 persistent": (a, b, c) => makePersistent(dealt).compile(...mapsOf(f16(...a), f16(...b), f16(...c), plan), 3),
  "07 overlapped": (a, b, c) => makeOverlapped(dealt).compile(...mapsOf(f16(...a), f16(...b), f16(...c), plan), 3),
  "08 matmul": (a, b, c) => makeMatmul(dealt).compile(...mapsOf(f16(...a), f16(...b), f16(...c), plan), 3),
};

describe("products", () => {
  it.each(Object.entries(products))("%s: K of A is K of B, and the result has their other extents", (name, compile) => {
    const K = name === "ch3" ? 64 : 128;
    const rows = name === "05 small" ? 64 : 128;
    expect(refused(() => compile([128, K], [K, 128], [128, 128]))).toBe("nothing was refused");
    const message = refused(() => compile([128, K], [256, 128], [128, 128]));
    expect(message).toMatch(/^W2045 /);
    expect(message).toContain(`A is [${rows}, ${K}] and B [256, 128]: K is ${K} in A, and 256 in B`);
    const other = refused(() => compile([128, K], [K, 128], [128, 256]));
    expect(other).toMatch(/^W2045 /);
    expect(other).toContain(`is [${rows}, 128], not [${rows}, 256]`);
  });
  it("05 blocked: of a B that is given transposed, too", () => {
    const turned = { ...plan, transposed: true, stages: 1 };
    const compile: Product = (a, b, c) => makeBlocked(turned).compile(...mapsOf(f16(...a), f16(...b), f16(...c), turned));
    expect(refused(() => compile([128, 192], [256, 192], [128, 256]))).toBe("nothing was refused");
    expect(refused(() => compile([128, 192], [192, 256], [128, 256]))).toContain(
      "A is [128, 192] and B [192, 256]: K is 192 in A, and 256 in B",
    );
  });
});

type Pair = (x: Matrix, y: Matrix) => unknown;
const line = ([n]: Matrix) => tensorSpec("f32", [n]);
const alongLine = (x: Matrix) => new TMA(line(x), { box: [BLOCK] });
const loads = { tile: [32, 64], loads: 1, stores: 1, warpgroups: 1 } as const;

const copies: Readonly<Record<string, Pair>> = {
  "01 memcpy": (x, y) => intro.makeMemcpy(64).compile(line(x), line(y)),
  "02 memcpy1d": (x, y) => layouts.makeMemcpy1d(128).compile(line(x), line(y)),
  "02 memcpy2d": (x, y) => layouts.makeMemcpy2d([64, 64]).compile(f32(...x), f32(...y)),
  "02 memcpyInOut": (x, y) => layouts.makeMemcpyInOut([64, 64]).compile(f32(...x), f32(...y)),
  "03 memcpy": (x, y) => makeMemcpy([32, 64]).compile(f32(...x), f32(...y)),
  "04 memcpyTma": (x, y) => memcpyTma.compile(alongLine(x), alongLine(y)),
  "14 multicast": (x, y) => multicast.compile(...multicastArgs(f16(...x), f16(...y))),
  "14 softmax": (x, y) => makeSoftmax({ blocks: 2, threads: 32 }).compile(f32(...x), f32(...y)),
};
const sums: Readonly<Record<string, Pair>> = {
  "03 add": (x, y) => makeAdd([32, 64]).compile(f32(...x), f32(...x), f32(...y)),
  "03 pipelined": (x, y) => ahead.makePipelined([32, 64], 2).compile(f32(...x), f32(...y), f32(...x)),
  "04 add": (x, y) => add.compile(...addArgs(f32(...x), f32(...x), f32(...y), { tile: [32, 64], buffers: 1 })),
  "08 add": (x, y) => inRoles.add.compile(...inRoles.addArgs(f32(...x), f32(...y), f32(...x), loads)),
};

describe("copies and sums", () => {
  it.each(Object.entries({ ...copies, ...sums }))("%s: of one shape", (_, compile) => {
    expect(refused(() => compile([256, 128], [256, 128]))).toBe("nothing was refused");
    const message = refused(() => compile([256, 128], [128, 128]));
    expect(message).toMatch(/^W2045 .*the shapes \[256(, 128)?\] and \[128(, 128)?\] are not the same/);
  });
});

it("13 conv: images and filters have as many channels, and the result has their places", () => {
  const conv = { stride: 1, pad: 1 };
  const compile = (channels: number, rows: number) =>
    makeConv(conv).compile(
      ...convArgs(tensorSpec("f16", [1, 16, 16, 64]), tensorSpec("f16", [64, 3, 3, channels]), f16(rows, 64), conv),
    );
  expect(refused(() => compile(64, 256))).toBe("nothing was refused");
  expect(refused(() => compile(96, 256))).toContain("the images have 64 channels, and the filters 96");
  expect(refused(() => compile(64, 128))).toContain("y is [256, 64], not [128, 64]");
});
