/**
 * How a watched kernel tells the host where its warps are. Two hidden parameters: the address of the records in device memory, which is
 * aligned to 16 bytes, and a number of the launch, which is not 0.
 *
 * The records are an array of slots, one for each warp that a multiprocessor can hold: slot `(smid % rows) * warpsPerRow + warpid`. Warps
 * that are on the device at the same time have slots of their own. A warp that begins takes the slot over from one that has ended.
 *
 * A slot, in words of 32 bits: the number of the launch, the block's x, y and z, the warp's number in its block, the lanes that have
 * ended, the lanes that there are, 0; then for each place of waits the site + 1, or 0; then for each place of waits what the site tells:
 * the lanes, the clock, two words and two pairs of words, whose meaning follows from what is waited for. A site has the place `site % places`, so that lanes of a warp
 * that wait at two sites do not overwrite each other.
 *
 * Behind the slots there is a word for each of them, in their order, which the host writes when it has found that the launch hangs, and which
 * warps read that have waited for long: 0, or who is to stay where it waits and who is to ask the mbarrier (`stays`, `asks`).
 */
export const watchLayout = {
  rows: 256,
  warpsPerRow: 64,
  /** Places of waits in a slot. */
  places: 4,
  /** Bytes of a slot. */
  slotBytes: 192,
  /** Words of a slot. */
  launch: 0,
  block: 1,
  warp: 4,
  ended: 5,
  present: 6,
  sites: 8,
  told: 12,
  /** Words that a place of waits has for what its site tells. */
  toldWords: 8,
  /** Words in what a site tells. */
  lanes: 0,
  clock: 1,
  /** Of a barrier of the block its number; of an mbarrier the parity that is waited for. */
  number: 2,
  /** Of an mbarrier its place in the block's dynamic shared memory. */
  place: 3,
  /** Low word first. Of a loop that looks at memory, what was found there. */
  found: 4,
  /** Low word first. The address that a loop looks at; of an mbarrier whose state is `found`, the launch below `answered`. */
  address: 6,
} as const;

/** The high word of `address` where `found` is the state of an mbarrier: no address has it. */
export const answered = 0xffff_ffff;

/** What the host writes for a warp that is to stay where it waits. Whatever is not 0 means that. */
export const stays = 1;

/** What the host writes for a warp one of whose lanes, which waits at the site, is to ask the mbarrier there: from then on it stays, too. */
export const asks = (site: number, lane: number): number => stays + 32 * (site + 1) + lane;

export const watchSlots: number = watchLayout.rows * watchLayout.warpsPerRow;

/** Bytes of the records of a device. */
export const watchBytes: number = watchSlots * watchLayout.slotBytes;

/** Bytes of the records and of the words behind them. */
export const watchRoomBytes: number = watchBytes + 4 * watchSlots;
