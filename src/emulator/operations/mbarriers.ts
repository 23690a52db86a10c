/** The mbarrier instructions (PTX ISA 9.7.13.15), lane by lane. */
import type { Operand } from "../../ptx/parse/tree.ts";
import { forEachLane, type Operating, readLong, readShared, readWord, writeLong, writeWord } from "../operands.ts";
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
  pendingCount,
  testParity,
  testState,
} from "../units/index.ts";
import type { Warp } from "../warp.ts";
import type { OperationRule, OperationRules } from "./rule.ts";

const tableOf = (warp: Warp): MbarrierTable => warp.block.cluster.barriers;

/** An instruction of an address and a number. */
const numbered =
  (run: (table: MbarrierTable, address: number, value: number) => void): OperationRule =>
  (c, { operands: [address, value] }) => {
    const at = readShared(c, address);
    const number = value ? readWord(c, value) : () => 0;
    return (warp, mask) => {
      forEachLane(mask, (lane) => run(tableOf(warp), at(warp, lane), number(warp, lane) >>> 0));
      return "next";
    };
  };

/** `options` from the last operand, where there is one. */
const arrival =
  (options: (value: number | undefined) => ArriveOptions): OperationRule =>
  (c, { operands: [d, address, value] }) => {
    const [write, at] = [writeLong(c, d), readShared(c, address)];
    const number = value && readWord(c, value);
    return (warp, mask) => {
      forEachLane(mask, (lane) => {
        const given = number === undefined ? undefined : number(warp, lane) >>> 0;
        write(warp, lane, arriveMbarrier(tableOf(warp), at(warp, lane), options(given)));
      });
      return "next";
    };
  };
const counted = (count: number | undefined, rest: ArriveOptions = {}): ArriveOptions =>
  count === undefined ? rest : { ...rest, count };
const expecting = (bytes: number | undefined, rest: ArriveOptions = {}): ArriveOptions => ({ ...rest, expectTx: bytes ?? 0 });

/** A wait that is refused to all lanes parks them, or says so where `parks` is false. */
function wait(parity: boolean, parks: boolean): OperationRule {
  return (c, { operands: [d, address, value] }) => {
    const [write, at] = [writeWord(c, d), readShared(c, address)];
    const state = parity ? readWord(c, value) : readLong(c, value);
    const test = parity ? testParity : testState;
    return (warp, mask) => {
      let passed = 0;
      forEachLane(mask, (lane) => {
        const through = test(tableOf(warp), at(warp, lane), state(warp, lane));
        if (through) passed += 1;
        write(warp, lane, through ? 1 : 0);
      });
      if (passed > 0) return "next";
      return parks && !warp.block.cluster.impatient ? "wait" : "polled";
    };
  };
}

const pending: OperationRule = (c, { operands: [d, state] }) => {
  const [write, read] = [writeWord(c, d), readLong(c, state)];
  return (warp, mask) => {
    forEachLane(mask, (lane) => write(warp, lane, pendingCount(read(warp, lane))));
    return "next";
  };
};

/** Arrives once this thread's earlier `cp.async` are through, which they are once they have been issued eagerly. */
const copiesArrive: OperationRule = (c: Operating, { operands: [address], opcode }) => {
  const at = readShared(c, address as Operand);
  return (warp, mask) => {
    if (!allLanes(mask, (lane) => allThrough(warp.copyGroups(lane)))) return "wait";
    forEachLane(mask, (lane) => {
      if (!opcode.modifiers.noinc) addPendingMbarrier(tableOf(warp), at(warp, lane));
      arriveMbarrier(tableOf(warp), at(warp, lane), {});
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
  "mbarrier.init": numbered(initMbarrier),
  "mbarrier.inval": numbered(invalMbarrier),
  "mbarrier.expect_tx": numbered(expectTxMbarrier),
  "mbarrier.complete_tx": numbered(completeTxMbarrier),
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
