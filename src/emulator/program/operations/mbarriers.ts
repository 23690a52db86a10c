/** The mbarrier instructions (PTX ISA 9.7.13.15), lane by lane. */
import type { Instruction, Operand } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { forEachLane, lowestLane } from "../../machine/lanes.ts";
import { sharedRank } from "../../machine/memory.ts";
import { mbarrierNameAt } from "../../machine/memory-names.ts";
import type { Monitor } from "../../machine/monitor.ts";
import {
  type ArriveOptions,
  addPendingMbarrier,
  allThrough,
  arriveMbarrier,
  completeTxMbarrier,
  expectTxMbarrier,
  initMbarrier,
  invalMbarrier,
  type MbarrierTable,
  noteArrival,
  pendingCount,
  testParity,
  testState,
} from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { describeSource } from "../../machine/where.ts";
import { type Operating, type Read, readLong, readShared, readWord, writeLong, writeWord } from "../operands.ts";
import { type Operation, waiting } from "../step.ts";
import type { OperationRule, OperationRules } from "./rule.ts";

/** States of arrivals: phase * 2 ** 20 + pending. */
const stateUnit = 2 ** 20;

const tableOf = (warp: Warp): MbarrierTable => warp.block.cluster.barriers;

type Tell = (monitor: Monitor, warp: Warp, lane: number, address: number, value: number) => void;

/** Peers may arrive and expect bytes; all else is for the block of the barrier (PTX ISA 9.7.13.15). */
function own(warp: Warp, address: number, does: string): number {
  if (sharedRank(address) !== warp.block.rank) {
    throw new KernelFault(`it ${does} the mbarrier at 0x${address.toString(16)} of another block of its cluster`);
  }
  return address;
}

/** An instruction of an address and a number. `does`: what it is called, where it is for barriers of this block alone. */
const numbered =
  (run: (table: MbarrierTable, address: number, value: number) => void, tell: Tell, does?: string): OperationRule =>
  (c, { operands: [address, value] }) => {
    const at = readShared(c, address);
    const number = value ? readWord(c, value) : () => 0;
    return (warp, mask) => {
      const { monitor } = warp.block.launch;
      forEachLane(mask, (lane) => {
        const [place, given] = [at(warp, lane), number(warp, lane) >>> 0];
        if (does !== undefined) own(warp, place, does);
        if (monitor) tell(monitor, warp, lane, place, given);
        run(tableOf(warp), place, given);
      });
      return "next";
    };
  };

/** Lanes that give one barrier the same count initialise it together. */
const init: OperationRule = (c, { operands: [address, value], index }) => {
  const [at, number] = [readShared(c, address), readWord(c, value)];
  return (warp, mask) => {
    for (let rest = mask; rest !== 0; ) {
      const first = lowestLane(rest);
      const [place, count] = [own(warp, at(warp, first), "initialises"), number(warp, first) >>> 0];
      let same = 0;
      forEachLane(rest, (lane) => {
        if (at(warp, lane) === place && number(warp, lane) >>> 0 === count) same |= 1 << lane;
      });
      const lanes = same | (tableOf(warp).barriers.get(place)?.by?.lanes ?? 0);
      warp.block.launch.monitor?.mbarrierInits(warp, lanes, place, count);
      initMbarrier(tableOf(warp), place, count, { warp, at: index, lanes: same });
      rest &= ~same;
    }
    return "next";
  };
};

/** `options` from the last operand, where there is one. */
const arrival =
  (options: (value: number | undefined) => ArriveOptions): OperationRule =>
  (c, i) => {
    const [d, address, value] = i.operands;
    const [write, at] = [writeLong(c, d), readShared(c, address)];
    const number = value && readWord(c, value);
    return (warp, mask) => {
      forEachLane(mask, (lane) => {
        const given = options(number === undefined ? undefined : number(warp, lane) >>> 0);
        const place = at(warp, lane);
        tellArrival(warp, lane, place, given.expectTx, i);
        noteArrival(tableOf(warp), place, i.index);
        write(warp, lane, arriveMbarrier(tableOf(warp), place, given));
      });
      return "next";
    };
  };

const phaseOf = (warp: Warp, address: number): number => tableOf(warp).barriers.get(address)?.phase ?? 0;

function tellArrival(warp: Warp, lane: number, address: number, bytes: number | undefined, i: Instruction): void {
  const { monitor } = warp.block.launch;
  if (!monitor) return;
  if (bytes !== undefined) monitor.mbarrierExpects(warp, lane, address, bytes);
  monitor.mbarrierArrives(warp, lane, address, phaseOf(warp, address), i);
}

const counted = (count: number | undefined, rest: ArriveOptions = {}): ArriveOptions =>
  count === undefined ? rest : { ...rest, count };
const expecting = (bytes: number | undefined, rest: ArriveOptions = {}): ArriveOptions => ({ ...rest, expectTx: bytes ?? 0 });

/** A wait that is refused to all lanes parks them, or says so where `parks` is false. */
function wait(parity: boolean, parks: boolean): OperationRule {
  return (c, i) => {
    const [d, address, value] = i.operands;
    const [write, at] = [writeWord(c, d), readShared(c, address)];
    const state = parity ? readWord(c, value) : readLong(c, value);
    const test = parity ? testParity : testState;
    const run: Operation = (warp, mask) => {
      let passed = 0;
      const { scheduler } = warp.block.launch;
      const givesUp = parks && scheduler?.givesUp(warp);
      forEachLane(mask, (lane) => {
        const place = own(warp, at(warp, lane), "waits at");
        const through = !givesUp && test(tableOf(warp), place, state(warp, lane));
        if (through) passed |= 1 << lane;
        else if (parks) scheduler?.awaits(tableOf(warp).barriers.get(place));
        write(warp, lane, through ? 1 : 0);
      });
      if (warp.block.launch.monitor) tellWait(warp, mask, passed, at, state, i);
      if (passed !== 0) {
        scheduler?.passes(warp);
        return "next";
      }
      return parks && !givesUp && !warp.block.cluster.impatient ? "wait" : "polled";
    };
    return waiting(run, (warp, mask) => {
      const lane = lowestLane(mask);
      const asked = state(warp, lane);
      const phase = parity ? `the phase of parity ${asked & 1}` : `phase ${Math.floor(asked / stateUnit)}`;
      return `${phase} of ${lacking(warp, at(warp, lane))}`;
    });
  };
}

/** What the phase of a barrier lacks that runs. */
function lacking(warp: Warp, address: number): string {
  const table = tableOf(warp);
  const barrier = table.barriers.get(address);
  const named = mbarrierNameAt(warp.block.launch, address);
  const name = `the mbarrier ${named ? `${named.name} ` : ""}at 0x${address.toString(16)}`;
  if (!barrier) return name;
  const { phase, pending, expected, tx } = barrier;
  const bytes = tx < 0 ? `${-tx} bytes more than expected have come` : `${tx} bytes`;
  const lacks = tx < 0 ? `${pending} of ${expected} arrivals, and ${bytes}` : `${pending} of ${expected} arrivals and ${bytes}`;
  const { program } = warp.block.launch;
  const arrivals = [...(table.arrivals.get(address) ?? [])].map((at) => describeSource(program, at));
  const from = arrivals.length > 0 ? `there were arrivals from ${arrivals.join(", ")}` : "nobody has ever arrived there";
  return `${name}, whose phase ${phase} lacks ${lacks}; ${from}`;
}

/** Lanes that look at one barrier with one outcome are told of together. */
function tellWait(warp: Warp, mask: number, passed: number, at: Read, state: Read, i: Instruction): void {
  for (let rest = mask; rest !== 0; ) {
    const first = lowestLane(rest);
    const [address, through, asked] = [at(warp, first), (passed >>> first) & 1, state(warp, first)];
    let same = 0;
    forEachLane(rest, (lane) => {
      const alike = at(warp, lane) === address && ((passed >>> lane) & 1) === through && state(warp, lane) === asked;
      if (alike) same |= 1 << lane;
    });
    warp.block.launch.monitor?.mbarrierWaits(warp, same, address, phaseOf(warp, address), through === 1, i, asked);
    rest &= ~same;
  }
}

const pending: OperationRule = (c, { operands: [d, state] }) => {
  const [write, read] = [writeWord(c, d), readLong(c, state)];
  return (warp, mask) => {
    forEachLane(mask, (lane) => write(warp, lane, pendingCount(read(warp, lane))));
    return "next";
  };
};

/** Arrives once this thread's earlier `cp.async` are through, which they are once they have been issued eagerly. */
const copiesArrive: OperationRule = (c: Operating, i) => {
  const at = readShared(c, i.operands[0] as Operand);
  const { opcode } = i;
  return (warp, mask) => {
    if (!allLanes(mask, (lane) => allThrough(warp.copyGroups(lane)))) return "wait";
    forEachLane(mask, (lane) => {
      const place = at(warp, lane);
      warp.block.launch.monitor?.copiesArrive(warp, lane, place, phaseOf(warp, place), i);
      noteArrival(tableOf(warp), place, i.index);
      if (!opcode.modifiers.noinc) addPendingMbarrier(tableOf(warp), place);
      arriveMbarrier(tableOf(warp), place, {});
    });
    return "next";
  };
};
function allLanes(mask: number, holds: (lane: number) => boolean): boolean {
  let all = true;
  forEachLane(mask, (lane) => {
    all &&= holds(lane);
  });
  return all;
}

export const mbarrierRules: OperationRules = {
  "mbarrier.init": init,
  "mbarrier.inval": numbered(
    invalMbarrier,
    (m, warp, lane, address) => m.mbarrierInvalidates(warp, lane, address),
    "invalidates",
  ),
  "mbarrier.expect_tx": numbered(expectTxMbarrier, (m, warp, lane, address, bytes) =>
    m.mbarrierExpects(warp, lane, address, bytes),
  ),
  "mbarrier.complete_tx": numbered(completeTxMbarrier, (m, warp, lane, address, bytes) =>
    m.mbarrierExpects(warp, lane, address, -bytes),
  ),
  "mbarrier.arrive": arrival((count) => counted(count)),
  "mbarrier.arrive.expect_tx": arrival((bytes) => expecting(bytes)),
  "mbarrier.arrive.noComplete": arrival((count) => counted(count, { noComplete: true })),
  "mbarrier.arrive_drop": arrival((count) => counted(count, { drop: true })),
  "mbarrier.arrive_drop.expect_tx": arrival((bytes) => expecting(bytes, { drop: true })),
  "mbarrier.arrive_drop.noComplete": arrival((count) => counted(count, { drop: true, noComplete: true })),
  "mbarrier.test_wait": wait(false, false),
  "mbarrier.test_wait.parity": wait(true, false),
  "mbarrier.try_wait": wait(false, true),
  "mbarrier.try_wait.parity": wait(true, true),
  "mbarrier.pending_count": pending,
  "cp.async.mbarrier.arrive": copiesArrive,
};
