import { optionsOf } from "../../base/diag/index.ts";
import { and, constant, first, toInt } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { lift, liftCondition, liftIndex } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import {
  addressIn,
  type HasAddress,
  type HasStructure,
  OwnObject,
  ownMethods,
  type Structure,
  structure,
  structureOf,
} from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";

interface ArriveOptions {
  /** Bytes that the phase also waits for, 0 to 2^20 - 1: `mbarrier.arrive.expect_tx`. W5004. */
  tx?: number;
  /** Arrivals at once, 1 to 2^20 - 1. Default 1; with `tx` it is one. W5003, W5006. */
  count?: number;
  /** Where false, this thread does not arrive. Default true. */
  pred?: boolean;
  /** The block of the cluster at whose barrier to arrive. Default: this block. W5008. */
  rank?: number;
}
const arriveOptions = optionsOf<ArriveOptions>("arrive()", { tx: true, count: true, pred: true, rank: true });

/** A barrier in shared memory: it counts arrivals and bytes, phase by phase. PTX ISA 9.7.13.15. */
export interface Mbarrier {
  /** `arrivals` per phase, 1 to 2^20 - 1. One thread calls it. PTX `mbarrier.init`; CUDA `init(&barrier, count)`. W5003. */
  init(arrivals: number): void;
  /** One arrival; with `tx`, also expect that many bytes; with `rank`, at the same barrier of another block of the cluster, whose bytes they then are. W5003, W5004, W5006, W5008. */
  arrive(options?: ArriveOptions): void;
  /** Expect bytes without arriving, also of another block's barrier. PTX `mbarrier.expect_tx`. W5004. */
  expectTx(bytes: number): void;
  /** Suspends until the phase of this parity is complete. A new barrier is in phase 0, so `wait(false)` waits for its first completion, `wait(true)` returns at once. */
  wait(parity: boolean | number): void;
  /** Whether the phase of this parity is complete, after suspending for a while: it may give up, so loop on it. PTX `mbarrier.try_wait`. W5007. */
  tryWait(parity: boolean | number): boolean;
  /** Whether the phase of this parity is complete, without suspending. PTX `mbarrier.test_wait`. W5007. */
  testWait(parity: boolean | number): boolean;
  /** Ends the barrier, so that its memory may be used for other things. One thread calls it. PTX `mbarrier.inval`. */
  invalidate(): void;
}

/** What an mbarrier counts: arrivals of a phase, and bytes. PTX ISA 9.7.13.15.2. */
export const mostArrivals = 2 ** 20 - 1;

function readCount(count: unknown, what: string): Value {
  if (typeof count === "number" && (!Number.isInteger(count) || count < 1 || count > mostArrivals))
    failHere("W5003", { count: String(count), what });
  return lift(count, "i32", what);
}

/** Undefined where it is one. */
const readArrivals = (count: unknown): Value | undefined =>
  count === undefined || count === 1 ? undefined : readCount(count, "the arrivals");

function readBytes(bytes: unknown): Value {
  if (typeof bytes === "number" && (!Number.isInteger(bytes) || bytes < 0 || bytes > mostArrivals))
    failHere("W5004", { bytes: String(bytes) });
  return lift(bytes, "i32", "the bytes that an mbarrier expects");
}

/** A boolean as it is; of a number its lowest bit. */
function readParity(trace: Trace, parity: unknown): Value {
  if (typeof parity === "boolean") return constant(trace, parity, "pred");
  if (typeof parity === "number" && Number.isInteger(parity)) return constant(trace, (parity & 1) === 1, "pred");
  if (!isStagedScalar(parity)) return failHere("W5007", { given: describe(parity) });
  if (parity.type === "pred") return parity.value;
  const index = liftIndex(parity, "the parity of a phase");
  return typeof index === "object" ? and(trace, toInt(trace, index, "i32"), 1) : failHere("W5007", { given: String(index) });
}

/** See `Mbarrier`. */
export class MbarrierObject extends OwnObject implements Mbarrier, HasStructure, HasAddress {
  /** Its address. */
  readonly address: Value;

  constructor(address: Value) {
    super();
    this.address = address;
  }

  init(arrivals: number): void {
    const trace = currentTrace("init");
    trace.emit("mbarrier.init", { bar: this.address, count: readCount(arrivals, "the arrivals") }, {});
  }

  arrive(options: ArriveOptions = {}): void {
    const trace = currentTrace("arrive");
    checkOptionsHere(options, arriveOptions);
    const { rank } = options;
    if (options.pred === false) return;
    const pred = liftCondition(options.pred, "`pred`");
    const bar = rank === undefined ? this.address : this.addressAt(trace, readRank(trace, rank));
    arriveAt(trace, bar, options, pred);
  }

  /** The address of the same barrier of another block of the cluster. */
  addressAt(trace: Trace, rank: Value): Value {
    return mapped(trace, this.address, rank);
  }
  /** The same barrier of another block of the cluster. */
  ofBlock(trace: Trace, rank: Value): Mbarrier {
    return new PeerMbarrier(this.addressAt(trace, rank));
  }

  expectTx(bytes: number): void {
    expectAt(currentTrace("expectTx"), this.address, bytes);
  }

  wait(parity: boolean | number): void {
    const trace = currentTrace("wait");
    trace.emit("mbarrier.wait", { bar: this.address, parity: readParity(trace, parity) }, {});
  }

  tryWait(parity: boolean | number): boolean {
    const trace = currentTrace("tryWait");
    return scalar(first(trace.emit("mbarrier.try_wait", { bar: this.address, parity: readParity(trace, parity) }, {})));
  }

  testWait(parity: boolean | number): boolean {
    const trace = currentTrace("testWait");
    return scalar(first(trace.emit("mbarrier.test_wait", { bar: this.address, parity: readParity(trace, parity) }, {})));
  }

  invalidate(): void {
    currentTrace("invalidate").emit("mbarrier.inval", { bar: this.address }, {});
  }

  [addressIn](): Value {
    return this.address;
  }

  get [structure](): Structure {
    return structureOf(this.address, "mbarrier", "an mbarrier", (address) => new MbarrierObject(address));
  }
}
ownMethods(MbarrierObject);

/** An mbarrier of another block of the cluster: see `cluster.map`. W3028. */
class PeerMbarrier extends OwnObject implements Mbarrier, HasStructure, HasAddress {
  /** A `ptr.cluster`. */
  readonly address: Value;

  constructor(address: Value) {
    super();
    this.address = address;
  }

  arrive(options: ArriveOptions = {}): void {
    checkOptionsHere(options, arriveOptions);
    if (options.rank !== undefined) failPeer();
    if (options.pred === false) return;
    arriveAt(currentTrace("arrive"), this.address, options, liftCondition(options.pred, "`pred`"));
  }

  expectTx(bytes: number): void {
    expectAt(currentTrace("expectTx"), this.address, bytes);
  }

  readonly init = failPeer;
  readonly wait = failPeer;
  readonly tryWait = failPeer;
  readonly testWait = failPeer;
  readonly invalidate = failPeer;

  [addressIn](): Value {
    return this.address;
  }

  get [structure](): Structure {
    const what = "mbarrier of another block";
    return structureOf(this.address, what, `an ${what}`, (address) => new PeerMbarrier(address));
  }
}
ownMethods(PeerMbarrier);

const failPeer = (..._: readonly unknown[]): never =>
  failHere("W3028", { what: "an mbarrier", can: "`arrive` and `expectTx` reach" });

/** An arrival at a barrier, of this block or of another one. W5003, W5004, W5006. */
function arriveAt(trace: Trace, bar: Value, { tx, count }: ArriveOptions, pred: Value | undefined): void {
  if (tx !== undefined) {
    if (count !== undefined && count !== 1)
      failHere("W5006", { count: typeof count === "number" ? String(count) : "a number on the GPU" });
    trace.emit("mbarrier.arrive.expect_tx", { bar, tx: readBytes(tx), pred }, {});
  } else if (bar.type === "ptr.cluster") trace.emit("mbarrier.arrive.remote", { bar, count: readArrivals(count), pred }, {});
  else trace.emit("mbarrier.arrive", { bar, count: readArrivals(count), pred }, {});
}

function expectAt(trace: Trace, bar: Value, bytes: number): void {
  trace.emit("mbarrier.expect_tx", { bar, tx: readBytes(bytes), pred: undefined }, {});
}

const mapped = (trace: Trace, bar: Value, rank: Value): Value => trace.once("mapa", { ptr: bar, rank }, {});

/** A block of this kernel's clusters. W5008. */
export function readRank(trace: Trace, rank: unknown): Value {
  const [x, y, z] = trace.options.launch.cluster;
  const size = x * y * z;
  if (typeof rank === "number" && (!Number.isInteger(rank) || rank < 0 || rank >= size)) failHere("W5008", { rank, size });
  return lift(rank, "i32", "the rank of a block");
}
