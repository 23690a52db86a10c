import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeTensorMap, encodeTensorMap, issueTensorLoad } from "../../../src/emulator/machine/units/index.ts";
import { swizzled, swizzleMask } from "../../../src/emulator/machine/units/swizzle.ts";
import { apply, compose, equal, inverse, pseudoInverse } from "../../../src/layout/index.ts";
import { rowMajor as modes, offsetIn, panelled, patternBytes, swizzled as swizzledNow } from "../../../src/layout/modes/modes.ts";
import {
  addressing,
  linearOf,
  nvmmaShared,
  paddedShared,
  plainShared,
  rowMajor,
  sharedBytes,
  sharedLayout,
  swizzle,
  swizzledShared,
} from "../../layouts/shared-maps.ts";
import { ofProperty } from "../../support/amount.ts";
import { barrier, machine, origin } from "../emulator/machine/units/machine.ts";
import { points } from "./arbitrary.ts";

const swizzles = ["none", "32B", "64B", "128B"] as const;
const widths = { none: Number.POSITIVE_INFINITY, "32B": 32, "64B": 64, "128B": 128 } as const;
const sizes = [1, 2, 4, 8] as const;

describe("a swizzle", () => {
  it.each(swizzles)("%s is that of the emulator and that of the modes of views", (kind) => {
    const layout = swizzle(kind, 4096);
    const wrong = Array.from({ length: 4096 }, (_, offset) => offset).filter((offset) => {
      const to = apply(layout, { offset }).offset;
      return to !== swizzled(offset, swizzleMask[kind]) || to !== swizzledNow(offset, kind);
    });
    expect(wrong).toEqual([]);
    expect(equal(inverse(layout), layout)).toBe(true);
    expect(apply(layout, { offset: patternBytes(kind) % 4096 })).toEqual({ offset: patternBytes(kind) % 4096 });
  });
});

describe("a tile in shared memory", () => {
  const extents = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 6 }));

  it("of any extents lies where the modes of a view put it", () => {
    const any = fc.tuple(extents, fc.constantFrom(...swizzles), fc.constantFrom(...sizes));
    fc.assert(
      fc.property(any, ([[stages, rows, columns], kind, bytes]) => {
        const unit = kind === "none" ? 3 : Math.min(widths[kind] / bytes, 16);
        // A dimension that is stored in panels is made of whole ones.
        const cols = columns * unit > widths[kind] / bytes ? columns * (widths[kind] / bytes) : columns * unit;
        const shape = { stage: stages, row: rows, col: cols };
        const address = addressing(sharedLayout({ shape, elementBytes: bytes, swizzle: kind }));
        const list = [stages, rows, cols];
        const now = kind === "none" ? modes(list, bytes) : panelled(list, bytes, widths[kind] / bytes);
        const wrong = points(shape).filter((point) => {
          const offset = [point.stage, point.row, point.col].reduce<number>((n, x, d) => n + offsetIn(now[d] ?? [], x ?? 0), 0);
          return address(point) !== swizzledNow(offset, kind);
        });
        expect(wrong).toEqual([]);
      }),
      ofProperty(400, 15),
    );
  });

  it("of powers of two is one linear map, from every byte to its element", () => {
    const power = (most: number) => fc.nat(most).map((n) => 2 ** n);
    const any = fc.tuple(power(5), power(7), fc.constantFrom(...swizzles), fc.constantFrom(...sizes));
    fc.assert(
      fc.property(any, ([row, col, kind, elementBytes]) => {
        const shape = { row, col };
        const whole = nvmmaShared({ shape, elementBytes, swizzle: kind });
        const tile = sharedLayout({ shape, elementBytes, swizzle: kind });
        const linear = linearOf(tile);
        expect(linear && equal(linear, whole)).toBe(true);
        const [address, same] = [addressing(tile), addressing(plainShared(whole))];
        for (const point of points(shape)) {
          const start = address(point);
          if (same(point) !== start) expect(same(point), JSON.stringify(point)).toBe(start);
          for (let byte = 0; byte < elementBytes; byte++) {
            const { row, col } = apply(whole, { offset: start + byte });
            if (row !== point.row || col !== point.col) expect({ row, col }).toEqual(point);
          }
        }
        expect(sharedBytes(plainShared(whole))).toBe(row * col * elementBytes);
      }),
      ofProperty(160, 6),
    );
  });

  it("takes its bytes and no more", () => {
    const any = fc.tuple(extents, fc.constantFrom(...swizzles), fc.constantFrom(...sizes));
    fc.assert(
      fc.property(any, ([[stage, row, col], kind, bytes]) => {
        const tile = sharedLayout({ shape: { stage, row, col }, elementBytes: bytes, swizzle: kind });
        const address = addressing(tile);
        const starts = points(tile.shape).map(address);
        expect(new Set(starts).size).toBe(starts.length);
        const end = Math.max(...starts) + bytes;
        if (kind === "none") expect(sharedBytes(tile)).toBe(end);
        else expect(sharedBytes(tile)).toBeGreaterThanOrEqual(end);
        expect(sharedBytes(tile)).toBeLessThanOrEqual(Math.ceil(end / 128) * 128);
      }),
      ofProperty(400, 15),
    );
  });

  it("transposed has columns for rows", () => {
    const [plain, turned] = [false, true].map((transposed) =>
      nvmmaShared({ shape: { row: 64, col: 64 }, elementBytes: 2, swizzle: "64B", transposed }),
    ) as [ReturnType<typeof nvmmaShared>, ReturnType<typeof nvmmaShared>];
    for (const offset of [0, 2, 64, 130, 5000]) {
      const { row, col } = apply(plain, { offset });
      expect(apply(turned, { offset })).toEqual({ row: col, col: row });
    }
  });

  it("refuses extents that are no powers of two where all is linear", () => {
    expect(() => rowMajor({ row: 3, col: 4 }, 2)).toThrow("The extent of row is 3, which is no power of two.");
    expect(() => nvmmaShared({ shape: { row: 8, col: 24 }, elementBytes: 2, swizzle: "32B" })).toThrow("The extent of col is 24");
  });
});

describe("the image that TMA writes", () => {
  it.each(swizzles)("of swizzle %s is the layout's", (kind) => {
    const [rows, cols] = [24, kind === "none" ? 32 : widths[kind] / 2];
    const memory = new Uint8Array(rows * cols * 2);
    for (let i = 0; i < rows * cols; i++) new DataView(memory.buffer).setUint16(2 * i, i, true);
    const units = machine(memory);
    const map = {
      ...({
        mode: "tiled",
        dtype: "u16",
        dims: [cols, rows],
        box: [cols, rows],
        strides: [2 * cols],
        elementStrides: [1, 1],
      } as const),
      ...({ interleave: "none", l2Promotion: "none", oobFill: "zero", swizzle: kind } as const),
    };
    const destination = 0x2400;
    issueTensorLoad(units, {
      map: decodeTensorMap({ bytes: encodeTensorMap(origin, map), offset: 0 }),
      coordinates: [0, 0],
      destination,
      barrier,
    });
    const address = addressing(sharedLayout({ shape: { row: rows, col: cols }, elementBytes: 2, swizzle: kind }));
    const view = new DataView(units.shared[0]?.bytes.buffer ?? new ArrayBuffer(0));
    for (const { row = 0, col = 0 } of points({ row: rows, col: cols }))
      expect(view.getUint16(destination - 0x400 + address({ row, col }), true)).toBe(row * cols + col);
  });
});

describe("Gluon's swizzled layout", () => {
  it("moves vectors by the phase of their row", () => {
    const power = (most: number) => fc.nat(most).map((n) => 2 ** n);
    const any = fc.tuple(power(3), power(3), power(3), fc.constantFrom(["col", "row"], ["row", "col"]));
    fc.assert(
      fc.property(any, ([vector, perPhase, maxPhase, order]) => {
        const shape = { row: 16, col: 32 };
        const layout = swizzledShared({ shape, elementBytes: 2, vector, perPhase, maxPhase, order });
        const back = pseudoInverse(layout);
        for (const { row = 0, col = 0 } of points(shape)) {
          const [fast, slow] = order[0] === "col" ? [col, row] : [row, col];
          const extent = order[0] === "col" ? 32 : 16;
          const phase = Math.floor(slow / perPhase) % maxPhase;
          const at = (fast ^ ((phase * vector) % extent)) + extent * slow;
          expect(apply(back, { row, col })).toEqual({ offset: 2 * at });
        }
      }),
      ofProperty(400, 8),
    );
  });

  it("can be the swizzle of TMA", () => {
    const layout = swizzledShared({ shape: { row: 16, col: 64 }, elementBytes: 2, vector: 8, perPhase: 1, maxPhase: 8 });
    expect(equal(layout, nvmmaShared({ shape: { row: 16, col: 64 }, elementBytes: 2, swizzle: "128B" }))).toBe(true);
  });
});

describe("padding", () => {
  it("puts bytes between rows", () => {
    const tile = paddedShared({ shape: { row: 5, col: 16 }, elementBytes: 4, every: 64, by: 16 });
    const address = addressing(tile);
    for (const { row = 0, col = 0 } of points(tile.shape)) expect(address({ row, col })).toBe(80 * row + 4 * col);
    expect(sharedBytes(tile)).toBe(4 * 80 + 64);
    expect(linearOf(tile)).toBeUndefined();
  });

  it("refuses what would part an element, and pitches that are no powers of two", () => {
    expect(() => paddedShared({ shape: { row: 4, col: 16 }, elementBytes: 4, every: 64, by: 2 })).toThrow("part the 4 bytes");
    expect(() => paddedShared({ shape: { row: 4, col: 12 }, elementBytes: 4, every: 64, by: 4 })).toThrow("powers of two");
  });

  it("of a negative number is a pitch that is no power of two", () => {
    const tile = sharedLayout({ shape: { row: 4, col: 24 }, elementBytes: 2, swizzle: "none" });
    expect(tile.paddings).toEqual([{ every: 64, by: -16 }]);
    expect(tile.paddings.length > 0 && linearOf(tile)).toBeUndefined();
  });
});

it("row-major in another order", () => {
  const layout = rowMajor({ row: 4, col: 8 }, 2, ["row", "col"]);
  expect(apply(layout, { offset: 2 * (3 + 4 * 5) + 1 })).toEqual({ row: 3, col: 5 });
  expect(equal(compose(swizzle("none", 64), layout), layout)).toBe(true);
});
