import type { Layout } from "warpsmith";
import { columns, rowEach, rows, single } from "./layouts.ts";

const SECTOR = 32, ELEMENT = 4;                        // bytes: the least that memory moves, and an f32

/** What it takes one warp to load its part of a tile. */
export interface Cost {
  /** Bytes that one instruction loads for each lane. */
  readonly width: number;
  readonly instructions: number;
  /** Bytes that memory moves for each byte that is asked for: whole sectors, for each instruction anew. */
  readonly traffic: number;
}

/** Counts what `layout` costs for a tile of f32 in a tensor of these strides, from the table that `layout.print` gives. */
export function costOf(layout: Layout, shape: readonly [number, number], strides: readonly [number, number]): Cost {
  const lanes = Array.from({ length: 32 }, (): number[] => []);        // the address in each register of each lane
  layout.print(shape).split("\n").slice(1).forEach((line, i) => {
    line.split("| ")[1].trim().split(/ +/).forEach((cell, j) => {
      for (const [, thread, register] of cell.matchAll(/T(\d+):(\d+)/g)) {
        const lane = lanes[Number(thread)];            // of the first warp alone
        if (lane) lane[Number(register)] = (i * strides[0] + j * strides[1]) * ELEMENT;
      }
    });
  });
  const together = (n: number) => lanes.every((at) => at.every((byte, r) => byte === at[r - (r % n)] + (r % n) * ELEMENT));
  const vector = [4, 2].find(together) ?? 1, registers = lanes[0].length;
  let sectors = 0;
  for (let r = 0; r < registers; r += vector) sectors += new Set(lanes.map((at) => Math.floor(at[r] / SECTOR))).size;
  return { width: vector * ELEMENT, instructions: registers / vector, traffic: (sectors * SECTOR) / (32 * registers * ELEMENT) };
}

const SHAPE = [256, 128] as const, PITCH = 4096;

/** The table of the README: four layouts, for tensors that lie by rows and by columns. */
export const costs = (): string[] =>
  Object.entries({ rows, columns, single, rowEach }).map(([name, layout]) => {
    const cells = ([[PITCH, 1], [1, PITCH]] as const).map((strides) => {
      const { width, instructions, traffic } = costOf(layout, SHAPE, strides);
      return `${instructions} of ${width} bytes, traffic × ${traffic}`;
    });
    return `| \`${name}\` | ${cells.join(" | ")} |`;
  });
