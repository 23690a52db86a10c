import type { BlockedLayout } from "./tile-kinds.ts";

/** Gives dimensions, those of `order` first, as much of `count` as fits beside what they have; what is left over goes to the last of them. */
function dealt(count: number, room: readonly number[], order: readonly number[]): number[] {
  let rest = count;
  const taken = room.map(() => 1);
  for (const d of order) {
    const n = Math.min(rest, room[d] ?? 1);
    taken[d] = n;
    rest /= n;
  }
  const last = order.at(-1) ?? 0;
  taken[last] = (taken[last] ?? 1) * rest;
  return taken;
}

/**
 * Neighbouring lanes have neighbouring runs of `count` elements along dimension `along`, and then of the other dimensions, the last one first; so do
 * warps. All are powers of two.
 */
export function coalescedIn(
  shape: readonly number[],
  { count, along }: { readonly count: number; readonly along: number },
  warps: number,
): BlockedLayout {
  const others = shape.map((_, d) => d).filter((d) => d !== along);
  const order = [along, ...others.toReversed()];
  const perThread = shape.map((_, d) => (d === along ? count : 1));
  const beside = (taken: readonly number[]): number[] => shape.map((extent, d) => Math.max(1, extent / (taken[d] ?? 1)));
  const threads = dealt(32, beside(perThread), order);
  const held = perThread.map((n, d) => n * (threads[d] ?? 1));
  return { kind: "blocked", perThread, threads, warps: dealt(warps, beside(held), order), order };
}
