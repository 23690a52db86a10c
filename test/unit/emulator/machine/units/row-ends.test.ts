/** Stores by TMA to parts of a bigger tensor, against a model of what an H200 does at the ends of rows (docs/hardware.md). */
import { describe, expect, it } from "vitest";
import { elementBytes } from "../../../../../src/base/element-types.ts";
import type { TiledMap } from "../../../../../src/base/tensor-map.ts";
import type { DType, Swizzle } from "../../../../../src/base/types.ts";
import type { Schedule } from "../../../../../src/emulator/machine/choices.ts";
import {
  createAsyncGroups,
  decodeTensorMap,
  encodeTensorMap,
  issueTensorStore,
  type Transfer,
} from "../../../../../src/emulator/machine/units/index.ts";
import { seedOf } from "../../../../fuzz/random.ts";
import { seeds } from "../../../../support/amount.ts";
import { below, machine, origin, random } from "./machine.ts";

const start = 0x2400;

/** A part of a parent: rows of `pitch` bytes, of which the part has so many elements from byte `left` on. Innermost first. */
interface Part {
  readonly dtype: DType;
  readonly extents: readonly number[];
  readonly pitches: readonly number[];
  readonly left: number;
  readonly bytes: number;
}

const mapOf = ({ dtype, extents, pitches }: Part, box: readonly number[], swizzle: Swizzle = "none"): TiledMap => ({
  mode: "tiled",
  dtype,
  dims: extents,
  strides: pitches,
  box,
  elementStrides: extents.map(() => 1),
  interleave: "none",
  swizzle,
  l2Promotion: "none",
  oobFill: "zero",
});

const decoded = (part: Part, box: readonly number[], swizzle?: Swizzle) =>
  decodeTensorMap({ bytes: encodeTensorMap(origin + part.left, mapOf(part, box, swizzle)), offset: 0 });

/** Each byte of the box, the first one in the image first, with its place in the parent; undefined outside of the part. `unit`: bytes of a row that are stored together. */
function* places({ dtype, extents, pitches, left }: Part, box: readonly number[], at: readonly number[], unit: number) {
  const size = elementBytes[dtype];
  const [width = 1, ...outer] = box;
  const rows = outer.reduce((n, extent) => n * extent, 1);
  for (let row = 0; row < rows; row += 1) {
    let [rest, base, inside] = [row, left, true];
    outer.forEach((extent, d) => {
      const place = (at[d + 1] ?? 0) + (rest % extent);
      rest = Math.floor(rest / extent);
      inside &&= place < (extents[d + 1] ?? 1);
      base += place * (pitches[d] ?? 0);
    });
    for (let b = 0; b < width * size; b += 1) {
      const along = (at[0] ?? 0) * size + b;
      const stored = inside && Math.floor(along / unit) * unit < (extents[0] ?? 1) * size;
      yield { image: row * width * size + b, place: stored ? base + along : undefined };
    }
  }
}

const dtypes: readonly DType[] = ["u8", "e4m3", "f16", "bf16", "i16", "i32", "f32", "f64"];
const schedules: readonly Schedule[] = ["eager", "lazy", "torn", 3];

function randomPart(next: () => number): Part {
  const dtype = dtypes[below(next, dtypes.length)] ?? "f16";
  const size = elementBytes[dtype];
  const rank = 1 + below(next, 3);
  const columns = 1 + below(next, 80 / size);
  const left = 16 * below(next, 3);
  const extents = [columns, ...Array.from({ length: rank - 1 }, () => 1 + below(next, 4))];
  const pitches: number[] = [];
  let pitch = left + Math.ceil((columns * size) / 16) * 16 + 16 * below(next, 3);
  for (const extent of extents.slice(1)) {
    pitches.push(pitch);
    pitch *= extent;
  }
  // Rows may end where memory does, or before.
  const last = extents.slice(1).reduce((sum, extent, d) => sum + (extent - 1) * (pitches[d] ?? 0), left) + columns * size;
  return { dtype, extents, pitches, left, bytes: below(next, 2) ? last : Math.max(last, pitch) };
}

describe("a store to a part of a tensor", () => {
  it("writes whole units of 16 bytes of its rows, as far as there is memory", () => {
    for (const i of seeds(0, 600, 40)) {
      const next = random(seedOf(i, "part"));
      const part = randomPart(next);
      const size = elementBytes[part.dtype];
      const unit = 16 / size;
      const box = part.extents.map((_, d) => (d === 0 ? unit * (1 + below(next, 4)) : 1 + below(next, 4)));
      const at = part.extents.map((extent, d) => (d === 0 ? unit * below(next, 4) : below(next, extent + 1)));
      const memory = new Uint8Array(part.bytes).map(() => below(next, 256));
      const units = machine(memory, { schedule: schedules[i % schedules.length] ?? "eager" });
      const expected = memory.slice();
      const image = units.shared[0]?.bytes.subarray(start - 0x400) ?? new Uint8Array(0);
      for (const { image: from, place } of places(part, box, at, 16))
        if (place !== undefined && place < memory.length) expected[place] = image[from] ?? 0;
      issueTensorStore(units, { map: decoded(part, box), coordinates: at, source: start, groups: createAsyncGroups() });
      while (units.queue.landOne());
      expect(Buffer.compare(memory, expected), JSON.stringify({ i, part, box, at })).toBe(0);
    }
  });

  /** What a watch hears of a store of [2, 32] to rows of 5 of 32. */
  function heard(dtype: DType, reduce?: "add"): Transfer {
    const size = elementBytes[dtype];
    const part = { dtype, extents: [5, 2], pitches: [32 * size], left: 0, bytes: 64 * size };
    const told: Transfer[] = [];
    const watch = { issues: (t: Transfer) => void told.push(t), lands: () => {} };
    const operation = { map: decoded(part, [32, 2]), coordinates: [0, 0], source: start, groups: createAsyncGroups() };
    issueTensorStore(machine(new Uint8Array(part.bytes)), { ...operation, ...(reduce ? { reduce } : {}) }, watch);
    const [transfer] = told;
    if (!transfer) throw new Error("there is no transfer");
    return transfer;
  }

  it("tells what it writes behind rows, beside what it writes of them", () => {
    const { writes, beyond, unknown } = heard("f16");
    expect(writes).toEqual([
      { space: "global", address: origin, bytes: 10 },
      { space: "global", address: origin + 64, bytes: 10 },
    ]);
    expect(beyond).toEqual([
      { address: origin + 10, bytes: 6, changes: true },
      { address: origin + 74, bytes: 6, changes: true },
    ]);
    expect(unknown).toBeUndefined();
  });

  it.each([
    ["f32", undefined, 12],
    ["f16", "add", 6],
    ["f32", "add", 12],
  ] as const)("does the same for all types, and where it reduces: %s, %s", (dtype, reduce, bytes) => {
    const { beyond, unknown } = heard(dtype, reduce);
    expect(unknown).toBeUndefined();
    expect(beyond?.map((tail) => tail.bytes)).toEqual([bytes, bytes]);
  });

  it("through every swizzle: what it writes there is what the image holds there", () => {
    for (const swizzle of ["32B", "64B", "128B"] as const) {
      const width = Number.parseInt(swizzle, 10) / 2;
      const part = { dtype: "f16", extents: [width - 3, 8], pitches: [256], left: 0, bytes: 2048 } as const;
      const memory = new Uint8Array(part.bytes);
      const whole = new Uint8Array(part.bytes);
      const store = (to: Uint8Array, from: Part) =>
        issueTensorStore(machine(to), {
          map: decoded(from, [width, 8], swizzle),
          coordinates: [0, 0],
          source: start,
          groups: createAsyncGroups(),
        });
      store(memory, part);
      store(whole, { ...part, extents: [width, 8] });
      expect(Buffer.compare(memory, whole)).toBe(0);
    }
  });
});
