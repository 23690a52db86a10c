import { describe, expect, it } from "vitest";
import { defaultTarget } from "../../../../src/base/target.ts";
import { occupancyOf } from "../../../../src/inspect/report/occupancy.ts";

const { limits } = defaultTarget;

/**
 * Threads, registers, bytes of dynamic shared memory and barriers of a block, and the blocks that `cudaOccMaxActiveBlocksPerMultiprocessor` of
 * cuda_occupancy.h (CUDA 13.0) says fit a multiprocessor of compute capability 9.0. All 1030 that were compared agreed; these are some of them.
 */
// biome-ignore format: a table
const rows: readonly (readonly [number, number, number, number, number])[] = [
  [32, 47, 171000, 0, 1], [32, 242, 0, 15, 4], [64, 164, 72000, 12, 3], [96, 86, 144000, 9, 1], [128, 8, 216000, 6, 1], [128, 203, 54000, 3, 2], [160, 125, 126000, 0, 1], [192, 47, 189000, 15, 1], [192, 242, 27000, 12, 1], [224, 164, 99000, 9, 1], [256, 86, 171000, 6, 1], [288, 21, 9000, 3, 7], [288, 203, 81000, 0, 0], [320, 125, 144000, 15, 1], [352, 47, 216000, 12, 1], [352, 242, 54000, 9, 0], [384, 164, 126000, 6, 1], [416, 86, 198000, 3, 1], [448, 21, 36000, 0, 4], [448, 203, 99000, 15, 0], [480, 125, 171000, 12, 1], [512, 60, 9000, 9, 2], [512, 242, 81000, 6, 0], [544, 164, 153000, 3, 0], [576, 86, 225000, 0, 1], [608, 21, 54000, 15, 3], [608, 203, 126000, 12, 0], [640, 125, 198000, 9, 0], [672, 60, 36000, 6, 1], [672, 242, 108000, 3, 0], [704, 164, 180000, 0, 0], [736, 99, 9000, 15, 0], [768, 21, 81000, 12, 2], [768, 203, 153000, 9, 0], [800, 125, 225000, 6, 0], [832, 60, 63000, 3, 1], [832, 242, 135000, 0, 0], [864, 164, 198000, 15, 0], [896, 99, 36000, 12, 0], [928, 21, 108000, 9, 2], [928, 203, 180000, 6, 0], [960, 138, 18000, 3, 0], [992, 60, 90000, 0, 1], [992, 242, 153000, 15, 0], [1024, 164, 225000, 12, 0], 
];

describe("blocks of a multiprocessor", () => {
  it.each(rows)("%i threads, %i registers, %i bytes, %i barriers: %i", (threads, registers, sharedBytes, barriers, blocks) => {
    expect(occupancyOf({ threads, registers, sharedBytes, barriers }, limits).blocks).toBe(blocks);
  });

  it.each([
    [{ threads: 256, registers: 255, sharedBytes: 0, barriers: 1 }, 1, ["registers"]],
    [{ threads: 128, registers: 32, sharedBytes: 100 * 1024, barriers: 1 }, 2, ["shared memory"]],
    [{ threads: 1024, registers: 16, sharedBytes: 0, barriers: 1 }, 2, ["threads"]],
    [{ threads: 1024, registers: 32, sharedBytes: 0, barriers: 1 }, 2, ["registers", "threads"]],
    [{ threads: 32, registers: 16, sharedBytes: 0, barriers: 1 }, 32, ["blocks"]],
    [{ threads: 32, registers: 16, sharedBytes: 0, barriers: 16 }, 4, ["barriers"]],
  ] as const)("%j: %i, limited by %j", (needs, blocks, limitedBy) => {
    const found = occupancyOf(needs, limits);
    expect([found.blocks, found.limitedBy, found.exact]).toEqual([blocks, limitedBy, true]);
    const warps = blocks * Math.ceil(needs.threads / 32);
    expect([found.warps, found.share]).toEqual([warps, warps / 64]);
  });

  it("are at most so many where the registers are not known", () => {
    const found = occupancyOf({ threads: 256, registers: undefined, sharedBytes: 0, barriers: undefined }, limits);
    expect([found.blocks, found.exact, found.limits.registers, found.limits.barriers]).toEqual([8, false, undefined, undefined]);
  });
});
