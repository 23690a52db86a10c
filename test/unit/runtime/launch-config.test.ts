import { describe, expect, it } from "vitest";
import { defaultTarget } from "../../../src/base/target.ts";
import type { Dim } from "../../../src/base/types.ts";
import { checkLaunchShape, type LaunchShape, normalizeDim } from "../../../src/runtime/launch-config.ts";

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("launch shapes", () => {
  it("writes missing extents out", () => {
    expect(normalizeDim("The grid", 7)).toEqual([7, 1, 1]);
    expect(normalizeDim("The grid", [2, 3])).toEqual([2, 3, 1]);
  });

  it.each([0, -1, 1.5, Number.NaN, [], [1, 2, 3, 4], [1, 0], "4", null])("refuses the extent %j", (dim) => {
    expect(() => normalizeDim("The grid", dim as Dim)).toThrow(code("W7015"));
  });

  const base: LaunchShape = { grid: [4, 4, 4], block: [128, 1, 1], cluster: [1, 1, 1], sharedBytes: 0 };
  it.each<[string, string | undefined, Partial<LaunchShape>]>([
    ["the largest grid", undefined, { grid: [2 ** 31 - 1, 65535, 65535] }],
    ["too wide a grid", "W7016", { grid: [2 ** 31, 1, 1] }],
    ["too high a grid", "W7016", { grid: [1, 65536, 1] }],
    ["1024 threads", undefined, { block: [32, 32, 1] }],
    ["1025 threads", "W7017", { block: [1025, 1, 1] }],
    ["65 threads along z", "W7017", { block: [1, 1, 65] }],
    ["a cluster that divides", undefined, { cluster: [2, 2, 2] }],
    ["a cluster that does not divide", "W7018", { cluster: [3, 1, 1] }],
    ["9 blocks in a cluster", "W7019", { grid: [9, 1, 1], cluster: [9, 1, 1] }],
    ["16 blocks in a non-portable cluster", undefined, { grid: [16, 1, 1], cluster: [16, 1, 1], nonPortableCluster: true }],
    ["32 blocks in a cluster", "W7019", { grid: [32, 1, 1], cluster: [32, 1, 1], nonPortableCluster: true }],
    ["all shared memory", undefined, { sharedBytes: 232448 }],
    ["too much shared memory", "W7020", { sharedBytes: 232449 }],
    ["half a byte of shared memory", "W7021", { sharedBytes: 0.5 }],
  ])("%s: %s", (_, expected, change) => {
    const check = () => checkLaunchShape({ ...base, ...change }, defaultTarget);
    if (expected) expect(check).toThrow(code(expected));
    else check();
  });
});
