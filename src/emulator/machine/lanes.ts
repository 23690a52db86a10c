/** Threads of a warp. */
export const lanes = 32;

export function forEachLane(mask: number, visit: (lane: number) => void): void {
  for (let rest = mask; rest !== 0; rest &= rest - 1) visit(31 - Math.clz32(rest & -rest));
}
export const lowestLane = (mask: number): number => 31 - Math.clz32(mask & -mask);
