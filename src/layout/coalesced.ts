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

/** How memory is gone through. */
export interface Walk {
  /** Neighbours of each thread along the first dimension of the order. */
  readonly count: number;
  /** Dimensions, the one whose elements lie closest to each other first. */
  readonly order: readonly number[];
  /** Warps go along the last dimensions of the order first, so that each has whole rows where it can. */
  readonly rows?: boolean;
}

/** Neighbouring lanes have neighbouring runs of elements along the first dimension, and then along the others; so do warps. All are powers of two. */
export function coalescedOver(shape: readonly number[], { count, order, rows = false }: Walk, warps: number): BlockedLayout {
  const perThread = shape.map((_, d) => (d === order[0] ? count : 1));
  const beside = (taken: readonly number[]): number[] => shape.map((extent, d) => Math.max(1, extent / (taken[d] ?? 1)));
  const threads = dealt(32, beside(perThread), order);
  const held = perThread.map((n, d) => n * (threads[d] ?? 1));
  return { kind: "blocked", perThread, threads, warps: dealt(warps, beside(held), rows ? order.toReversed() : order), order };
}

/** The same where the last dimensions lie closest to each other, but for `along`, which comes first. */
export function coalescedIn(
  shape: readonly number[],
  { count, along }: { readonly count: number; readonly along: number },
  warps: number,
): BlockedLayout {
  const others = shape.map((_, d) => d).filter((d) => d !== along);
  return coalescedOver(shape, { count, order: [along, ...others.toReversed()] }, warps);
}
