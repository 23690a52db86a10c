/** What the lanes of a warp do together (PTX ISA 9.7.9.5, 9.7.13), and the matrix moves (9.7.14.5.15, 16). */
import type { Instruction, Operand } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { LaneAccesses } from "../../machine/lane-accesses.ts";
import { forEachLane, lowestLane } from "../../machine/lanes.ts";
import { type Region, sharedRank } from "../../machine/memory.ts";
import type { Monitor } from "../../machine/monitor.ts";
import { loadMatrices, storeMatrices } from "../../machine/units/index.ts";
import { lanes, type Warp } from "../../machine/warp.ts";
import { lanesName } from "../../machine/where.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { type Operating, readLong, readPredicate, readShared, readWord, rowsOf, writeWord } from "../operands.ts";
import { waiting } from "../step.ts";
import type { OperationRule, OperationRules } from "./rule.ts";
import { setmaxnreg } from "./setmaxnreg.ts";
import { forEachGroup, holdBack, tellOutside } from "./warp-sync.ts";

/**
 * Lanes that name the same members run the instruction together, once all members that have not exited are there. Lanes whose members are
 * not complete wait; the others go on.
 */
function together(
  c: Operating,
  i: Instruction,
  members: Operand | undefined,
  run: (warp: Warp, mask: number, wanted: number) => void,
): ReturnType<OperationRule> {
  const read = readWord(c, members);
  const namedBy = (warp: Warp) => (lane: number) => read(warp, lane) & warp.live;
  const lacking = (warp: Warp, mask: number): number => {
    let lacks = 0;
    forEachGroup(mask, namedBy(warp), (group, named) => {
      tellOutside(warp, group, named, i);
      if ((named & ~mask) !== 0) lacks |= group;
    });
    return lacks;
  };
  return waiting(
    (warp, mask, split) => {
      const lacks = lacking(warp, mask);
      forEachGroup(mask & ~lacks, namedBy(warp), (group, named) => {
        run(warp, group, named);
        warp.block.launch.monitor?.met(warp, named, i);
      });
      if (lacks === 0) return "quiet";
      return holdBack(warp, split, lacks) === split ? "wait" : "quiet";
    },
    (warp, mask) => {
      let wanted = 0;
      forEachLane(mask, (lane) => {
        wanted |= namedBy(warp)(lane);
      });
      return `${lanesName(wanted & ~mask)} of the warp`;
    },
  );
}

const resultsOf = (c: Operating, d: Operand | undefined) =>
  d?.kind === "pair"
    ? { first: writeWord(c, d.first), second: writeWord(c, d.second) }
    : { first: writeWord(c, d), second: () => {} };

const elect: OperationRule = (c, i) => {
  const [d, members] = i.operands;
  const { first, second } = resultsOf(c, d);
  return together(c, i, members, (warp, mask, wanted) => {
    const leader = warp.block.launch.scheduler?.leader(warp, wanted) ?? lowestLane(wanted);
    forEachLane(mask, (lane) => {
      first(warp, lane, leader);
      second(warp, lane, lane === leader ? 1 : 0);
    });
  });
};

/** Where a lane's value comes from; -1 where from nowhere (PTX ISA 9.7.9.6). */
function source(mode: string | undefined, lane: number, b: number, bounds: number): number {
  const segment = (bounds >> 8) & 31;
  const most = (lane & segment) | (bounds & 31 & ~segment);
  const least = lane & segment;
  const from =
    mode === "up"
      ? lane - (b & 31)
      : mode === "down"
        ? lane + (b & 31)
        : mode === "bfly"
          ? lane ^ (b & 31)
          : least | (b & 31 & ~segment);
  // For .up the bound is the least lane.
  return (mode === "up" ? from >= most : from <= most) ? from : -1;
}

const shfl: OperationRule = (c, i) => {
  const [d, a, b, bounds, members] = i.operands;
  const [value, by, limit] = [readWord(c, a), readWord(c, b), readWord(c, bounds)];
  const { first, second } = resultsOf(c, d);
  return together(c, i, members, (warp, mask, wanted) => {
    const values = Int32Array.from({ length: lanes }, (_, lane) => value(warp, lane));
    const from = Int32Array.from({ length: lanes }, (_, lane) =>
      source(i.opcode.modifiers.mode, lane, by(warp, lane), limit(warp, lane)),
    );
    forEachLane(mask, (lane) => {
      const other = from[lane] ?? -1;
      first(warp, lane, values[other < 0 ? lane : other] ?? 0);
      second(warp, lane, other < 0 ? 0 : 1);
    });
    warp.block.launch.monitor?.shuffles(warp, mask, from, wanted, i);
  });
};

function ballot(warp: Warp, wanted: number, read: (warp: Warp, lane: number) => number): number {
  let set = 0;
  forEachLane(wanted, (lane) => {
    if (read(warp, lane)) set |= 1 << lane;
  });
  return set;
}

const vote: OperationRule = (c, i) => {
  const [d, a, members] = i.operands;
  const [write, read] = [writeWord(c, d), readPredicate(c, a)];
  const { mode } = i.opcode.modifiers;
  return together(c, i, members, (warp, mask, wanted) => {
    const set = ballot(warp, wanted, read);
    const all = set === wanted;
    const result = mode === "all" ? all : mode === "any" ? set !== 0 : all || set === 0;
    forEachLane(mask, (lane) => write(warp, lane, result ? 1 : 0));
  });
};
const voteBallot: OperationRule = (c, i) => {
  const [d, a, members] = i.operands;
  const [write, read] = [writeWord(c, d), readPredicate(c, a)];
  return together(c, i, members, (warp, mask, wanted) => {
    const set = ballot(warp, wanted, read);
    forEachLane(mask, (lane) => write(warp, lane, set));
  });
};

const match: OperationRule = (c, i) => {
  const [d, a, members] = i.operands;
  const { opcode } = i;
  const { first, second } = resultsOf(c, d);
  const long = opcode.modifiers.type === "b64";
  const low = readWord(c, a);
  const wide = readLong(c, a);
  const key = (warp: Warp, lane: number): string =>
    long ? `${low(warp, lane)} ${Math.floor(wide(warp, lane) / 2 ** 32)}` : `${low(warp, lane)}`;
  return together(c, i, members, (warp, mask, wanted) => {
    const keys = Array.from({ length: lanes }, (_, lane) => key(warp, lane));
    const same = (lane: number) => ballot(warp, wanted, (_, other) => Number(keys[other] === keys[lane]));
    const sets = keys.map((_, lane) => same(lane));
    forEachLane(mask, (lane) => {
      const all = sets[lane] === wanted;
      first(warp, lane, opcode.form === "match.all" && !all ? 0 : (sets[lane] ?? 0));
      second(warp, lane, all ? 1 : 0);
    });
  });
};

const folds: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  min: Math.min,
  max: Math.max,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};
const redux: OperationRule = (c, i) => {
  const [d, a, members] = i.operands;
  const { opcode } = i;
  const [write, read] = [writeWord(c, d), readWord(c, a)];
  const fold = folds[opcode.modifiers.op ?? ""];
  if (!fold) throw new Unsupported(opcode.text);
  const unsigned = opcode.modifiers.type === "u32";
  return together(c, i, members, (warp, mask, wanted) => {
    const values: number[] = [];
    forEachLane(wanted, (lane) => values.push(unsigned ? read(warp, lane) >>> 0 : read(warp, lane)));
    const result = values.reduce((a, b) => fold(a, b)) | 0;
    forEachLane(mask, (lane) => write(warp, lane, result));
  });
};

/** Of a row of 8 elements. */
const rowBytes = 16;

function matrices(load: boolean): OperationRule {
  return (c, { operands, opcode, index }) => {
    const [rows, address] = load ? [rowsOf(c, operands[0]), operands[1]] : [rowsOf(c, operands[1]), operands[0]];
    const read = readShared(c, address);
    const transposed = Boolean(opcode.modifiers.trans);
    const offsets = new Int32Array(lanes);
    const mask = rows.length === 4 ? -1 : (1 << (8 * rows.length)) - 1;
    const accesses = new LaneAccesses([{ at: index, delta: 0 }], rowBytes);
    const addresses = new Float64Array(lanes);
    const accessesOf = (warp: Warp, monitor: Monitor, shared: Region): LaneAccesses => {
      for (let lane = 0; lane < 8 * rows.length; lane++) offsets[lane] = (addresses[lane] as number) - shared.base;
      accesses.set(shared, mask, offsets, 0);
      accesses.isDefined = monitor.isDefined(warp, load ? accesses : undefined);
      return accesses;
    };
    const [before, after] = [new Uint8Array(rowBytes * 8 * rows.length), new Uint8Array(rowBytes * 8 * rows.length)];
    const takeRows = ({ bytes, base }: Region, into: Uint8Array): void => {
      for (let row = 0; row < 8 * rows.length; row++) {
        const at = (addresses[row] as number) - base;
        for (let n = 0; n < rowBytes; n++) into[row * rowBytes + n] = bytes[at + n] as number;
      }
    };
    const differs = (row: number): boolean => {
      for (let n = row * rowBytes; n < (row + 1) * rowBytes; n++) if (before[n] !== after[n]) return true;
      return false;
    };
    return (warp) => {
      for (let lane = 0; lane < lanes; lane++) addresses[lane] = read(warp, lane);
      const shared = warp.block.cluster.shared.blocks[sharedRank(addresses[0] ?? 0)] ?? warp.block.shared;
      const { monitor } = warp.block.launch;
      if (load) {
        loadMatrices(shared, addresses, transposed, warp, rows);
        if (monitor) monitor.reads(warp, accessesOf(warp, monitor, shared));
        return "next";
      }
      if (monitor) takeRows(shared, before);
      storeMatrices(shared, addresses, transposed, warp, rows);
      if (!monitor) return "next";
      takeRows(shared, after);
      let changes = 0;
      for (let row = 0; row < 8 * rows.length; row++) if (differs(row)) changes |= 1 << row;
      monitor.writes(warp, accessesOf(warp, monitor, shared), changes);
      return "next";
    };
  };
}

const trap: OperationRule = () => () => {
  throw new KernelFault("it trapped");
};

export const warpRules: OperationRules = {
  elect,
  shfl,
  vote,
  "vote.ballot": voteBallot,
  "match.any": match,
  "match.all": match,
  redux,
  setmaxnreg,
  ldmatrix: matrices(true),
  stmatrix: matrices(false),
  trap,
  brkpt: trap,
};
