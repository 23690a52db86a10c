/**
 * What the units share with the machine around them. They are state machines over bytes: they know addresses, never
 * instructions. Errors are thrown without a place; whoever runs the instruction adds it (`error.at(spans)`).
 */
import type { Im2colMap, TiledMap } from "../../../base/tensor-map.ts";
import type { AsyncGroups } from "./async-groups.ts";
import type { AsyncQueue } from "./async-queue.ts";
import type { MbarrierTable } from "./mbarrier.ts";
import type { ReduceOp, ReduceType } from "./reduce.ts";

/** The bytes from an address on, for as long as the caller asked for. */
export interface ByteView {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/** Global memory. `view` throws where the `length` bytes from `address` on are not all inside one allocation. */
export interface GlobalBytes {
  view(address: number, length: number): ByteView;
}

/** Shared memory of one block. `bytes[0]` lies at the address `base` = 0x400 + (cluster rank << 24). */
export interface SharedWindow {
  readonly bytes: Uint8Array;
  readonly base: number;
}

/** What the blocks of one cluster share: an element of `shared` per block, by rank. A block alone is a cluster of one. */
export interface ClusterUnits {
  readonly shared: readonly SharedWindow[];
  readonly barriers: MbarrierTable;
  readonly global: GlobalBytes;
  readonly queue: AsyncQueue;
}

/** Registers of one warp: two views of one buffer. A row is 32 lanes; it is named by the index of its lane 0. */
export interface WarpRegisters {
  readonly f32: Float32Array;
  readonly i32: Int32Array;
}

export type TensorMap = (TiledMap | Im2colMap) & { readonly address: number };

/** `cp.async.bulk.tensor` from global to shared memory. */
export interface TensorLoad {
  readonly map: TensorMap;
  /** Signed, innermost first. */
  readonly coordinates: readonly number[];
  /** Of im2col, innermost first: one less than there are spatial dimensions and one. */
  readonly offsets?: readonly number[];
  /** Address in shared::cluster space. */
  readonly destination: number;
  readonly barrier: number;
  /** `.multicast::cluster`: a bit per rank. Then destination and barrier count by their place in a block alone. */
  readonly multicast?: number;
}

/** `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` from shared to global memory. */
export interface TensorStore {
  readonly map: TensorMap;
  readonly coordinates: readonly number[];
  /** Of im2col; zeros, because its stores have none. */
  readonly offsets?: readonly number[];
  readonly source: number;
  readonly reduce?: ReduceOp;
  /** Those of the issuing thread. */
  readonly groups: AsyncGroups;
}

/** `cp.async.bulk` that completes on an mbarrier: from global memory, or from this block's shared memory to a peer's. */
export interface BulkLoad {
  readonly from: "global" | "shared";
  readonly source: number;
  readonly destination: number;
  readonly bytes: number;
  readonly barrier: number;
  readonly multicast?: number;
  /** `cp.reduce.async.bulk` into the shared memory of a peer. */
  readonly reduce?: { readonly op: ReduceOp; readonly type: ReduceType };
}

/** `cp.async.bulk` and `cp.reduce.async.bulk` from shared to global memory. */
export interface BulkStore {
  readonly source: number;
  readonly destination: number;
  readonly bytes: number;
  readonly reduce?: { readonly op: ReduceOp; readonly type: ReduceType };
  readonly groups: AsyncGroups;
}

/** `cp.async` of 4, 8 or 16 bytes; what `sourceBytes` leaves is filled with zeros. */
export interface AsyncCopy {
  readonly source: number;
  readonly destination: number;
  readonly bytes: number;
  readonly sourceBytes: number;
  readonly groups: AsyncGroups;
}

export type WgmmaInput = "f16" | "bf16" | "tf32" | "e4m3" | "e5m2" | "s8" | "u8";

/** A matrix descriptor in its two halves. */
export interface DescriptorBits {
  readonly low: number;
  readonly high: number;
}

/** Where the stored elements of a sparse A stand. */
export interface SparseMetadata {
  /** The word of each lane, by warp. */
  readonly words: readonly Int32Array[];
  /** Which two of four threads have them, for types of 16 and 32 bits. */
  readonly selector: 0 | 1;
}

/** `wgmma.mma_async` of one warpgroup. Rows are indices into each warp's registers. */
export interface WgmmaProduct {
  readonly n: number;
  readonly dType: "f32" | "f16" | "s32";
  readonly aType: WgmmaInput;
  readonly bType: WgmmaInput;
  /** The accumulator's registers: n / 2, or n / 4 for f16. */
  readonly d: readonly number[];
  /** A descriptor, or the four rows of A's fragments. */
  readonly a: DescriptorBits | readonly number[];
  readonly b: DescriptorBits;
  readonly scaleD: boolean;
  readonly scaleA: 1 | -1;
  readonly scaleB: 1 | -1;
  /** Not K-major. 16-bit types only. */
  readonly transA: boolean;
  readonly transB: boolean;
  readonly satfinite: boolean;
  /** A and B are bits, in bytes (the types say u8): `.and.popc`. */
  readonly bits?: boolean;
  /** A is sparse: `.sp`. Then B is twice as deep. */
  readonly sparse?: SparseMetadata | undefined;
  /** The four warps, in order. */
  readonly warps: readonly WarpRegisters[];
  readonly shared: SharedWindow;
}

/** Bytes of a block's shared memory, from its beginning, or of global memory. */
export type TransferRange =
  | { readonly space: "shared"; readonly rank: number; readonly offset: number; readonly bytes: number }
  | { readonly space: "global"; readonly address: number; readonly bytes: number };

/** Bytes behind the end of a tensor's row, which a store to that end reaches, too. */
export interface RowTail {
  readonly address: number;
  readonly bytes: number;
  /** Some byte is another one in the image than in memory. */
  readonly changes: boolean;
}

/** One asynchronous copy, for those who watch. A multicast is one for each block that it goes to. */
export interface Transfer {
  readonly kind: "tensor" | "bulk" | "cp.async";
  readonly reads: readonly TransferRange[];
  readonly writes: readonly TransferRange[];
  /** What it writes behind the ends of rows. */
  readonly beyond?: readonly RowTail[];
  /** Where nobody knows what it does behind the ends of rows: these. It leaves them here. */
  readonly unknown?: readonly RowTail[];
  /** The destination is combined with what comes, not replaced. */
  readonly reduces: boolean;
  /** What an mbarrier counts. */
  readonly bytes: number;
  /** It completes on an mbarrier (address in shared::cluster) or in a group of its thread. */
  readonly completion: { readonly barrier: number } | { readonly groups: AsyncGroups };
  /** The image of a tensor map, for what reads it later. */
  readonly map?: TensorMap;
  /** Of a box of that map: where it begins, innermost first. One object for all blocks that a multicast goes to. */
  readonly coordinates?: readonly number[];
}

export interface TransferWatch {
  /** Before anything of it lands. */
  issues(transfer: Transfer): void;
  /** Its bytes are there; its mbarrier has not been told yet. */
  lands(transfer: Transfer): void;
}
