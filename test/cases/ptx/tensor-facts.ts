/** Tensor copies (PTX ISA 5.5, 9.7.9.25.5): what they do to the bits, and where they put them. */
import { elementBytes } from "../../../src/base/element-types.ts";
import type { Im2colMap, TiledMap } from "../../../src/base/tensor-map.ts";
import type { DType } from "../../../src/base/types.ts";
import { bytesOf, clearShared, count, defineFact, dumpShared, type Fact, waitFor } from "./fact.ts";
import { bytesOfBits, edgesOf, floatShapes } from "./float-edges.ts";

const plain = { interleave: "none", swizzle: "none", l2Promotion: "none", oobFill: "zero" } as const;

function tiled(dtype: DType, dims: readonly number[], box: readonly number[], rest: Partial<TiledMap> = {}): TiledMap {
  const size = elementBytes[dtype];
  const strides = dims.slice(1).map((_, d) => dims.slice(0, d + 1).reduce((n, extent) => n * extent, size));
  return { mode: "tiled", dtype, dims, strides, box, elementStrides: dims.map(() => 1), ...plain, ...rest };
}

const boxBytes = (map: TiledMap): number =>
  map.box.reduce(
    (n, extent, d) => n * Math.ceil(extent / (map.interleave === "none" && d === 0 ? 1 : (map.elementStrides[d] ?? 1))),
    elementBytes[map.dtype],
  );

interface LoadOptions {
  readonly name: string;
  readonly question: string;
  readonly map: TiledMap | Im2colMap;
  readonly input: Uint8Array;
  readonly at: readonly number[];
  readonly offsets?: readonly number[];
  readonly bytes: number;
  /** Where the box goes, from the beginning of shared memory; how much of that is shown. */
  readonly to?: number;
  readonly shown: number;
  /** What shared memory holds before. */
  readonly before?: number;
  /** How the load is waited for: by its bytes, or, where these are the question, by time. */
  readonly by?: "bytes" | "time";
}

const coordinates = (at: readonly number[]): string => `{${at.join(", ")}}`;

/** Long enough for any copy. */
const pause = `mov.u32 %r60, 0;
pause:
  nanosleep.u32 1000; add.u32 %r60, %r60, 1; setp.lt.u32 %p11, %r60, 200; @%p11 bra pause;`;

/** One load into cleared shared memory, all of which is shown. */
function load({ name, question, map, input, at, offsets, bytes, to = 0, shown, before = 0, by = "bytes" }: LoadOptions): Fact {
  const form = map.mode === "im2col" ? "im2col" : "tile";
  const window = offsets ? `, {${offsets.map((_, i) => `%h${i}`).join(", ")}}` : "";
  const move = at.map((c, i) => `mov.b32 %r${50 + i}, ${c};`).join(" ");
  return defineFact({
    name: `tensor/${name}`,
    question,
    maps: [{ of: "in", map }],
    input,
    words: shown / 4,
    sharedBytes: shown + 64,
    block: 32,
    body: `setp.ne.u32 %p1, %thread, 0;
  @%p1 bra loaded;
  ${clearShared(shown, before)}
  add.u32 %r100, %smem, ${shown};
  mbarrier.init.shared::cta.b64 [%r100], 1;
  fence.mbarrier_init.release.cluster; fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r100], ${bytes};
  add.u32 %r40, %smem, ${to};
  ${move}
  ${(offsets ?? []).map((o, i) => `mov.u16 %h${i}, ${o};`).join(" ")}
  cp.async.bulk.tensor.${at.length}d.shared::cluster.global.${form}.mbarrier::complete_tx::bytes [%r40], [%m0, ${coordinates(at.map((_, i) => `%r${50 + i}` as never))}], [%r100]${window};
  ${by === "bytes" ? waitFor("%r100", 0) : pause}
loaded:
  bar.sync 0;
  ${dumpShared(shown / 4, 32)}`,
  });
}

const indices16 = (n: number): Uint8Array => bytesOf(Uint16Array.from({ length: n }, (_, i) => i + 1));

/** Every edge of a type, and around them what tells one way of rounding from another. */
function passing(dtype: "f16" | "bf16" | "f32" | "tf32" | "f64"): Fact {
  const shape = floatShapes[dtype === "tf32" ? "f32" : dtype];
  const ties = dtype === "tf32" ? [0x0fffn, 0x1000n, 0x1001n, 0x2fffn, 0x3000n, 0x3001n, 0x1fffn, 0x2000n] : [];
  const bases = [0x3f800000n, 0x3f802000n, 0xbf800000n, 0x00000000n, 0x7f7fe000n, 0x7f800000n, 0x007fe000n];
  const all = [...edgesOf(shape), ...bases.flatMap((base) => ties.map((tie) => base + tie))];
  const n = Math.ceil(all.length / 16) * 16;
  const values = Array.from({ length: n }, (_, i) => all[i] ?? 0n);
  const bytes = (n * shape.bits) / 8;
  return load({
    name: `bits-${dtype}`,
    question: `What does a load with a map of ${dtype} do to subnormal numbers, to NaNs and to the low bits?`,
    map: tiled(dtype, [n], [n]),
    input: bytesOfBits(values, shape.bits),
    at: [0],
    bytes,
    shown: bytes,
  });
}

/** From shared to global memory: the same edges. */
function storing(dtype: "f32" | "tf32"): Fact {
  const all = [...edgesOf(floatShapes.f32), 0x3f801000n, 0x3f801001n, 0x3f803000n, 0x3f800fffn];
  const n = 64;
  const values = Array.from({ length: n }, (_, i) => all[i] ?? 0n);
  return defineFact({
    name: `tensor/store-bits-${dtype}`,
    question: `What does a store with a map of ${dtype} do to subnormal numbers, to NaNs and to the low bits?`,
    input: bytesOfBits(values, 32),
    maps: [{ of: "out", map: tiled(dtype, [n], [n]) }],
    words: n,
    block: n,
    body: `shl.b32 %r1, %thread, 2; add.u32 %r2, %smem, %r1; cvt.u64.u32 %d1, %r1; add.u64 %d1, %in, %d1;
  ld.global.u32 %r3, [%d1]; st.shared.u32 [%r2], %r3; fence.proxy.async; bar.sync 0;
  setp.ne.u32 %p1, %thread, 0; @%p1 bra stored;
  mov.u32 %r4, 0;
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%m0, {%r4}], [%smem];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
stored:`,
  });
}

function filling(dtype: "f16" | "bf16" | "f32" | "tf32" | "f64"): Fact {
  const inner = 64 / elementBytes[dtype];
  return load({
    name: `nan-fill-${dtype}`,
    question: `Which NaN fills what is outside a tensor of ${dtype}?`,
    map: tiled(dtype, [inner], [inner], { oobFill: "nan" }),
    input: new Uint8Array(64),
    at: [inner / 2],
    bytes: 64,
    shown: 64,
  });
}

/** A box of rows shorter than the swizzle's span. */
function narrow(swizzle: "32B" | "64B" | "128B", rowBytes: number, to = 0): Fact {
  const [inner, rows] = [rowBytes / 2, Math.min(1024 / rowBytes, 32)];
  return load({
    name: `narrow-${swizzle}-${rowBytes}${to > 0 ? `-at-${to}` : ""}`,
    question: `Where do rows of ${rowBytes} bytes go under a swizzle of ${swizzle}, in a box that begins at byte ${to}?`,
    map: tiled("f16", [inner, rows], [inner, rows], { swizzle }),
    input: indices16(512),
    at: [0, 0],
    bytes: 2 * inner * rows,
    to,
    shown: 6144,
    before: 0xdddddddd,
    by: "time",
  });
}

/** The same the other way. */
function narrowStore(swizzle: "32B" | "64B" | "128B", rowBytes: number): Fact {
  const [inner, rows] = [rowBytes / 2, 16];
  const map = tiled("f16", [inner, rows], [inner, rows], { swizzle });
  return defineFact({
    name: `tensor/narrow-store-${swizzle}-${rowBytes}`,
    question: `Where does a store take rows of ${rowBytes} bytes from under a swizzle of ${swizzle}?`,
    input: indices16(2048),
    maps: [{ of: "out", map }],
    words: (inner * rows) / 2,
    block: 128,
    body: `mov.u32 %r1, %thread;
fill:
  shl.b32 %r2, %r1, 2; add.u32 %r3, %smem, %r2; cvt.u64.u32 %d1, %r2; add.u64 %d1, %in, %d1;
  ld.global.u32 %r4, [%d1]; st.shared.u32 [%r3], %r4;
  add.u32 %r1, %r1, 128; setp.lt.u32 %p2, %r1, 1024; @%p2 bra fill;
  fence.proxy.async; bar.sync 0;
  setp.ne.u32 %p1, %thread, 0; @%p1 bra stored;
  mov.u32 %r5, 0;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m0, {%r5, %r5}], [%smem];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
stored:`,
  });
}

/** A tensor of slices of 16 or 32 bytes of channels; only time says when a load of it is over. */
function interleaved(interleave: "16B" | "32B", dims: readonly number[], box: readonly number[], at: readonly number[]): Fact {
  const map = tiled("f16", dims, box, { interleave, swizzle: interleave === "32B" ? "32B" : "none" });
  return load({
    name: `interleave-${interleave}-${box.join("x")}-at-${at.join("-")}`,
    question: `Where does a box ${box.join("x")} of an interleaved tensor ${dims.join("x")} go (${interleave}, innermost first)?`,
    map,
    input: indices16(32768),
    at,
    bytes: boxBytes(map),
    shown: 32768,
    by: "time",
  });
}

const im2colMap: Im2colMap = {
  mode: "im2col",
  dtype: "f16",
  dims: [16, 7, 5, 3],
  strides: [32, 32 * 7, 32 * 7 * 5],
  elementStrides: [1, 2, 1, 1],
  lower: [-1, -1],
  upper: [-1, -1],
  channels: 8,
  pixels: 24,
  ...plain,
};

const windows: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 2],
  [2, 2],
];
const im2col = (offsets: readonly [number, number], elementStride: number): Fact =>
  load({
    name: `im2col-${offsets.join("-")}-by-${elementStride}`,
    question: "Which pixels does an im2col load walk over, at the borders and from one image to the next?",
    map: { ...im2colMap, elementStrides: [1, elementStride, 1, 1] },
    input: indices16(16 * 7 * 5 * 3),
    at: [8, -1, 2, 0],
    offsets,
    bytes: 24 * 16,
    shown: 512,
  });

const strided = (elementStrides: readonly number[]): Fact => {
  const map = tiled("f16", [64, 16], [16, 9], { elementStrides });
  return load({
    name: `element-strides-${elementStrides.join("-")}`,
    question: "Which elements does a box with element strides take? (That of the innermost dimension is said to be ignored.)",
    map,
    input: indices16(1024),
    at: [8, 1],
    bytes: boxBytes(map),
    shown: 512,
  });
};

/**
 * Which of several numbers of bytes is the one that a box counts: one barrier and one load each. None is less: bytes are counted as
 * they come, so that too few may be reached for a moment, which ends the phase.
 */
function counted(name: string, map: TiledMap, at: readonly number[], guesses: readonly number[], bytes = boxBytes(map)): Fact {
  const bars = count(guesses.length);
  return defineFact({
    name: `tensor/bytes-${name}`,
    question: `How many bytes does an mbarrier count for this box: ${guesses.join(", ")}?`,
    maps: [{ of: "in", map }],
    input: new Uint8Array(65536),
    words: guesses.length,
    sharedBytes: 32768,
    body: `add.u32 %r100, %smem, 0;
  ${at.map((c, i) => `mov.b32 %r${50 + i}, ${c};`).join(" ")}
  ${bars.map((i) => `mbarrier.init.shared::cta.b64 [%r100+${8 * i}], 1;`).join("\n")}
  fence.mbarrier_init.release.cluster; fence.proxy.async;
  add.u32 %r40, %smem, 1024;
  ${bars
    .map(
      (i) => `mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r100+${8 * i}], ${guesses[i]};
  add.u32 %r41, %r100, ${8 * i};
  cp.async.bulk.tensor.${at.length}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r40], [%m0, {${at.map((_, d) => `%r${50 + d}`).join(", ")}}], [%r41];`,
    )
    .join("\n")}
  ${pause}
  ${bars
    .map(
      (i) => `mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r100+${8 * i}], 0;
  selp.u32 %r61, 1, 0, %p2; st.global.u32 [%out+${4 * i}], %r61;`,
    )
    .join("\n")}`,
    expected: guesses.map((guess) => Number(guess === bytes)),
  });
}

const nothing = defineFact({
  name: "bulk/no-bytes",
  question: "What does a bulk copy of 0 bytes do?",
  words: 1,
  mayTrap: true,
  body: `mov.u32 %r100, %smem;
  mbarrier.init.shared::cta.b64 [%r100], 1; fence.mbarrier_init.release.cluster;
  mov.u32 %r1, 0; add.u32 %r40, %smem, 128;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r40], [%in], %r1, [%r100];
  mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r100], 0;
  ${waitFor("%r100", 0, "%r2")}
  st.global.u32 [%out], %r2;`,
});

export const tensorFacts: readonly Fact[] = [
  ...(["f16", "bf16", "f32", "tf32", "f64"] as const).flatMap((dtype) => [passing(dtype), filling(dtype)]),
  storing("f32"),
  storing("tf32"),
  narrow("128B", 16),
  narrow("128B", 32),
  narrow("128B", 64),
  narrow("64B", 16),
  narrow("64B", 32),
  narrow("32B", 16),
  narrow("128B", 128, 128),
  narrow("128B", 128, 896),
  narrow("128B", 64, 384),
  narrow("64B", 64, 128),
  narrow("64B", 64, 256),
  narrow("32B", 32, 128),
  interleaved("16B", [8, 12, 6, 4], [8, 4, 3, 2], [0, 0, 0, 0]),
  interleaved("16B", [8, 12, 6, 4], [8, 4, 3, 2], [0, 10, 4, 3]),
  interleaved("16B", [16, 12, 6, 4], [2, 4, 3, 2], [0, 0, 0, 0]),
  interleaved("16B", [16, 12, 6, 4], [16, 1, 1, 1], [1, 2, 3, 1]),
  interleaved("16B", [8, 12, 6], [8, 4, 3], [0, 0, 0]),
  interleaved("32B", [16, 12, 6, 4], [16, 4, 3, 2], [0, 0, 0, 0]),
  interleaved("32B", [16, 12, 6, 4], [2, 4, 3, 2], [0, -2, 1, 1]),
  ...windows.flatMap((offsets) => [im2col(offsets, 1), im2col(offsets, 2)]),
  strided([1, 2]),
  strided([1, 4]),
  strided([2, 1]),
  strided([2, 3]),
  counted(
    "element-strides",
    tiled("f16", [64, 16], [16, 9], { elementStrides: [2, 4] }),
    [8, 1],
    [16 * 9 * 2, 16 * 4 * 2, 16 * 3 * 2],
  ),
  counted("outside", tiled("f16", [64, 16], [16, 8]), [56, 12], [16 * 8 * 2]),
  counted("narrow-rows", tiled("f16", [16, 8], [16, 8], { swizzle: "128B" }), [0, 0], [128 * 8]),
  counted("narrow-rows-dense", tiled("f16", [16, 8], [16, 8], { swizzle: "128B" }), [0, 0], [32 * 8]),
  narrowStore("128B", 32),
  narrowStore("64B", 16),
  narrowStore("32B", 16),
  nothing,
];
