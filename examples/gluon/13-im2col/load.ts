import { fence, type Kernel, kernel, Mbarriers, type Static, sharedMemory, syncThreads, type Tensor, TMA, threadIdx } from "warpsmith";

type Pair = readonly [h: number, w: number];

/** What one load takes of images of 4 × 4 pixels with 32 channels. */
export interface Window {
  /** How many images there are. */
  readonly images: number;
  /** Corners of where the filter's first element goes, from the first and from the last pixel of an image. */
  readonly lower: Pair;
  readonly upper: Pair;
  /** From one place of the filter to the next. */
  readonly stride: number;
  /** How many places one load takes. */
  readonly pixels: number;
  /** Which element of the filter is loaded for. */
  readonly offsets: Pair;
}

/** Five windows, each with one idea more or another one. */
export const windows: Readonly<Record<string, Window>> = {
  // a filter of 2 × 2 has 3 × 3 places on the image
  inside: { images: 1, lower: [0, 0], upper: [-1, -1], stride: 1, pixels: 9, offsets: [0, 0] },
  // one of 3 × 3 with a border of one has 4 × 4: what lies outside is zero
  padded: { images: 1, lower: [-1, -1], upper: [-1, -1], stride: 1, pixels: 16, offsets: [0, 0] },
  // the same places, for another element of the filter
  shifted: { images: 1, lower: [-1, -1], upper: [-1, -1], stride: 1, pixels: 16, offsets: [1, 2] },
  // every second place
  strided: { images: 1, lower: [-1, -1], upper: [-1, -1], stride: 2, pixels: 4, offsets: [0, 0] },
  // one of 3 × 3 has 2 × 2 places without a border: the second image follows the first
  images: { images: 2, lower: [0, 0], upper: [-2, -2], stride: 1, pixels: 8, offsets: [0, 0] },
};

export const CHANNELS = 32;

type Load = Kernel<[x: TMA<"f32", 4>, rows: Tensor<"f32", 2>, offsets: Static<Pair>, lower: Static<Pair>]>;

/** One load from the first place of the first image. Row i of `rows` gets the channels of what it brings for the i-th place. */
export const load: Load = kernel({ block: CHANNELS, grid: 1 },
  function load(x: TMA<"f32", 4>, rows: Tensor<"f32", 2>, offsets: Static<Pair>, lower: Static<Pair>) {
    const tile = sharedMemory.alloc("f32", [rows.shape[0], CHANNELS], { align: 128 });
    const loaded = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      loaded.init(1);
      fence.mbarrierInit();
      loaded.arrive({ tx: tile.bytes });
      x.load(tile, loaded, [0, lower[1], lower[0], 0], { offsets: [offsets[1], offsets[0]] });   // innermost first
    }
    syncThreads();
    loaded.wait(false);
    for (let i = 0; i < rows.shape[0]; i++) rows[i][threadIdx.x] = tile[i][threadIdx.x];
  });
