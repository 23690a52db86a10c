import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  apply,
  blocked,
  compose,
  type LinearLayout,
  matrixAddresses,
  matrixGrid,
  pseudoInverse,
  slice,
  wavefronts,
  wgmmaAccumulator,
} from "../../../src/layout/index.ts";
import { sharedAccess } from "../../layouts/shared-access.ts";
import {
  addressing,
  linearOf,
  nvmmaShared,
  paddedShared,
  plainShared,
  rowMajor,
  type SharedLayout,
  sharedLayout,
} from "../../layouts/shared-maps.ts";
import { ofProperty } from "../../support/amount.ts";
import { onto, points } from "./arbitrary.ts";

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Byte by byte: how often the busiest bank of each group of lanes has to give another word. */
function slowWavefronts(addresses: readonly number[], bytes: number): number {
  const lanes = Math.min(32, 128 / bytes, addresses.length);
  return range(Math.ceil(addresses.length / lanes)).reduce((sum, group) => {
    const lines = Array.from({ length: 32 }, () => new Set<number>());
    for (const lane of range(lanes))
      for (const byte of range(bytes)) {
        const address = (addresses[group * lanes + lane] ?? 0) + byte;
        lines[Math.floor(address / 4) % 32]?.add(Math.floor(address / 128));
      }
    return sum + Math.max(...lines.map((line) => line.size));
  }, 0);
}

describe("wavefronts", () => {
  it("are the words that the busiest bank gives", () => {
    const any = fc.constantFrom(1, 2, 4, 8, 16).chain((bytes) =>
      fc.tuple(
        fc.constant(bytes),
        fc.array(
          fc.nat(1000).map((n) => n * bytes),
          { minLength: 32, maxLength: 32 },
        ),
      ),
    );
    fc.assert(
      fc.property(any, ([bytes, addresses]) => void expect(wavefronts(addresses, bytes)).toBe(slowWavefronts(addresses, bytes))),
    );
  });

  it("of known patterns", () => {
    expect(
      wavefronts(
        range(32).map((l) => 4 * l),
        4,
      ),
    ).toBe(1);
    expect(
      wavefronts(
        range(32).map((l) => 128 * l),
        4,
      ),
    ).toBe(32);
    expect(
      wavefronts(
        range(32).map(() => 64),
        4,
      ),
    ).toBe(1);
    expect(
      wavefronts(
        range(32).map((l) => 16 * l),
        16,
      ),
    ).toBe(4);
    expect(
      wavefronts(
        range(32).map((l) => 8 * l),
        8,
      ),
    ).toBe(2);
    expect(
      wavefronts(
        range(32).map((l) => 2 * l),
        2,
      ),
    ).toBe(1);
  });
});

/** What loading takes, found from where every element of every thread lies. */
function slowAccess(registers: LinearLayout, shared: SharedLayout, elementBytes: number) {
  const address = addressing(shared);
  const sizes = Object.fromEntries(registers.inputs.map((d) => [d.name, 2 ** d.bases.length]));
  const threads = points({ lane: sizes.lane ?? 1, warp: sizes.warp ?? 1 });
  const place = (thread: Record<string, number>, register: number): Record<string, number> =>
    Object.fromEntries(Object.entries({ ...thread, register }).filter(([name]) => name in sizes));
  const inside = (p: Record<string, number>): boolean =>
    Object.entries(p).every(([d, x]) => x < (shared.shape[d] ?? Number.POSITIVE_INFINITY));
  const starts = threads.map((thread) =>
    range(sizes.register ?? 1).flatMap((r) => {
      const element = apply(registers, place(thread, r));
      return inside(element) ? [address(element)] : [];
    }),
  );
  const whole = (width: number): boolean =>
    starts.every((own) => {
      const held = new Set(own);
      return own.every((a) => range(width / elementBytes).every((i) => held.has(a - (a % width) + i * elementBytes)));
    });
  let vectorBytes = elementBytes;
  while (vectorBytes < 16 && whole(2 * vectorBytes)) vectorBytes *= 2;
  // The registers of one vector all have its address.
  const perRegister = range(sizes.warp ?? 1).flatMap((warp) =>
    range(starts[0]?.length ?? 0).map((r) => {
      const lanes = starts.slice(32 * warp, 32 * warp + 32).map((own) => own[r] ?? 0);
      return slowWavefronts(
        lanes.map((a) => a - (a % vectorBytes)),
        vectorBytes,
      );
    }),
  );
  const wavefronts = (perRegister.reduce((n, w) => n + w, 0) * elementBytes) / vectorBytes;
  return { vectorBytes, wavefronts, vectors: new Set(starts[0]?.map((a) => a - (a % vectorBytes))).size };
}

describe("access to shared memory", () => {
  const memory = fc.constantFrom<readonly [number, SharedLayout]>(
    ...([2, 4] as const).flatMap((bytes) => [
      ...(["none", "32B", "64B", "128B"] as const).map(
        (kind) => [bytes, plainShared(nvmmaShared({ shape: { row: 16, col: 64 }, elementBytes: bytes, swizzle: kind }))] as const,
      ),
      ...[4, 8, 16].map(
        (by) => [bytes, paddedShared({ shape: { row: 16, col: 64 }, elementBytes: bytes, every: 64 * bytes, by })] as const,
      ),
    ]),
  );
  const tiles = onto({ register: 16, lane: 32, warp: 2 }, { row: 16, col: 64 });

  it("has the longest vectors, and for each instruction the wavefronts of its addresses", () => {
    fc.assert(
      fc.property(tiles, memory, (registers, [bytes, shared]) => {
        const found = sharedAccess(registers, shared);
        const { vectorBytes, vectors, wavefronts: expected } = slowAccess(registers, shared, bytes);
        expect(found.wavefronts).toBe(expected);
        expect(found.vectorBytes).toBe(vectorBytes);
        expect(found.instructions).toBe(2 * vectors);
        const linear = linearOf(shared);
        if (linear) expect(found.wavefronts).toBe(found.instructions * algebraic(registers, linear, vectorBytes));
      }),
      ofProperty(300, 15),
    );
  });

  it.each([1, 2, 4, 8, 16])("in vectors of at most %i bytes", (widest) => {
    const registers = blocked({ perThread: { row: 1, col: 16 }, threads: { row: 8, col: 4 }, warps: { row: 2, col: 1 } });
    const found = sharedAccess(registers, rowMajor({ row: 16, col: 64 }, 1), widest);
    expect(found.vectorBytes).toBe(widest);
    expect(found.instructions).toBe((2 * 16) / widest);
  });

  it("of a tile that is no power of two leaves out what is not there", () => {
    const shared = sharedLayout({ shape: { row: 64, col: 24 }, elementBytes: 2, swizzle: "none" });
    const registers = wgmmaAccumulator({ cols: 24 });
    expect(sharedAccess(registers, shared)).toMatchObject({ vectorBytes: 4, instructions: 4 * 6 });
  });
});

/** Of a linear layout all instructions cost the same: the words that lanes served together span, for each of the banks that they span. */
function algebraic(registers: LinearLayout, shared: LinearLayout, vectorBytes: number): number {
  const toOffset = compose(registers, pseudoInverse(shared));
  const lanes = toOffset.inputs.find((d) => d.name === "lane")?.bases.map(([x = 0]) => x) ?? [];
  const group = Math.log2(Math.min(32, 128 / vectorBytes));
  const span = (vectors: readonly number[]): Set<number> =>
    new Set(vectors.reduce((all, v) => all.concat(all.map((x) => x ^ v)), [0]));
  const inside = range(Math.log2(vectorBytes / 4) > 0 ? Math.log2(vectorBytes / 4) : 0).map((i) => 4 * 2 ** i);
  const words = span([...lanes.slice(0, group), ...inside].map((x) => Math.floor(x / 4)));
  const banks = new Set([...words].map((w) => w % 32));
  return (words.size / banks.size) * 2 ** (lanes.length - group);
}

describe("what kernels meet", () => {
  const tile = (swizzle: "none" | "32B" | "64B" | "128B") =>
    nvmmaShared({ shape: { row: 64, col: 64 }, elementBytes: 2, swizzle });

  it("an accumulator that is stored in rows of 128 bytes is served eight times slower than through a swizzle", () => {
    const registers = wgmmaAccumulator({ cols: 64 });
    expect(sharedAccess(registers, tile("none"))).toEqual({ vectorBytes: 4, instructions: 64, wavefronts: 512, conflicts: 448 });
    for (const kind of ["32B", "64B", "128B"] as const) expect(sharedAccess(registers, tile(kind)).conflicts).toBe(0);
    const padded = paddedShared({ shape: { row: 64, col: 64 }, elementBytes: 2, every: 128, by: 16 });
    expect(sharedAccess(registers, padded).conflicts).toBe(0);
  });

  it("columns of f32 conflict 32 times, and with 4 bytes after each row never", () => {
    const registers = blocked({ perThread: { row: 1, col: 1 }, threads: { row: 32, col: 1 }, warps: { row: 1, col: 32 } });
    const shape = { row: 32, col: 32 };
    expect(sharedAccess(registers, rowMajor(shape, 4))).toMatchObject({ instructions: 32, wavefronts: 32 * 32 });
    expect(sharedAccess(registers, paddedShared({ shape, elementBytes: 4, every: 128, by: 4 }))).toMatchObject({ conflicts: 0 });
  });

  it.each(["none", "32B", "64B", "128B"] as const)("stmatrix, swizzle %s", (kind) => {
    const rows = compose(matrixAddresses(4), matrixGrid({ row: 2, col: 2 }, ["row", "col"]));
    const address = addressing(plainShared(tile(kind)));
    const found = wavefronts(
      range(32).map((lane) => address(apply(rows, { lane }))),
      16,
    );
    expect(found).toBe(kind === "none" ? 32 : 4);
  });

  it("a word that lanes share is read once", () => {
    const sums = slice(wgmmaAccumulator({ cols: 64 }), "col");
    expect(sharedAccess(sums, rowMajor({ row: 64 }, 4))).toEqual({
      vectorBytes: 4,
      instructions: 8,
      wavefronts: 8,
      conflicts: 0,
    });
  });
});
