/**
 * W9209: memory that is read before anything has written it (HAZARDS 26). Copies and products report it at once; what a load brings is
 * followed until something depends on it (undefined/values.ts), and is reported at the load. W9240: so is what a shuffle takes of a lane that
 * is not there, at the shuffle.
 */
import type { Instruction } from "../../../ptx/parse/index.ts";

import type { LaneAccesses } from "../../machine/lane-accesses.ts";
import { forEachLane } from "../../machine/lanes.ts";
import type { MemoryLocation, Region } from "../../machine/memory.ts";
import type { Listener } from "../../machine/monitor.ts";
import {
  type DescriptorBits,
  operandChunks,
  type Transfer,
  type TransferRange,
  type WgmmaInput,
  type WgmmaProduct,
} from "../../machine/units/index.ts";
import type { Cluster, Warp, Warpgroup } from "../../machine/warp.ts";
import { describeSource } from "../../machine/where.ts";
import { isLaneInstruction } from "../../program/codegen/index.ts";
import type { CheckContext } from "./context.ts";
import { memoryName, threadName } from "./names.ts";
import { UndefinedMemory } from "./undefined/memory.ts";
import { type Origin, UndefinedValues } from "./undefined/values.ts";

const mbarrierBytes = 8;
const chunkBytes = 16;

const isDescriptor = (a: WgmmaProduct["a"]): a is DescriptorBits => !Array.isArray(a);

/** What a load has brought. */
interface Brought {
  readonly bits: bigint;
  readonly origin: Origin | undefined;
}
const nothingUndefined: Brought = { bits: 0n, origin: undefined };

interface Told extends Origin {
  report(by?: Instruction): void;
}

/** Why a lane of a warp takes no part in a shuffle. */
function whyAbsent(warp: Warp, lane: number): string {
  const [x, y, z] = warp.block.launch.block;
  if (32 * warp.index + lane >= x * y * z) return "which the block does not have";
  return ((warp.live >>> lane) & 1) === 0 ? "which has ended" : "which the mask leaves out";
}

class Poison {
  readonly #c: CheckContext;
  readonly #memory = new UndefinedMemory();
  readonly #told = new Set<number>();
  /** Copies whose bytes are not there yet. */
  readonly #under = new Map<Transfer, Cluster>();
  /** Warps that have ended, by the shared memory of their block. */
  readonly #ended = new WeakMap<Region, number[]>();

  constructor(c: CheckContext) {
    this.#c = c;
  }

  read(who: () => string, region: Region, offset: number, bytes: number, at: number): void {
    const missing = this.#memory.first(region, offset, bytes);
    if (missing >= 0) this.#origin(who, region, missing, offset + bytes - missing, at).report();
  }

  /** What a load brings of undefined bits, from its first byte on. Where that has been told of, nothing more comes of it. */
  load(who: () => string, region: Region, offset: number, bytes: number, at: number): Brought {
    const missing = this.#memory.first(region, offset, bytes);
    if (missing < 0) return nothingUndefined;
    if (this.#told.has(at)) {
      this.#memory.define(region, offset, bytes);
      return nothingUndefined;
    }
    const origin = this.#origin(who, region, missing, offset + bytes - missing, at);
    return { bits: this.#memory.bitsOf(region, offset, bytes), origin };
  }

  /** W9240: what a shuffle takes of a lane that is not there. Reported once at each place. */
  absent(warp: Warp, lane: number, source: number, i: Instruction): Origin | undefined {
    const { program, reports } = this.#c;
    if (this.#told.has(i.index)) return undefined;
    const why = whyAbsent(warp, source);
    const report = (by: Instruction): void => {
      if (this.#told.has(i.index)) return;
      this.#told.add(i.index);
      const use = `${by.opcode.text} at ${describeSource(program, by.index)}`;
      reports.add("W9240", { kernel: program.name, who: threadName(warp, lane), source, why, use }, i.index);
    };
    return { at: i.index, report };
  }

  /** Lanes of a warp end. */
  end({ live, index, block }: Warp, mask: number): void {
    if ((live & ~mask) !== 0) return;
    const ended = this.#ended.get(block.shared);
    if (ended) ended.push(index);
    else this.#ended.set(block.shared, [index]);
  }

  write(region: Region, offset: number, bytes: number): void {
    this.#memory.define(region, offset, bytes);
  }
  leave(region: Region, offset: number, bytes: number, bits: bigint): void {
    this.#memory.leave(region, offset, bytes, bits);
  }
  forget(region: Region, offset: number, bytes: number): void {
    this.#memory.forget(region, offset, bytes);
  }
  isDefined(of: LaneAccesses): boolean {
    return this.#memory.areDefined(of);
  }
  /** Gives false where lanes have to be looked at by themselves. */
  define(of: LaneAccesses): boolean {
    return this.#memory.defineAll(of);
  }

  /** Reported once at each place. What has been reported counts as written, so that the same bytes are not reported all over the kernel. */
  #origin(who: () => string, region: Region, offset: number, bytes: number, at: number): Told {
    const under = this.#isUnderWay(region, offset);
    const ended = this.#ended.get(region)?.slice() ?? [];
    const report = (by?: Instruction): void => {
      this.#memory.define(region, offset, bytes);
      if (this.#told.has(at)) return;
      this.#told.add(at);
      const { program, reports } = this.#c;
      const what = memoryName(region.space, region.base + offset, bytes, this.#c);
      const why = under ? "which a copy under way has yet to write" : "which nothing has written";
      const use = by && `; ${by.opcode.text} at ${describeSource(program, by.index)} depends on it`;
      reports.add("W9209", { kernel: program.name, who: who(), what, why: `${why}${use ?? ""}`, ended }, at);
    };
    return { at, report };
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
    if (place) this.forget(place.region, place.offset, range.bytes);
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
    const operand = (
      name: string,
      bits: DescriptorBits,
      type: WgmmaInput,
      extent: number,
      transposed: boolean,
      steps: 1 | 2,
    ): void => {
      const who = () => `${group}, for ${name},`;
      const chunks = operandChunks(bits, type, extent, transposed, shared, name, steps);
      for (const offset of chunks) this.read(who, shared, offset, chunkBytes, warp.at);
    };
    if (isDescriptor(product.a)) operand("A", product.a, product.aType, 64, product.transA, 1);
    operand("B", product.b, product.bType, product.n, product.transB, product.sparse ? 2 : 1);
  }
}

function placeOf(cluster: Cluster, range: TransferRange): MemoryLocation | undefined {
  if (range.space === "shared") {
    const region = cluster.shared.blocks[range.rank];
    return region && { region, offset: range.offset };
  }
  const region = cluster.launch.global.find(range.address, range.bytes);
  return region && { region, offset: range.address - region.base };
}

/** Shared memory of a launch, local memory of a thread, and device memory since it was allocated. */
export function uninitialisedReads(c: CheckContext): Listener {
  const poison = new Poison(c);
  const place = (warp: Warp, address: number): MemoryLocation | undefined => {
    const region = warp.block.cluster.shared.find(address, mbarrierBytes);
    return region && { region, offset: address - region.base };
  };
  /** On the stack the frame of the kernel alone: what calls leave behind in theirs is not told. */
  const known = (warp: Warp, lane: number, region: Region, offset: number): boolean =>
    region.space !== "local" || offset - warp.stack.offset(lane, 0) < c.program.localBytes;
  const thread = (warp: Warp, lane: number) => () => threadName(warp, lane);
  const values = new UndefinedValues(c.program);
  const { instructions } = c.program;
  const read = (warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void => {
    const isKnown = known(warp, lane, region, offset);
    const i = instructions[at];
    if (!i || !isLaneInstruction(i)) {
      if (isKnown) poison.read(thread(warp, lane), region, offset, bytes, at);
      return;
    }
    values.access(warp, lane, at);
    const { bits, origin } = isKnown ? poison.load(thread(warp, lane), region, offset, bytes, at) : nothingUndefined;
    values.load(warp, lane, at, bits, origin);
  };
  const write = (warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void => {
    values.access(warp, lane, at);
    const stored = values.stored(warp, lane, at);
    if (stored && region.space === "local") {
      poison.leave(region, offset, bytes, stored.bits);
      return;
    }
    if (stored) values.decide(warp, lane, at);
    poison.write(region, offset, bytes);
  };
  const atomic = (warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void => {
    values.access(warp, lane, at);
    values.decide(warp, lane, at);
    if (known(warp, lane, region, offset)) poison.read(thread(warp, lane), region, offset, bytes, at);
    poison.write(region, offset, bytes);
  };
  const readEach = (warp: Warp, of: LaneAccesses): void =>
    of.each((lane, offset, at) => read(warp, lane, of.region, offset, of.bytes, at));
  const writeEach = (warp: Warp, of: LaneAccesses): void =>
    of.each((lane, offset, at) => write(warp, lane, of.region, offset, of.bytes, at));
  return {
    step: (warp, mask, step) => values.step(warp, mask, step),
    exits(warp, mask) {
      values.exits(warp, mask);
      poison.end(warp, mask);
    },
    read,
    write,
    atomic,
    isDefined: (warp, of) => !values.has(warp) && (of === undefined || poison.isDefined(of)),
    reads(warp, of) {
      if (!of.isDefined) readEach(warp, of);
    },
    writes(warp, of) {
      if (!of.isDefined || !poison.define(of)) writeEach(warp, of);
    },
    atomics: (warp, of) => of.each((lane, offset, at) => atomic(warp, lane, of.region, offset, of.bytes, at)),
    mbarrierInits(warp, _mask, address) {
      const at = place(warp, address);
      if (at) poison.write(at.region, at.offset, mbarrierBytes);
    },
    /** What an mbarrier leaves behind is nothing that could be read. */
    mbarrierInvalidates(warp, _lane, address) {
      const at = place(warp, address);
      if (at?.region.written) poison.forget(at.region, at.offset, mbarrierBytes);
    },
    shuffles(warp, mask, from, wanted, i) {
      values.shuffle(warp, mask, from, i);
      forEachLane(mask, (lane) => {
        const source = from[lane] ?? -1;
        if (source < 0 || ((wanted >>> source) & 1) !== 0) return;
        const origin = poison.absent(warp, lane, source, i);
        if (origin) values.give(warp, lane, i, origin);
      });
    },
    transferIssues: (warp, lane, transfer) => poison.issue(warp, lane, transfer),
    transferLands: (transfer) => poison.land(transfer),
    wgmmaIssues: (warp, group, product) => poison.multiply(warp, group, product),
  };
}
