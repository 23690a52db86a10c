/** `st.async`, `red.async` (PTX ISA 9.7.9.13, 9.7.13.9): a value into shared memory of the cluster, to complete on an mbarrier there. */
import { spoiltByte } from "./async-queue.ts";
import { completeTxMbarrier } from "./mbarrier.ts";
import { combiner, type ReduceOp, type ReduceType } from "./reduce.ts";
import { offsetIn, rankOf, targetsOf } from "./shared-place.ts";
import type { ClusterUnits, Transfer, TransferWatch } from "./types.ts";

export interface RemoteStore {
  readonly value: Uint8Array;
  /** Addresses in shared::cluster; of one block. */
  readonly destination: number;
  readonly barrier: number;
  readonly reduce?: { readonly op: ReduceOp; readonly type: ReduceType } | undefined;
}

/** W9111, W9112, W9115, W9116, W9118. */
export function issueRemoteStore(units: ClusterUnits, operation: RemoteStore, watch?: TransferWatch): void {
  const { value, barrier, reduce } = operation;
  const combine = reduce && combiner(reduce.op, reduce.type);
  const bytes = value.length;
  for (const { window, destination } of targetsOf(units, operation)) {
    const offset = offsetIn(window, destination, bytes, bytes, "the destination of an asynchronous store");
    const into = new DataView(window.bytes.buffer, window.bytes.byteOffset + offset, bytes);
    const transfer: Transfer | undefined = watch && {
      kind: "bulk",
      reads: [],
      writes: [{ space: "shared", rank: rankOf(destination), offset, bytes }],
      reduces: combine !== undefined,
      bytes,
      completion: { barrier },
    };
    if (transfer) watch?.issues(transfer);
    units.queue.issue(undefined, {
      move: () => {
        if (combine) combine(into, 0, new DataView(value.buffer, value.byteOffset), 0);
        else window.bytes.set(value, offset);
      },
      spoil: () => {
        if (!combine) window.bytes.fill(spoiltByte, offset, offset + bytes);
      },
      landed: () => {
        if (transfer) watch?.lands(transfer);
        completeTxMbarrier(units.barriers, barrier, bytes);
      },
    });
  }
}
