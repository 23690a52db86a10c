import type { Device, DeviceTensor, DType, Stream, Tensor } from "warpsmith";
import { checkOptions, exactMethods, optionsOf, refuseMore } from "../../../base/diag/index.ts";
import { explain } from "../../common/explain.ts";
import { frozenCopy } from "../../common/frozen.ts";
import { madeOnce } from "../../common/made.ts";
import type { Begins } from "../begins.ts";
import { checkMask, checkSequencesOf, type MaskSequences, type MaskSizes } from "./check.ts";
import { makeLister, type Ranks } from "./kernel.ts";
import { type MaskBlock, USUAL_BLOCK, type Visible } from "./list.ts";

/** Tensors that a mask function looks at, by name. */
export type AttentionMaskData = Readonly<Record<string, DeviceTensor>>;

/** The same in the kernel. */
export type InKernel<T extends AttentionMaskData> = {
  readonly [K in keyof T]: T[K] extends DeviceTensor<infer D extends DType, infer R extends number> ? Tensor<D, R> : never;
};

/** Whether a query sees a key: a `helper(…)`, or another function that the transform has seen. `head` is that of the query; of a mask of one head, or one batch, it is 0. Of packed sequences `query` and `key` are places in one, and `batch` is its number. */
export type AttentionMaskFunction<T extends AttentionMaskData = AttentionMaskData> = (
  query: number,
  key: number,
  head: number,
  batch: number,
  data: InKernel<T>,
) => boolean;

/** How large a mask is, and what its function looks at. W2601, W7046, W769x. */
export interface AttentionMaskOptions<T extends AttentionMaskData = AttentionMaskData> {
  /** How many queries: of packed sequences the rows of all, as `q` has them. */
  readonly queries: number;
  /** How many keys: of packed sequences the rows of all, as `k` has them. */
  readonly keys: number;
  /**
   * For `attentionVarlen`: where sequences of queries begin that lie one behind the other, and where the last one ends, [sequences + 1]. The function is told of places in a sequence, and of its number as the batch, then. It is read at every launch: `update()` where it has changed.
   */
  readonly cuSeqlens?: DeviceTensor<"i32", 1>;
  /** The same of keys. Default: sequences of keys are as long as those of queries. */
  readonly cuSeqlensKeys?: DeviceTensor<"i32", 1>;
  /** Heads of the queries, where the mask differs by head. Default 1: it is that of all heads. */
  readonly heads?: number;
  /** Where the mask differs by batch. Default 1: it is that of all batches. Not beside `cuSeqlens`. */
  readonly batches?: number;
  /** Tensors that the function looks at, such as the number of each token's document. They are read at every launch: `update()` where they have changed. */
  readonly data?: T;
  /**
   * Queries and keys of a block, each 64, 128 or 256. Smaller ones skip more of what nobody sees, and are multiplied in smaller pieces: a block of 64 queries by one warpgroup alone. Default 128 each.
   */
  readonly block?: {
    /** Queries of a block. */
    readonly queries: 64 | 128 | 256;
    /** Keys of a block. */
    readonly keys: 64 | 128 | 256;
  };
  /** Where blocks are listed. Default: the device's own stream, in order. */
  readonly stream?: Stream;
}

const maskOptions = optionsOf<AttentionMaskOptions>("attentionMask()", {
  queries: true,
  keys: true,
  cuSeqlens: true,
  cuSeqlensKeys: true,
  heads: true,
  batches: true,
  data: true,
  block: true,
  stream: true,
});
const blockOptions = optionsOf<MaskBlock>("The block of a mask", { queries: true, keys: true });

/**
 * What a query sees, and which blocks of keys each block of queries visits for it. It has memory for these lists: it is the caller's to dispose of, and what its function looks at stays the caller's.
 */
export interface AttentionMask extends Disposable {
  /** Queries of each head: those of all sequences, where they are packed. */
  readonly queries: number;
  /** Keys of each head: those of all sequences, where they are packed. */
  readonly keys: number;
  /** Heads of the queries, or 1 for all of them. */
  readonly heads: number;
  /** Batches, or 1 for all of them, and for packed sequences. */
  readonly batches: number;
  /** Where packed sequences begin, as it was given. */
  readonly cuSeqlens?: DeviceTensor<"i32", 1>;
  /** The same of keys, where they have begins of their own. */
  readonly cuSeqlensKeys?: DeviceTensor<"i32", 1>;
  /** How many queries and keys a block has. */
  readonly block: {
    /** Queries of a block. */
    readonly queries: number;
    /** Keys of a block. */
    readonly keys: number;
  };
  /** For each block of queries, of how many blocks of keys it sees every key, and of how many some: [batches, heads, blocks of queries, 2]. Sequence s of packed ones has the blocks from begin / queries of a block, rounded down, + s on. */
  readonly counts: DeviceTensor<"i32", 4>;
  /** The numbers of the former at the beginning of a row, of the latter at its end: [batches, heads, blocks of queries, blocks of keys]. What is between is not looked at. Of packed sequences they are numbers within one. */
  readonly blocks: DeviceTensor<"i32", 4>;
  /** Lists the blocks anew, where what the function looks at has changed: on the mask's stream, or on one that is given. */
  update(options?: {
    /** Where they are listed. */
    readonly stream?: Stream;
  }): void;
  /** Gives its memory back. */
  dispose(): void;
}

const updateOptions = optionsOf<{ readonly stream?: Stream }>("update() of a mask", { stream: true });

/** A mask as attention takes it. */
export class BlockMask implements AttentionMask {
  readonly visible: Visible;
  readonly data: AttentionMaskData;
  readonly queries: number;
  readonly keys: number;
  readonly heads: number;
  readonly batches: number;
  readonly block: MaskBlock;
  readonly counts: DeviceTensor<"i32", 4>;
  readonly blocks: DeviceTensor<"i32", 4>;
  /** Both, as the kernel takes them: the same object at every launch. */
  readonly lists: {
    readonly counts: DeviceTensor<"i32", 4>;
    readonly blocks: DeviceTensor<"i32", 4>;
    readonly begins?: DeviceTensor<"i32", 2>;
  };
  readonly cuSeqlens?: Begins;
  readonly cuSeqlensKeys?: Begins;
  /** Dimensions of the tensors that the function looks at. */
  readonly ranks: Ranks;
  readonly #stream: Stream | undefined;

  constructor(
    device: Device,
    visible: Visible,
    { queries, keys, heads, batches }: MaskSizes,
    { cuSeqlens, cuSeqlensKeys }: MaskSequences,
    data: AttentionMaskData,
    block: MaskBlock,
    stream: Stream | undefined,
  ) {
    this.block = block;
    this.visible = visible;
    this.data = data;
    this.queries = queries;
    this.keys = keys;
    this.heads = heads;
    this.batches = batches;
    if (cuSeqlens) this.cuSeqlens = cuSeqlens;
    if (cuSeqlensKeys) this.cuSeqlensKeys = cuSeqlensKeys;
    const sequences = cuSeqlens ? cuSeqlens.shape[0] - 1 : 0;
    const rows = cuSeqlens ? Math.floor(queries / block.queries) + sequences : Math.ceil(queries / block.queries);
    this.counts = device.empty("i32", [batches, heads, rows, 2]) as DeviceTensor<"i32", 4>;
    this.blocks = device.empty("i32", [batches, heads, rows, Math.ceil(keys / block.keys)]) as DeviceTensor<"i32", 4>;
    this.lists = Object.freeze({
      counts: this.counts,
      blocks: this.blocks,
      ...(cuSeqlens ? { begins: device.empty("i32", [2, sequences + 1]) as DeviceTensor<"i32", 2> } : {}),
    });
    this.ranks = Object.fromEntries(Object.entries(data).map(([name, { rank }]) => [name, rank]));
    this.#stream = stream;
  }

  update(options: { readonly stream?: Stream } = {}): void {
    checkOptions(options, updateOptions);
    const stream = options.stream ?? this.#stream;
    const { counts, blocks, data, queries, keys, visible, block, cuSeqlens, lists } = this;
    const grid: readonly [number, number, number] = [counts.shape[2], this.heads, this.batches];
    const packed = cuSeqlens
      ? { queries: cuSeqlens, keys: this.cuSeqlensKeys ?? cuSeqlens, ...(lists.begins ? { begins: lists.begins } : {}) }
      : {};
    try {
      listerOf(visible, this.ranks, block, cuSeqlens !== undefined).launch(
        { grid, ...(stream ? { stream } : {}) },
        counts,
        blocks,
        // Tensors of the device stand for those in the kernel's objects; HostArgs says so of whole parameters alone.
        data as never,
        packed,
        queries,
        keys,
      );
    } catch (error) {
      throw explain(error, { fn: visible, what: "mask function" });
    }
  }

  dispose(): void {
    this.counts.dispose();
    this.blocks.dispose();
    this.lists.begins?.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
exactMethods(BlockMask);

type Lister = ReturnType<typeof makeLister>;

/** The kernel that lists blocks by a mask function, which looks at tensors of so many dimensions. */
function listerOf(visible: Visible, ranks: Ranks, block: MaskBlock, isPacked: boolean): Lister {
  const make = () => makeLister(visible, frozenCopy(ranks), frozenCopy(block), isPacked);
  return madeOnce(["attentionMask()", ranks, block, isPacked], make, visible);
}

/**
 * A mask of what `visible` says, for `attention(q, k, v, { mask })`, or with `cuSeqlens` for `attentionVarlen(q, k, v, { cuSeqlens, mask })`. The device looks at every query and key once, and lists for each block of queries, of 128 where `block` says nothing, the blocks of keys that they see: all of, or some of. Attention
 * loads and computes these blocks alone, and asks `visible` again in those of which some is hidden. A query that sees no key gives 0. A new function is a new kernel, so make it once; other lengths, or
 * other data, are none. W2601, W7046, W7601, W7612, W7662, W7663, W7666, W7692, W7012.
 */
export function attentionMask<T extends AttentionMaskData = Record<never, never>>(
  device: Device,
  visible: AttentionMaskFunction<NoInfer<T>>,
  options: AttentionMaskOptions<T>,
): AttentionMask {
  refuseMore(attentionMask, arguments);
  checkOptions(options, maskOptions);
  const { queries, keys, heads = 1, batches = 1, data = {}, block = USUAL_BLOCK, stream } = options;
  const { cuSeqlens, cuSeqlensKeys } = options;
  const sequences = { ...(cuSeqlens ? { cuSeqlens } : {}), ...(cuSeqlensKeys ? { cuSeqlensKeys } : {}) };
  const sizes = { queries, keys, heads, batches };
  checkOptions(block, blockOptions);
  checkMask(device, visible, sizes, data, block);
  checkSequencesOf(device, options);
  const mask = new BlockMask(device, visible, sizes, sequences, Object.freeze({ ...data }), Object.freeze({ ...block }), stream);
  try {
    mask.update();
  } catch (error) {
    mask.dispose();
    throw error;
  }
  return mask;
}
