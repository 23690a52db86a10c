import { describe, expect, it } from "vitest";
import type { DType, Swizzle } from "../../../../src/base/types.ts";
import { objectOf, sharedMemory } from "../../../../src/dsl/memory/shared-memory.ts";
import type { Place, SharedView } from "../../../../src/dsl/memory/types.ts";
import { binary } from "../../../../src/dsl/operators/binary.ts";
import { threadIdx } from "../../../../src/dsl/threads/launch-ids.ts";
import { StagedScalar } from "../../../../src/dsl/trace/scalar.ts";
import { indexGet, indexSet, Staged, structure } from "../../../../src/dsl/trace/staged.ts";
import { accesses, bufferBase, expansionError, find, record } from "../evaluate.ts";

/** The byte of element (row, col) of a swizzled tile, as TMA writes it: dense panels, then bits 4–6 XORed with bits 7–9. */
function tmaByte(rows: number, bytes: number, swizzle: Swizzle, row: number, col: number): number {
  const width = { none: Number.POSITIVE_INFINITY, "32B": 32, "64B": 64, "128B": 128 }[swizzle];
  const perPanel = width / bytes;
  const panel = Math.floor(col / perPanel);
  const linear = panel * rows * width + row * width + (col % perPanel) * bytes;
  return linear ^ (((linear >> 7) & { none: 0, "32B": 1, "64B": 3, "128B": 7 }[swizzle]) << 4);
}

const place = (x: unknown): Place<"f16"> => x as Place<"f16">;

type Element = readonly [view: SharedView, ...at: number[]];
/** Which byte of the buffer each element is, swizzled. */
function bytesOf(elements: () => readonly Element[]): readonly number[] {
  const trace = record(() => {
    for (const [view, ...at] of elements()) place(view.at(...at)).load();
  });
  return accesses(trace, 0).map((a) => a.address - bufferBase(0));
}
/** In each pair, both elements are the same byte. */
function expectSameBytes(pairs: () => readonly (readonly [Element, Element])[]): void {
  const [left, right] = [0, 1].map((side) => bytesOf(() => pairs().flatMap((pair) => pair.slice(side, side + 1))));
  expect(left).toEqual(right);
  expect(left?.length).toBeGreaterThan(0);
}

describe("addresses of swizzled views", () => {
  const cases: [DType, number, number, Swizzle][] = [
    ["f16", 64, 128, "128B"],
    ["f16", 16, 64, "64B"],
    ["f32", 32, 32, "32B"],
    ["e4m3", 16, 256, "128B"],
    ["f64", 8, 32, "64B"],
    ["u8", 24, 96, "32B"],
  ];
  it.each(cases)("%s [%i, %i] %s", (dtype, rows, cols, swizzle) => {
    const bytes = { f16: 2, f32: 4, e4m3: 1, f64: 8, u8: 1 }[dtype as "f16"];
    const trace = record(() => {
      const tile = sharedMemory.alloc(dtype, [rows, cols], { swizzle });
      for (let col = 0; col < cols; col += 7) place(tile.at(threadIdx.x, col)).load();
      for (let row = 0; row < rows; row += 5) place(tile.at(row, threadIdx.x)).load();
      for (let row = 0; row < rows; row += 3) place(tile.at(row, row)).load();
    });
    for (const thread of [0, 1, 5, 7]) {
      const seen = accesses(trace, thread).map((a) => a.address - bufferBase(0));
      const range = (n: number, by: number) => Array.from({ length: Math.ceil(n / by) }, (_, i) => i * by);
      const expected = [
        ...range(cols, 7).map((col) => tmaByte(rows, bytes, swizzle, thread, col)),
        ...range(rows, 5).map((row) => tmaByte(rows, bytes, swizzle, row, thread)),
        ...range(rows, 3).map((row) => tmaByte(rows, bytes, swizzle, row, row)),
      ];
      expect(seen).toEqual(expected);
    }
  });

  it("keep stages apart, static and staged", () => {
    const trace = record(() => {
      const tiles = sharedMemory.alloc("f16", [4, 64, 128], { swizzle: "128B" });
      place(tiles.at(2).at(3, 70)).load();
      place(tiles.at(threadIdx.x).at(3).at(70)).load();
    });
    expect(accesses(trace, 2).map((a) => a.address)).toEqual(
      Array(2).fill(bufferBase(0) + 2 * 64 * 256 + tmaByte(64, 2, "128B", 3, 70)),
    );
  });
});

describe("parts of a view", () => {
  it("subview, transpose, reshape and reinterpret are the same bytes", () => {
    const alloc = () => sharedMemory.alloc("f16", [2, 64, 128], { swizzle: "128B" });
    expectSameBytes(() => {
      const tiles = alloc();
      return [
        [
          [tiles.subview([1, 8, 64], [1, 16, 64]), 0, 3, 5],
          [tiles, 1, 11, 69],
        ],
        [
          [tiles.subview([0, 0, 96], [2, 64, 32]), 1, 3, 5],
          [tiles, 1, 3, 101],
        ],
        [
          [tiles.transpose(0, 2, 1), 1, 100, 7],
          [tiles, 1, 7, 100],
        ],
        [
          [tiles.reshape(128, 128), 70, 100],
          [tiles, 1, 6, 100],
        ],
        [
          [tiles.reinterpret("f32", [2, 64, 64]), 1, 3, 40],
          [tiles, 1, 3, 80],
        ],
      ];
    });
    expect(bytesOf(() => [[alloc(), 1, 11, 69]])).toEqual([2 * 8192 + tmaByte(64, 2, "128B", 11, 69)]);
    record(() => {
      const tiles = alloc();
      expect(tiles.reshape(128, 128).shape).toEqual([128, 128]);
      expect([tiles.bytes, tiles.at(0).bytes, tiles.rank, tiles.strides]).toEqual([32768, 16384, 3, [8192, 64, 1]]);
    });
  });

  it("a part that begins where a panel does may end inside one", () => {
    const alloc = () => sharedMemory.alloc("f16", [16, 192], { swizzle: "128B" });
    expectSameBytes(() => {
      const tile = alloc();
      const part = tile.subview([8, 0], [8, 144]);
      return [
        ...[0, 63, 64, 128, 143].map(
          (col) =>
            [
              [part, 3, col],
              [tile, 11, col],
            ] as const,
        ),
        [
          [tile.subview([0, 64], [16, 80]).subview([0, 64], [16, 16]), 3, 5],
          [tile, 3, 133],
        ],
      ];
    });
    record(() => {
      const tile = alloc();
      const part = tile.subview([8, 0], [8, 144]);
      expect([part.shape, part.bytes]).toEqual([[8, 144], 8 * 144 * 2]);
      expect(tile.subview([0, 64], [16, 80]).subview([0, 64], [16, 16]).shape).toEqual([16, 16]);
      expect(part.transpose().shape).toEqual([144, 8]);
      const error = (code: string) => expect.objectContaining({ code });
      expect(() => part.at(0, 144)).toThrowError(error("W3001"));
      expect(() => part.subview([0, 128], [8, 32])).toThrowError(error("W3011"));
      expect(() => part.subview([0, 32], [8, 48])).toThrowError(error("W3012"));
      expect(() => part.reinterpret("f32", [8, 72])).toThrowError(error("W3019"));
      expect(() => part.reshape(4, 288)).toThrowError(error("W3010"));
      expect(() => place(part.at(0, 142)).load({ vector: 4 })).toThrowError(error("W3006"));
    });
  });

  it("a part in a part keeps what it has of panels of panels", () => {
    for (const [start, count] of [
      [0, 192],
      [192, 192],
      [0, 240],
      [64, 100],
      [0, 330],
    ] as const) {
      expectSameBytes(() => {
        const whole = sharedMemory.alloc("f16", [16, 192], { swizzle: "128B" }).reshape(8, 384);
        const part = whole.subview([0, start], [8, count]);
        return Array.from(
          { length: count },
          (_, i) =>
            [
              [part, 0, i],
              [whole, 0, start + i],
            ] as const,
        );
      });
    }
  });

  it("is a structure of one leaf, its value", () => {
    const trace = record(() => {
      const tiles = sharedMemory.alloc("f16", [2, 64, 64], { swizzle: "128B" });
      const [a, b] = [objectOf(tiles.at(0))[structure], objectOf(tiles.at(1))[structure]];
      expect(a.shape).toBe(b.shape);
      expect([a.leaves.length, b.leaves.length]).toEqual([1, 1]);
      place((a.rebuild(b.leaves) as SharedView).at(0, 0)).load();
    });
    expect(accesses(trace, 0)[0]?.address).toBe(bufferBase(0) + 8192);
  });

  it("is a structure of its value and whether the indices were inside, with debug", () => {
    record(
      () => {
        const tiles = sharedMemory.alloc("f16", [2, 64, 64], { swizzle: "128B" });
        const [whole, part] = [objectOf(tiles)[structure].leaves, objectOf(tiles.at(threadIdx.x))[structure].leaves];
        expect(whole).toEqual([expect.any(Staged), true]);
        expect(part).toEqual([expect.any(Staged), expect.any(StagedScalar)]);
      },
      { debug: true },
    );
  });

  it("x[i][j] loads and stores", () => {
    const trace = record(() => {
      const tile = objectOf(sharedMemory.alloc("bool", [4, 8]));
      const row = tile[indexGet](1) as typeof tile;
      row[indexSet](2, row[indexGet](threadIdx.x));
    });
    expect(accesses(trace, 5).map((a) => [a.op.name, a.address - bufferBase(0)])).toEqual([
      ["ld.shared", 13],
      ["st.shared", 10],
    ]);
    expect(find(trace, "st.shared")[0]?.operands.values[0]?.type).toBe("u8");
  });
});

describe("where buffers lie", () => {
  it("alloc aligns to the swizzle's pattern, reuse takes and enlarges a buffer", () => {
    const trace = record(() => {
      const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
      sharedMemory.alloc("f32", [64, 64], { reuse: a, align: 128 });
      sharedMemory.alloc("f32", [3]);
      sharedMemory.alloc("f16", [8, 32], { swizzle: "64B" });
    });
    expect(trace.shared.map((s) => [s.bytes, s.align])).toEqual([
      [16384, 1024],
      [12, 16],
      [512, 512],
    ]);
  });
  it("dynamic lies where it is put", () => {
    const tile = () => sharedMemory.dynamic("f16", [4, 64], { at: 2048, swizzle: "128B" });
    const trace = record(() => place(tile().at(1, 8)).load(), { dynamicShared: 2560 });
    expect(accesses(trace, 0)[0]?.address).toBe(2048 + tmaByte(4, 2, "128B", 1, 8));
  });
});

describe("errors", () => {
  const wrong: [string, () => unknown][] = [
    ["W3001", () => sharedMemory.alloc("f32", [4, 8]).at(4)],
    ["W3001", () => sharedMemory.alloc("f32", [4, 8]).at(0, -1)],
    ["W3002", () => (sharedMemory.alloc("f32", [4]) as SharedView).at(1, 2)],
    ["W3003", () => objectOf(sharedMemory.alloc("f32", [4, 8]))[indexSet](1, 2)],
    ["W3004", () => place(sharedMemory.alloc("f32", [32]).at(0)).load({ vector: 8 })],
    ["W3006", () => place(sharedMemory.alloc("f32", [32, 32]).transpose().at(0, 0)).load({ vector: 2 })],
    ["W3008", () => (sharedMemory.alloc("f32", [4, 8]) as SharedView).subview([0], [1, 2])],
    ["W3009", () => sharedMemory.alloc("f32", [4, 8]).transpose(0, 0)],
    ["W3010", () => sharedMemory.alloc("f32", [4, 8]).reshape(5, 8)],
    ["W3011", () => sharedMemory.alloc("f32", [4, 8]).subview([2, 0], [3, 8])],
    ["W3012", () => sharedMemory.alloc("f16", [8, 128], { swizzle: "128B" }).subview([0, 32], [8, 64])],
    ["W3013", () => sharedMemory.alloc("f16", [threadIdx.x])],
    ["W3014", () => sharedMemory.alloc("f16", [8, 32], { swizzle: "128B" })],
    ["W3015", () => sharedMemory.alloc("f16", [8, 64], { swizzle: "128B", align: 512 })],
    ["W3016", () => sharedMemory.dynamic("f16", [8, 64], { at: 128, swizzle: "128B" })],
    ["W3018", () => sharedMemory.alloc("f16", [8]).reinterpret("f32", [8])],
    ["W3019", () => sharedMemory.alloc("f16", [8, 8]).subview([0, 0], [8, 4]).reinterpret("u8", [64])],
    ["W3020", () => place(sharedMemory.alloc("u8", [8]).at(0)).atomic("add", 1)],
    ["W3022", () => place(sharedMemory.alloc("u8", [8]).at(0)).load({ cache: "cg" })],
    ["W3025", () => sharedMemory.alloc("u8", [8], { swizzle: "256B" as "128B" })],
    ["W3026", () => sharedMemory.alloc("f8" as "f16", [8])],
  ];
  it.each(wrong)("%s", (code, run) => {
    record(() => expect(run).toThrowError(expect.objectContaining({ code })));
  });
  const wrongAddresses: [string, () => unknown][] = [
    ["W3005", () => place(sharedMemory.alloc("f32", [32]).at(2)).load({ vector: 4 })],
    ["W3012", () => sharedMemory.alloc("f16", [8, 128], { swizzle: "128B" }).subview([0, threadIdx.x], [8, 64])],
  ];
  it.each(wrongAddresses)("%s, where it was written", (code, run) => {
    expect(expansionError(run)).toBe(code);
  });
  it("a subview at a staged multiple of the panel is one", () => {
    record(() => {
      const tile = sharedMemory.alloc("f16", [8, 256], { swizzle: "128B" });
      expect(tile.subview([0, binary("*", threadIdx.x, 64) as number], [8, 128]).shape).toEqual([8, 128]);
      expect(tile.subview([0, binary("*", threadIdx.x, 64) as number], [8, 80]).shape).toEqual([8, 80]);
      // rows of two panels as one dimension: from panel 1 on, the next one is not where it is from panel 0 on
      const rows = sharedMemory.alloc("f16", [64, 128], { swizzle: "128B" }).reshape(64 * 128);
      expect(rows.subview([binary("*", threadIdx.x, 128) as number], [128]).shape).toEqual([128]);
    });
    const halfway = () => {
      const rows = sharedMemory.alloc("f16", [64, 128], { swizzle: "128B" }).reshape(64 * 128);
      rows.subview([binary("*", threadIdx.x, 64) as number], [128]);
    };
    expect(expansionError(halfway)).toBe("W3012");
  });
});
