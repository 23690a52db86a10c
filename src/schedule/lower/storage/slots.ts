/** Buffers that live in registers: one cell for each element of a thread, or for each tile of a group of threads. */
import { fail } from "../../errors/index.ts";
import type { RegisterTile } from "../../intrinsics/registry.ts";
import type { Buffer } from "../../ir/types.ts";
import { staticShape } from "../../ir/walk.ts";

/** One register, or what stands for the registers of a tile. */
export interface Cell extends RegisterTile {
  readonly name: string;
}

/** The cells of one buffer; `tile` is what one of them holds, in elements of each dimension. */
export class Slots {
  readonly buffer: Buffer;
  readonly tile: readonly number[];
  readonly counts: readonly number[];
  readonly cells: readonly Cell[];

  constructor(buffer: Buffer, tile: readonly number[]) {
    const shape = staticShape(buffer) ?? [];
    this.buffer = buffer;
    this.tile = tile;
    this.counts = shape.map((n, d) => Math.ceil(n / (tile[d] ?? 1)));
    const count = this.counts.reduce((n, c) => n * c, 1);
    this.cells = Array.from({ length: count }, (_, i) => ({ name: `${buffer.name}[${i}]`, value: undefined }));
  }

  /** The cell where the part begins that these indices say. W5596. */
  at(indices: readonly unknown[]): Cell {
    const { name, scope, span } = this.buffer;
    const refuse = (why: string): never => fail("W5596", { buffer: name, scope, why }, span ? [span] : undefined);
    let number = 0;
    for (const [d, index] of indices.entries()) {
      const tile = this.tile[d] ?? 1;
      if (typeof index !== "number")
        return refuse(`its index in dimension ${d} depends on the thread or on a loop that stays a loop`);
      if (index % tile !== 0) return refuse(`element ${index} of dimension ${d} is not where a tile of ${tile} begins`);
      number = number * (this.counts[d] ?? 1) + index / tile;
    }
    return this.cells[number] ?? refuse(`[${indices.join(", ")}] lies outside of it`);
  }
}
