/** The mbarrier object (PTX ISA 9.7.13.15), as a side table by address: what a kernel sees of it in memory is opaque. */
import { fail } from "../../errors/index.ts";
import { checkRank } from "../memory.ts";

export interface Mbarrier {
  /** Phases completed since `init`. */
  phase: number;
  /** Arrivals that later phases wait for. */
  expected: number;
  /** Arrivals that this phase still waits for. */
  pending: number;
  /** Bytes expected and not yet there; negative where they came first. */
  tx: number;
  /** Who has initialised it. */
  readonly by: Initialiser | undefined;
}

/** Lanes of one warp that run one `mbarrier.init`. */
export interface Initialiser {
  readonly warp: object;
  /** Index of the instruction. */
  readonly at: number;
  lanes: number;
}

/** The barriers of one cluster, by their address in shared::cluster space. */
export interface MbarrierTable {
  readonly barriers: Map<number, Mbarrier>;
  /** Goes up whenever any phase completes: waiters that were refused need not ask again before. */
  completions: number;
  /** Which instructions have arrived at each, by their index. */
  readonly arrivals: Map<number, Set<number>>;
  /** Told when a phase is over. */
  readonly completed: ((address: number, phase: number) => void) | undefined;
  /** Blocks of the cluster. */
  readonly size: number;
}

/**
 * What `arrive` gives: the phase before the arrival and its pending arrivals, as phase * 2 ** 20 + pending. A whole number
 * below 2 ** 53, to be kept in 64 bits.
 */
export type MbarrierState = number;

const limit = 2 ** 20 - 1;
const stateUnit = 2 ** 20;

export const createMbarrierTable = (completed?: MbarrierTable["completed"], size = 1): MbarrierTable => ({
  barriers: new Map(),
  completions: 0,
  arrivals: new Map(),
  completed,
  size,
});

const hex = (address: number): string => `0x${address.toString(16)}`;

function barrierAt(table: MbarrierTable, address: number, what: string): Mbarrier {
  return table.barriers.get(address) ?? missing(table, address, what);
}

function missing({ size }: MbarrierTable, address: number, what: string): never {
  checkRank(address, size);
  if (address % 8 !== 0) fail("W9101", { address: hex(address) });
  fail("W9102", { what, address: hex(address) });
}

/** The other lanes of the instruction that has initialised it do the same, and nobody has used it since. */
function repeats({ phase, expected, pending, tx }: Mbarrier, count: number, by: Initialiser, other: Initialiser): boolean {
  const sameInstruction = by.warp === other.warp && by.at === other.at && (by.lanes & other.lanes) === 0;
  return sameInstruction && expected === count && pending === count && phase === 0 && tx === 0;
}

/** `mbarrier.init`; by several lanes of one instruction with one count it is one (docs/hardware.md). W9101, W9103, W9104. */
export function initMbarrier(table: MbarrierTable, address: number, count: number, by?: Initialiser): void {
  if (address % 8 !== 0) fail("W9101", { address: hex(address) });
  if (!Number.isInteger(count) || count < 1 || count > limit) fail("W9103", { count });
  const known = table.barriers.get(address);
  if (!known) table.barriers.set(address, { phase: 0, expected: count, pending: count, tx: 0, by: by && { ...by } });
  else if (known.by && by && repeats(known, count, known.by, by)) known.by.lanes |= by.lanes;
  else fail("W9104", { address: hex(address) });
}

/** For whoever asks who has come: an instruction arrives. */
export function noteArrival(table: MbarrierTable, address: number, instruction: number): void {
  const known = table.arrivals.get(address);
  if (known) known.add(instruction);
  else table.arrivals.set(address, new Set([instruction]));
}

/** `mbarrier.inval`. W9102. */
export function invalMbarrier(table: MbarrierTable, address: number): void {
  barrierAt(table, address, "invalidates");
  table.barriers.delete(address);
  table.arrivals.delete(address);
}

export interface ArriveOptions {
  readonly count?: number;
  /** `.expect_tx`. */
  readonly expectTx?: number;
  /** `arrive_drop`: later phases wait for that many fewer. */
  readonly drop?: boolean;
  /** `.noComplete`. */
  readonly noComplete?: boolean;
}

const plainArrival: ArriveOptions = {};

/** `mbarrier.arrive` in all its forms, at a barrier of this block or a peer's. W9102, W9105–W9108. */
export function arriveMbarrier(table: MbarrierTable, address: number, options: ArriveOptions = plainArrival): MbarrierState {
  const barrier = barrierAt(table, address, "arrives at");
  const { count = 1, expectTx, drop, noComplete } = options;
  const state = barrier.phase * stateUnit + barrier.pending;
  if (!Number.isInteger(count) || count < 1 || count > limit) fail("W9107", { count });
  if (expectTx !== undefined) addTx(barrier, address, expectTx);
  if (count > barrier.pending) fail("W9105", { address: hex(address), count, pending: barrier.pending, phase: barrier.phase });
  if (noComplete && count === barrier.pending && barrier.tx === 0) fail("W9108", { address: hex(address) });
  barrier.pending -= count;
  if (drop) barrier.expected -= count;
  tryComplete(table, address, barrier);
  return state;
}

/** `mbarrier.expect_tx`: completes a phase that had more bytes than it expected (docs/hardware.md). W9102, W9106. */
export function expectTxMbarrier(table: MbarrierTable, address: number, bytes: number): void {
  const barrier = barrierAt(table, address, "expects bytes at");
  addTx(barrier, address, bytes);
  tryComplete(table, address, barrier);
}

/** `mbarrier.complete_tx`, and what a copy does when it has landed. W9102, W9106. */
export function completeTxMbarrier(table: MbarrierTable, address: number, bytes: number): void {
  const barrier = barrierAt(table, address, "completes bytes at");
  addTx(barrier, address, -bytes);
  tryComplete(table, address, barrier);
}

/** `cp.async.mbarrier.arrive`: when it is issued, unless `.noinc`. W9102, W9106. */
export function addPendingMbarrier(table: MbarrierTable, address: number): void {
  const barrier = barrierAt(table, address, "arrives at");
  if (barrier.pending >= limit) fail("W9109", { address: hex(address) });
  barrier.pending += 1;
}

/** `test_wait.parity` and `try_wait.parity`: whether the phase of that parity is over. W9102. */
export function testParity(table: MbarrierTable, address: number, parity: number): boolean {
  return (barrierAt(table, address, "waits at").phase & 1) !== (parity & 1);
}

/**
 * `test_wait` and `try_wait` with the state of an arrival: of this phase or the one before. An H200 looks at one bit of older ones,
 * too (docs/hardware.md). W9102.
 */
export function testState(table: MbarrierTable, address: number, state: MbarrierState): boolean {
  return ((barrierAt(table, address, "waits at").phase - Math.floor(state / stateUnit)) & 1) === 1;
}

/** `mbarrier.pending_count`. */
export const pendingCount = (state: MbarrierState): number => state % stateUnit;

function addTx(barrier: Mbarrier, address: number, bytes: number): void {
  barrier.tx += bytes;
  if (Math.abs(barrier.tx) > limit) fail("W9106", { address: hex(address), bytes: barrier.tx });
}

function tryComplete(table: MbarrierTable, address: number, barrier: Mbarrier): void {
  if (barrier.pending > 0 || barrier.tx !== 0) return;
  table.completed?.(address, barrier.phase);
  barrier.phase += 1;
  barrier.pending = barrier.expected;
  table.completions += 1;
}
