/** What the first warp of a warpgroup records for all four: groups of wgmma, and waits for mbarriers in loops with products. */
import type { RecordedWarp } from "./types.ts";

const warpsOfGroup = 4;

/** Is it the first warp of its warpgroup? */
export const isFirst = (warp: number): boolean => warp % warpsOfGroup === 0;

/** The warps of one block, each with all records that are its own or were made for it, in the order of their times. */
export function withThoseOfWarpgroups(warps: readonly RecordedWarp[]): readonly RecordedWarp[] {
  const firsts = new Map(warps.flatMap((own) => (isFirst(own.warp) ? [[own.warp, own]] : [])));
  return warps.map((own) => {
    const recorder = own.warp - (own.warp % warpsOfGroup);
    const first = firsts.get(recorder);
    const forAll = first === own ? [] : (first?.records.filter(({ site }) => site.by === "warpgroup") ?? []);
    if (forAll.length === 0) return own;
    // Of records at one time its own come first: further values of a mark stay behind it.
    return {
      ...own,
      records: [...own.records, ...forAll.map((record) => ({ ...record, recorder }))].toSorted((a, b) => a.at - b.at),
    };
  });
}
