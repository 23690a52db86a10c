import { createChoices, type Schedule } from "../../../../../src/emulator/machine/choices.ts";
import {
  type ClusterUnits,
  createAsyncQueue,
  createMbarrierTable,
  initMbarrier,
} from "../../../../../src/emulator/machine/units/index.ts";

/** Numbers in [0, 1), the same ones for a seed. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

export const below = (next: () => number, n: number): number => Math.floor(next() * n);

export const origin = 0x10000;
export const barrier = 0x400;

/** Blocks with 64 KiB of random shared memory, a tensor's memory at `origin`, and one barrier per block at its first bytes. */
export function machine(memory: Uint8Array, options: { blocks?: number; schedule?: Schedule } = {}): ClusterUnits {
  const next = random(5);
  const shared = Array.from({ length: options.blocks ?? 1 }, (_, rank) => ({
    bytes: new Uint8Array(0x10000).map(() => below(next, 256)),
    base: 0x400 + rank * 2 ** 24,
  }));
  const barriers = createMbarrierTable();
  for (const rank of shared.keys()) initMbarrier(barriers, barrier + rank * 2 ** 24, 1);
  const view = (address: number, length: number) => {
    const offset = address - origin;
    if (offset < 0 || offset + length > memory.length) throw new Error(`outside: ${offset} + ${length}`);
    return { bytes: memory, offset };
  };
  return { shared, barriers, global: { view }, queue: createAsyncQueue(createChoices(options.schedule ?? "eager", 0)) };
}
