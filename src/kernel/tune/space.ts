/** The configurations of a space, and which of them are worth a kernel. */
import type { Limits } from "../../base/target.ts";
import type { TuneResources } from "./types.ts";

/** One of each list, in the order of a counter whose last digit runs fastest. */
export function product(space: Readonly<Record<string, readonly unknown[]>>): readonly Readonly<Record<string, unknown>>[] {
  let all: readonly Readonly<Record<string, unknown>>[] = [{}];
  for (const [knob, values] of Object.entries(space))
    all = all.flatMap((config) => values.map((value) => ({ ...config, [knob]: value })));
  return all;
}

/** A thread has 8 registers more or none. */
const registersAtOnce = 8;

/** Why no multiprocessor has room for a block; undefined where one has. */
export function noRoom({ threads = 1, sharedBytes = 0, registers = 0 }: TuneResources, limits: Limits): string | undefined {
  if (threads > limits.threads) return `${threads} threads of a block, of ${limits.threads}`;
  if (sharedBytes > limits.sharedBytes) return `${sharedBytes} bytes of shared memory, of ${limits.sharedBytes}`;
  if (registers > limits.threadRegisters) return `${registers} registers of a thread, of ${limits.threadRegisters}`;
  const all = threads * Math.ceil(registers / registersAtOnce) * registersAtOnce;
  return all > limits.registers ? `${all} registers of a block, of ${limits.registers}` : undefined;
}

/** The share of their waves that blocks fill, where a wave is one block on each multiprocessor: 1 where the last wave is full, too. Undefined where the blocks are not known. */
export function fullness({ blocks }: TuneResources, multiprocessors: number): number | undefined {
  if (blocks === undefined || multiprocessors < 1) return undefined;
  return blocks / (Math.ceil(blocks / multiprocessors) * multiprocessors);
}

/** So many of a list, from its first to its last, at even distances. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (count >= all.length) return all;
  if (count === 1) return all.slice(0, 1);
  return Array.from({ length: count }, (_, i) => all[Math.round((i * (all.length - 1)) / (count - 1))] as T);
}
