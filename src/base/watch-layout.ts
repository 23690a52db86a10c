/**
 * How a watched kernel tells the host where its warps are. Two hidden parameters: the address of the records in device memory, which is
 * aligned to 16 bytes, and a number of the launch, which is not 0.
 *
 * The records are an array of slots, one for each warp that a multiprocessor can hold: slot `(smid % rows) * warpsPerRow + warpid`. Warps
 * that are on the device at the same time have slots of their own. A warp that begins takes the slot over from one that has ended.
 *
 * A slot, in words of 32 bits: the number of the launch, a multiple of 32, plus the warp's number in its block; the block's x; its y, and above that its z; the lanes that have not
 * ended; then for each place of waits the site + 1, or 0 where nobody waits, and what the site tells: the clock, the
 * lanes, a word and two pairs of words, whose meaning follows from what is waited for. A site has the place `site % places`, so that lanes of a
 * warp that wait at two sites do not overwrite each other. A warp that ends waits nowhere, so the next one in its slot finds zeros.
 *
 * Behind the slots there is a word for each of them, in their order, which the host writes when it has found that the launch hangs, and which
 * warps read that have waited for long: 0; `tells`; or the site whose mbarrier is to be asked (`asks`). A wait for an mbarrier by `mbarrier.wait` has the lanes 0 until it has
 * been told to tell the lanes and the mbarrier.
 */
export const watchLayout = {
  rows: 256,
  warpsPerRow: 64,
  /** Places of waits in a slot. */
  places: 4,
  /** Bytes of a slot. */
  slotBytes: 160,
  /** Words of a slot. */
  launch: 0,
  x: 1,
  yz: 2,
  live: 3,
  /** The first place of waits, and the words of each. */
  told: 8,
  toldWords: 8,
  /** Words of a place: the site + 1; the clock, which tells a wait from the next at the same site. */
  site: 0,
  clock: 1,
  lanes: 2,
  /** Of a barrier of the block its number; of an mbarrier its place in the block's dynamic shared memory, plus the parity that is waited for. */
  number: 3,
  /** Low word first. Of a loop that looks at memory, what was found there. */
  found: 4,
  /** Low word first. The address that a loop looks at; of an mbarrier whose state is `found`, the launch below `answered` + `number`. */
  address: 6,
} as const;

/** The high word of `address` is at least this where `found` is the state of an mbarrier: no address has it. */
export const answered = 0xfff0_0000;

/** What the host writes for a warp that waits at the site, and is to say what its mbarrier lacks. */
export const asks = (site: number): number => site + 1;

/** Numbers of launches are multiples of this: a block has at most so many warps. */
export const launchesApart = 32;

/** Block z from the word of `yz`; y lies below. */
export const zBits = 16;

/** What the host writes for a warp that is to tell which lanes wait for which mbarriers, over and over. */
export const tells = 0xffff_ffff;

export const watchSlots: number = watchLayout.rows * watchLayout.warpsPerRow;

/** Bytes of the records of a device. */
export const watchBytes: number = watchSlots * watchLayout.slotBytes;

/** Bytes of the records and of the words behind them. */
export const watchRoomBytes: number = watchBytes + 4 * watchSlots;
