/** Threads of a warp. */
export const lanes = 32;

export function forEachLane(mask: number, visit: (lane: number) => void): void {
  for (let rest = mask; rest !== 0; rest &= rest - 1) visit(31 - Math.clz32(rest & -rest));
}
export const lowestLane = (mask: number): number => 31 - Math.clz32(mask & -mask);

/** A mask of the first `count` lanes: 32 bits, as every mask is, so that two of them can be compared. */
export const firstLanes = (count: number): number => (count >= lanes ? -1 : ((1 << count) - 1) | 0);
