/** W9209: memory that is read before anything has written it (HAZARDS 26). */

import { type LaneAccesses, lineBytes } from "../../machine/lane-accesses.ts";
import type { Region } from "../../machine/memory.ts";
import type { Rule } from "../../machine/monitor.ts";
import {
  type DescriptorBits,
  operandChunks,
  type Transfer,
  type TransferRange,
  type WgmmaInput,
  type WgmmaProduct,
} from "../../machine/units/index.ts";
import type { Cluster, Warp, Warpgroup } from "../../machine/warp.ts";
import { firstUnwritten, forgetWritten, markWritten, type WrittenBytes } from "../../machine/written-bytes.ts";
import type { CheckContext } from "./context.ts";
import { memoryName, threadName } from "./names.ts";

const mbarrierBytes = 8;
const chunkBytes = 16;

/** Shared and local memory begin unwritten; global memory is tracked where it was allocated, and what is not counts as written. */
const writtenOf = (region: Region): WrittenBytes | undefined =>
  region.written ?? (region.space === "global" ? undefined : region.track());

interface Place {
  readonly region: Region;
  readonly offset: number;
}

const isDescriptor = (a: WgmmaProduct["a"]): a is DescriptorBits => !Array.isArray(a);

class Poison {
  readonly #c: CheckContext;
  readonly #told = new Set<number>();
  /** Copies whose bytes are not there yet. */
  readonly #under = new Map<Transfer, Cluster>();

  constructor(c: CheckContext) {
    this.#c = c;
  }

  read(who: () => string, region: Region, offset: number, bytes: number, at: number): void {
    const written = writtenOf(region);
    if (!written) return;
    const missing = firstUnwritten(written, offset, bytes);
    if (missing >= 0) this.#report(who, region, missing, offset + bytes - missing, at);
  }

  write(region: Region, offset: number, bytes: number): void {
    const written = writtenOf(region);
    if (written) markWritten(written, offset, bytes);
  }

  /** Each place once. What has been reported counts as written, so that the same bytes are not reported all over the kernel. */
  #report(who: () => string, region: Region, offset: number, bytes: number, at: number): void {
    const under = this.#isUnderWay(region, offset);
    this.write(region, offset, bytes);
    if (this.#told.has(at)) return;
    this.#told.add(at);
    const { program, reports } = this.#c;
    const what = memoryName(region.space, region.base + offset, bytes, this.#c);
    const why = under ? "which a copy under way has yet to write" : "which nothing has written";
    reports.add("W9209", { kernel: program.name, who: who(), what, why }, at);
  }

  #isUnderWay(region: Region, offset: number): boolean {
    for (const [transfer, cluster] of this.#under) {
      for (const range of transfer.writes) {
        const place = placeOf(cluster, range);
        if (place?.region === region && offset >= place.offset && offset < place.offset + range.bytes) return true;
      }
    }
    return false;
  }

  /** Sources are read when the copy is issued, at the earliest. */
  issue(warp: Warp, lane: number, transfer: Transfer): void {
    const { cluster } = warp.block;
    const who = () => `a copy of ${threadName(warp, lane)}`;
    for (const range of transfer.reads) this.#readRange(who, cluster, range, warp.at);
    for (const range of transfer.writes) {
      if (transfer.reduces) this.#readRange(who, cluster, range, warp.at);
      else this.#forget(cluster, range);
    }
    this.#under.set(transfer, cluster);
  }

  #readRange(who: () => string, cluster: Cluster, range: TransferRange, at: number): void {
    const place = placeOf(cluster, range);
    if (place) this.read(who, place.region, place.offset, range.bytes, at);
  }

  #forget(cluster: Cluster, range: TransferRange): void {
    const place = placeOf(cluster, range);
    const written = place && writtenOf(place.region);
    if (written) forgetWritten(written, place.offset, range.bytes);
  }

  land(transfer: Transfer): void {
    const cluster = this.#under.get(transfer);
    if (!cluster) return;
    this.#under.delete(transfer);
    for (const range of transfer.writes) {
      const place = placeOf(cluster, range);
      if (place) this.write(place.region, place.offset, range.bytes);
    }
  }

  multiply(warp: Warp, { warps }: Warpgroup, product: WgmmaProduct): void {
    const { shared, index } = warp.block;
    const group = `a wgmma of warps ${warps[0]?.index} to ${warps.at(-1)?.index} of block (${index.join(", ")})`;
    const operand = (name: string, bits: DescriptorBits, type: WgmmaInput, extent: number, transposed: boolean): void => {
      const who = () => `${group}, for ${name},`;
      const chunks = operandChunks(bits, type, extent, transposed, shared, name);
      for (const offset of chunks) this.read(who, shared, offset, chunkBytes, warp.at);
    };
    if (isDescriptor(product.a)) operand("A", product.a, product.aType, 64, product.transA);
    operand("B", product.b, product.bType, product.n, product.transB);
  }
}

/** Words of `WrittenBytes` that a line has. */
const wordsOfLine = lineBytes / 32;

/** Whether all bytes are known to be written; where lanes have to do with parts of words, each is asked. */
function areWritten(written: WrittenBytes, { parts, line }: LaneAccesses): boolean {
  if (!parts) return false;
  for (let p = 0; p < parts.length; p++) {
    const part = parts[p] as (typeof parts)[number];
    const first = (line + part.line) * wordsOfLine;
    for (let i = 0; i < wordsOfLine; i++) if (((part.bytes[i] as number) & ~(written[first + i] as number)) !== 0) return false;
  }
  return true;
}

/** Marks all bytes; gives false where lanes have to do with parts of words. */
function markAll(written: WrittenBytes, { parts, line }: LaneAccesses): boolean {
  if (!parts) return false;
  for (const part of parts) {
    const first = (line + part.line) * wordsOfLine;
    for (let i = 0; i < wordsOfLine; i++) {
      const bytes = part.bytes[i] as number;
      if (bytes !== 0) written[first + i] = (written[first + i] as number) | bytes;
    }
  }
  return true;
}

function placeOf(cluster: Cluster, range: TransferRange): Place | undefined {
  if (range.space === "shared") {
    const region = cluster.shared.blocks[range.rank];
    return region && { region, offset: range.offset };
  }
  const region = cluster.launch.global.find(range.address, range.bytes);
  return region && { region, offset: range.address - region.base };
}

/** Shared memory of a launch, local memory of a thread, and device memory since it was allocated. */
export function uninitialisedReads(c: CheckContext): Rule {
  const poison = new Poison(c);
  const place = (warp: Warp, address: number): Place | undefined => {
    const region = warp.block.cluster.shared.find(address, mbarrierBytes);
    return region && { region, offset: address - region.base };
  };
  /** On the stack the frame of the kernel alone: what calls leave behind in theirs is not told. */
  const known = (warp: Warp, lane: number, region: Region, offset: number): boolean =>
    region.space !== "local" || offset - warp.stack.offset(lane, 0) < c.program.localBytes;
  const thread = (warp: Warp, lane: number) => () => threadName(warp, lane);
  const read = (warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void => {
    if (known(warp, lane, region, offset)) poison.read(thread(warp, lane), region, offset, bytes, at);
  };
  const readEach = (warp: Warp, of: LaneAccesses): void =>
    of.each((lane, offset, at) => read(warp, lane, of.region, offset, of.bytes, at));
  const writeEach = (written: WrittenBytes, of: LaneAccesses): void =>
    of.each((_, offset) => markWritten(written, offset, of.bytes));
  const reads = (warp: Warp, of: LaneAccesses): void => {
    const written = writtenOf(of.region);
    if (written && !areWritten(written, of)) readEach(warp, of);
  };
  const writes = (of: LaneAccesses): void => {
    const written = writtenOf(of.region);
    if (written && !markAll(written, of)) writeEach(written, of);
  };
  return {
    read,
    reads,
    writes: (_warp, of) => writes(of),
    atomics(warp, of) {
      reads(warp, of);
      writes(of);
    },
    write: (_warp, _lane, region, offset, bytes) => poison.write(region, offset, bytes),
    atomic(warp, lane, region, offset, bytes, at) {
      if (known(warp, lane, region, offset)) poison.read(thread(warp, lane), region, offset, bytes, at);
      poison.write(region, offset, bytes);
    },
    mbarrierInits(warp, _mask, address) {
      const at = place(warp, address);
      if (at) poison.write(at.region, at.offset, mbarrierBytes);
    },
    /** What an mbarrier leaves behind is nothing that could be read. */
    mbarrierInvalidates(warp, _lane, address) {
      const at = place(warp, address);
      if (at?.region.written) forgetWritten(at.region.written, at.offset, mbarrierBytes);
    },
    transferIssues: (warp, lane, transfer) => poison.issue(warp, lane, transfer),
    transferLands: (transfer) => poison.land(transfer),
    wgmmaIssues: (warp, group, product) => poison.multiply(warp, group, product),
  };
}
