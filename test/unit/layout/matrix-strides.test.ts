import { describe, expect, it } from "vitest";
import type { Swizzle } from "../../../src/base/types.ts";
import { isProblem, type MatrixStrides, stridesOf } from "../../../src/layout/matrix-strides.ts";
import {
  type Dimension,
  extentOf,
  type Layout,
  offsetIn,
  panelled,
  patternBytes,
  regroup,
  rowMajor,
  slice,
  swizzled,
} from "../../../src/layout/modes/modes.ts";
import { some } from "../../support/amount.ts";

/**
 * Where the hardware reads element (mn, k) of a matrix, from the manual's layouts (PTX ISA 9.7.15.5.1), written apart from the code
 * under test: T elements in 16 bytes, W chunks of 16 bytes in a row of the swizzle; the XOR is on the absolute address.
 */
function hardwareAddress(
  strides: MatrixStrides,
  swizzle: Swizzle,
  bytes: number,
  block: number,
  start: number,
  mn: number,
  k: number,
): number {
  const W = { none: 1, "32B": 2, "64B": 4, "128B": 8 }[swizzle];
  const m = { none: 0, "32B": 1, "64B": 3, "128B": 7 }[swizzle];
  const T = 16 / bytes;
  const step = 32 / bytes;
  const [LBO, SBO] = [strides.leading, strides.stride];
  const from = start + 16 * (strides.kSteps[Math.floor(k / step)] as number) + Math.floor(mn / block) * strides.rowStep * 16;
  const [r, kk] = [mn % block, k % step];
  let a: number;
  if (strides.major === "k") {
    const j = Math.floor(kk / T);
    a = from + (r % 8) * 16 * W + Math.floor(r / 8) * SBO + j * (W === 1 ? LBO : 16) + (kk % T) * bytes;
  } else {
    const c = Math.floor(r / T);
    a =
      W > 1
        ? from + (c % W) * 16 + Math.floor(c / W) * LBO + (kk % 8) * 16 * W + Math.floor(kk / 8) * SBO + (r % T) * bytes
        : from + c * SBO + (kk % 8) * 16 + Math.floor(kk / 8) * LBO + (r % T) * bytes;
  }
  return a ^ (((a >> 7) & m) << 4);
}

/** Element by element: the view's own address is what the hardware reads. */
function check(mn: Dimension, k: Dimension, block: number, bytes: number, swizzle: Swizzle): MatrixStrides {
  const strides = stridesOf({ mn, k, block, bytes, swizzle });
  if (isProblem(strides)) throw new Error(JSON.stringify(strides));
  const start = 4 * 1024;
  const wrong: string[] = [];
  for (let i = 0; i < extentOf(mn); i++) {
    for (let j = 0; j < extentOf(k); j++) {
      const own = start + swizzled(offsetIn(mn, i) + offsetIn(k, j), swizzle);
      const read = hardwareAddress(strides, swizzle, bytes, block, start, i, j);
      if (own !== read) wrong.push(`${i},${j}: ${own} ${read}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(start % patternBytes(swizzle)).toBe(0);
  return strides;
}

const view = (shape: readonly number[], bytes: number, swizzle: Swizzle): Layout =>
  panelled(shape, bytes, swizzle === "none" ? Number.POSITIVE_INFINITY : { "32B": 32, "64B": 64, "128B": 128 }[swizzle] / bytes);
/** Without a swizzle: cores of 8 rows of 16 bytes, one after the other along the contiguous dimension. */
function cores(rows: number, cols: number, bytes: number): Layout {
  const T = 16 / bytes;
  const [outer, row, inner] = rowMajor([cols / T, rows, T], bytes) as [Dimension, Dimension, Dimension];
  return regroup([row, outer, inner], [rows, cols]) as Layout;
}
const swizzles = ["32B", "64B", "128B"] as const;
const types = [
  ["f16 and bf16", 2],
  ["tf32", 4],
  ["8-bit types", 1],
] as const;

describe.each(types)("%s", (_name, bytes) => {
  const K = [32 / bytes, 64 / bytes, 128 / bytes, 256 / bytes];
  for (const swizzle of swizzles) {
    it(`walks ${swizzle} K-major operands`, () => {
      const width = Number.parseInt(swizzle, 10) / bytes;
      for (const k of K.filter((n) => n % width === 0)) {
        for (const m of some([128, 64, 192, 256], 1)) {
          const [rows, cols] = view([m, k], bytes, swizzle) as [Dimension, Dimension];
          expect(check(rows, cols, 64, bytes, swizzle).major).toBe("k");
        }
        for (const n of some([24, 8, 16, 96, 128, 256], 2)) {
          const [rows, cols] = view([n, k], bytes, swizzle) as [Dimension, Dimension];
          check(rows, cols, n, bytes, swizzle);
        }
      }
    });
    const width = Number.parseInt(swizzle, 10) / bytes;
    const shapes = [128, 64, 192, 256]
      .filter((mn) => mn % width === 0)
      .flatMap((mn) => [32, 16, 64, 128].map((k) => [k, mn] as const));
    if (bytes !== 2) {
      it(`refuses ${swizzle} MN-major operands`, () => {
        for (const [k, mn] of some(shapes, 3)) {
          const [kRows, cols] = view([k, mn], bytes, swizzle) as [Dimension, Dimension];
          expect(stridesOf({ mn: cols, k: kRows, block: 64, bytes, swizzle })).toMatchObject({
            kind: expect.stringMatching(/mn-major|k/),
          });
        }
      });
      continue;
    }
    // All of mn, and the first elements of it.
    const parts = shapes.flatMap(([k, mn]) =>
      [mn, 24, 8, 16, 96, 144, 176, 224, 248].filter((part) => part <= mn).map((part) => [k, mn, part] as const),
    );
    it(`walks ${swizzle} MN-major operands`, () => {
      for (const [k, mn, part] of some(parts, 4)) {
        const [kRows, cols] = view([k, mn], bytes, swizzle) as [Dimension, Dimension];
        if (part === mn) expect(check(cols, kRows, 64, bytes, swizzle).major).toBe("mn");
        check(part === mn ? cols : (slice(cols, 0, part)?.dimension as Dimension), kRows, part, bytes, swizzle);
      }
    });
  }
  it("walks cores without a swizzle", () => {
    for (const m of [64, 128]) {
      const [rows, cols] = cores(m, 128 / bytes, bytes) as [Dimension, Dimension];
      check(rows, cols, 64, bytes, "none");
      if (bytes === 2) check(cores(64, m, 2)[1] as Dimension, cores(64, m, 2)[0] as Dimension, m, 2, "none");
    }
  });
});

it("says why a matrix cannot be walked", () => {
  const dense = rowMajor([64, 64], 2) as [Dimension, Dimension];
  expect(stridesOf({ mn: dense[0], k: dense[1], block: 64, bytes: 2, swizzle: "none" })).toEqual({
    kind: "pitch",
    given: 128,
    wanted: 16,
  });
  expect(stridesOf({ mn: dense[0], k: dense[1], block: 64, bytes: 2, swizzle: "64B" })).toEqual({
    kind: "pitch",
    given: 128,
    wanted: 64,
  });
  expect(stridesOf({ mn: [{ extent: 96, stride: 128 }], k: dense[1], block: 64, bytes: 2, swizzle: "128B" })).toEqual({
    kind: "rows",
    multiple: 64,
  });
  expect(stridesOf({ mn: dense[0], k: [{ extent: 24, stride: 2 }], block: 64, bytes: 2, swizzle: "128B" })).toEqual({
    kind: "k",
    multiple: 16,
  });
  // A K that begins in the middle of panels whose distance is no whole pattern.
  expect(
    stridesOf({
      mn: dense[0],
      k: [
        { extent: 2, stride: 8192 + 128 },
        { extent: 64, stride: 2 },
      ],
      block: 64,
      bytes: 2,
      swizzle: "128B",
    }),
  ).toEqual({ kind: "irregular" });
});

it("gives the known numbers of a 128 x 64 f16 tile", () => {
  const [rows, cols] = view([128, 64], 2, "128B") as [Dimension, Dimension];
  expect(stridesOf({ mn: rows, k: cols, block: 64, bytes: 2, swizzle: "128B" })).toEqual({
    major: "k",
    leading: 16,
    stride: 1024,
    kSteps: [0, 2, 4, 6],
    rowStep: 512,
  });
  const [k, n] = view([64, 128], 2, "128B") as [Dimension, Dimension];
  expect(stridesOf({ mn: n, k, block: 128, bytes: 2, swizzle: "128B" })).toEqual({
    major: "mn",
    leading: 8192,
    stride: 1024,
    kSteps: [0, 128, 256, 384],
    rowStep: 0,
  });
});
