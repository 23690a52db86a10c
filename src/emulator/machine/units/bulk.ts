/** Bulk and small asynchronous copies without a tensor map (PTX ISA 9.7.9.25.3, 9.7.9.25.4). */
import { fail } from "../../errors/index.ts";
import { joinGroup } from "./async-groups.ts";
import { type Pieces, spoiltByte } from "./async-queue.ts";
import { completeTxMbarrier } from "./mbarrier.ts";
import { type Combine, combiner, reduceBytes } from "./reduce.ts";
import { hex, offsetIn, rankOf, targetsOf, windowOf } from "./shared-place.ts";
import type { AsyncCopy, BulkLoad, BulkStore, ByteView, ClusterUnits, Transfer, TransferRange, TransferWatch } from "./types.ts";

interface Reduction {
  readonly combine: Combine;
  readonly step: number;
}

const reductionOf = (reduce: BulkStore["reduce"]): Reduction | undefined =>
  reduce && { combine: combiner(reduce.op, reduce.type), step: reduceBytes[reduce.type] };

/** What lands: the bytes of one view in another. */
function move(into: ByteView, from: ByteView, length: number, reduction: Reduction | undefined): void {
  if (!reduction) {
    into.bytes.set(from.bytes.subarray(from.offset, from.offset + length), into.offset);
    return;
  }
  const target = new DataView(into.bytes.buffer, into.bytes.byteOffset + into.offset, length);
  const source = new DataView(from.bytes.buffer, from.bytes.byteOffset + from.offset, length);
  for (let i = 0; i < length; i += reduction.step) reduction.combine(target, i, source, i);
}

const pieceBytes = 16;

/** Reads what is to be moved, for pieces of 16 bytes. */
function takePieces(into: ByteView, from: ByteView, length: number, reduction: Reduction | undefined): Pieces {
  const taken = from.bytes.slice(from.offset, from.offset + length);
  return {
    count: Math.ceil(length / pieceBytes),
    put: (piece) => {
      const at = piece * pieceBytes;
      const target = { bytes: into.bytes, offset: into.offset + at };
      move(target, { bytes: taken, offset: at }, Math.min(pieceBytes, length - at), reduction);
    },
  };
}

/** What is combined with the destination leaves it defined. */
function spoil(into: ByteView, length: number, reduction: Reduction | undefined): void {
  if (!reduction) into.bytes.fill(spoiltByte, into.offset, into.offset + length);
}

function checkBulk(bytes: number): void {
  if (!Number.isInteger(bytes) || bytes < 0 || bytes % 16 !== 0) fail("W9114", { bytes });
}

function globalView(units: ClusterUnits, address: number, length: number, what: string): ByteView {
  if (address % 16 !== 0) fail("W9111", { what, address: hex(address), alignment: 16 });
  return units.global.view(address, length);
}

function sharedView(units: ClusterUnits, address: number, length: number, what: string): ByteView {
  const window = windowOf(units, rankOf(address));
  return { bytes: window.bytes, offset: offsetIn(window, address, length, 16, what) };
}

const globalRange = (address: number, bytes: number): readonly TransferRange[] =>
  bytes > 0 ? [{ space: "global", address, bytes }] : [];
const sharedRange = (address: number, offset: number, bytes: number): readonly TransferRange[] =>
  bytes > 0 ? [{ space: "shared", rank: rankOf(address), offset, bytes }] : [];

/** Into shared memory, to complete on an mbarrier there. W9111, W9112, W9114–W9116, W9118. */
export function issueBulkLoad(units: ClusterUnits, operation: BulkLoad, watch?: TransferWatch): void {
  const { bytes, source } = operation;
  checkBulk(bytes);
  const what = "the source of a bulk copy";
  const from = operation.from === "global" ? globalView(units, source, bytes, what) : sharedView(units, source, bytes, what);
  const reduction = reductionOf(operation.reduce);
  for (const { window, destination, barrier } of targetsOf(units, operation)) {
    const into = { bytes: window.bytes, offset: offsetIn(window, destination, bytes, 16, "the destination of a bulk copy") };
    const transfer: Transfer | undefined = watch && {
      kind: "bulk",
      reads: operation.from === "global" ? globalRange(source, bytes) : sharedRange(source, from.offset, bytes),
      writes: sharedRange(destination, into.offset, bytes),
      reduces: reduction !== undefined,
      bytes,
      completion: { barrier },
    };
    if (transfer) watch?.issues(transfer);
    units.queue.issue(undefined, {
      tells: units.barriers.barriers.get(barrier),
      move: () => move(into, from, bytes, reduction),
      spoil: () => spoil(into, bytes, reduction),
      take: () => takePieces(into, from, bytes, reduction),
      landed: () => {
        if (transfer) watch?.lands(transfer);
        completeTxMbarrier(units.barriers, barrier, bytes);
      },
    });
  }
}

/** From shared to global memory, in the open bulk group of the thread. W9111, W9112, W9114–W9116. */
export function issueBulkStore(units: ClusterUnits, operation: BulkStore, watch?: TransferWatch): void {
  const { bytes } = operation;
  checkBulk(bytes);
  const from = sharedView(units, operation.source, bytes, "the source of a bulk copy");
  const into = globalView(units, operation.destination, bytes, "the destination of a bulk copy");
  const reduction = reductionOf(operation.reduce);
  const transfer: Transfer | undefined = watch && {
    kind: "bulk",
    reads: sharedRange(operation.source, from.offset, bytes),
    writes: globalRange(operation.destination, bytes),
    reduces: reduction !== undefined,
    bytes,
    completion: { groups: operation.groups },
  };
  if (transfer) watch?.issues(transfer);
  const group = joinGroup(operation.groups);
  units.queue.issue(undefined, {
    tells: operation.groups,
    move: () => move(into, from, bytes, reduction),
    spoil: () => spoil(into, bytes, reduction),
    take: () => takePieces(into, from, bytes, reduction),
    taken: () => {
      group.reads -= 1;
    },
    landed: () => {
      if (transfer) watch?.lands(transfer);
      group.writes -= 1;
    },
  });
}

/** `cp.async`: global to shared memory, by one thread. W9111, W9112, W9116. */
export function issueAsyncCopy(units: ClusterUnits, operation: AsyncCopy, watch?: TransferWatch): void {
  const { bytes, source, destination } = operation;
  const taken = Math.min(operation.sourceBytes, bytes);
  if (source % bytes !== 0) fail("W9111", { what: "the source of cp.async", address: hex(source), alignment: bytes });
  const from = taken > 0 ? units.global.view(source, taken) : undefined;
  const window = windowOf(units, rankOf(destination));
  const offset = offsetIn(window, destination, bytes, bytes, "the destination of cp.async");
  const transfer: Transfer | undefined = watch && {
    kind: "cp.async",
    reads: globalRange(source, taken),
    writes: sharedRange(destination, offset, bytes),
    reduces: false,
    bytes,
    completion: { groups: operation.groups },
  };
  if (transfer) watch?.issues(transfer);
  const group = joinGroup(operation.groups);
  const into = { bytes: window.bytes, offset };
  const zeros = new Uint8Array(bytes - taken);
  units.queue.issue(undefined, {
    tells: operation.groups,
    move: () => {
      window.bytes.set(zeros, offset + taken);
      if (from) move(into, from, taken, undefined);
    },
    spoil: () => spoil(into, bytes, undefined),
    take: () => {
      const read = from?.bytes.subarray(from.offset, from.offset + taken) ?? zeros;
      return takePieces(into, { bytes: Uint8Array.of(...read, ...zeros), offset: 0 }, bytes, undefined);
    },
    taken: () => {
      group.reads -= 1;
    },
    landed: () => {
      if (transfer) watch?.lands(transfer);
      group.writes -= 1;
    },
  });
}
