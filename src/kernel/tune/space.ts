/** The configurations of a space, and which of them are worth a kernel. */
import { defaultTarget, type Limits } from "../../base/target.ts";
import type { Note, Verdict } from "./search.ts";
import type { SearchOptions, TuneResources } from "./types.ts";

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

/** A configuration that fills the multiprocessors less than half as well as the best one is left out. */
const leastFull = 0.5;

/** Those that have room, and of them as many as the budget has room for; why the others are left out is noted. `refusal`: what an error of one becomes. */
export function worthwhile<C>(
  configs: readonly C[],
  { fits, resources, device, budget = configs.length }: Omit<SearchOptions<C>, "keep">,
  note: Note<C, "pruned" | "refused">,
  refusal: (error: unknown) => Verdict<"refused">,
): readonly C[] {
  const prune = (config: C, reason: string) => note(config, { outcome: "pruned", reason });
  /** Those that have room, and how well each fills the multiprocessors. */
  const roomy = new Map<C, number | undefined>();
  for (const config of configs)
    try {
      const needs = fits && !fits(config) ? undefined : (resources?.(config) ?? {});
      const reason = needs ? noRoom(needs, defaultTarget.limits) : "fits() says no";
      if (reason === undefined) roomy.set(config, fullness(needs ?? {}, device.multiprocessors));
      else prune(config, reason);
    } catch (error) {
      note(config, refusal(error));
    }
  const best = Math.max(0, ...[...roomy.values()].map((full) => full ?? 0));
  const filling = [...roomy].flatMap(([config, full = 1]) => {
    if (full >= leastFull * best) return [config];
    prune(config, `its blocks fill ${(100 * full).toFixed(0)} % of their waves`);
    return [];
  });
  const chosen = spread(filling, budget);
  for (const config of filling) if (!chosen.includes(config)) prune(config, "beyond the budget");
  return chosen;
}
