/** Asynchronous copies (PTX ISA 9.7.9.25–27): operands are gathered here, bytes are moved by the units. */
import type { Instruction, Operand } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { forEachLane } from "../../machine/lanes.ts";
import type { GroupKind } from "../../machine/monitor.ts";
import {
  type AsyncGroups,
  allThrough,
  commitGroup,
  decodeTensorMap,
  groupsThrough,
  issueAsyncCopy,
  issueBulkLoad,
  issueBulkStore,
  issueTensorLoad,
  issueTensorStore,
  mapBytes,
  type ReduceOp,
  type ReduceType,
  type TensorMap,
} from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { itemsOf, type Operating, type Read, readGlobal, readPredicate, readShared, readTensor, readWord } from "../operands.ts";
import type { OperationRule, OperationRules } from "./rule.ts";
import { watchOf } from "./watch.ts";

const unitsOf = (warp: Warp) => warp.block.cluster.units;

/** Lane by lane. */
const each =
  (run: (warp: Warp, lane: number) => void): ReturnType<OperationRule> =>
  (warp, mask) => {
    forEachLane(mask, (lane) => run(warp, lane));
    return "next";
  };

const optional = (c: Operating, o: Operand | undefined): Read | undefined => o && readWord(c, o);
const multicastOf = (read: Read | undefined, warp: Warp, lane: number): { readonly multicast?: number } =>
  read ? { multicast: read(warp, lane) & 0xffff } : {};

function mapAt(warp: Warp, lane: number, address: number): TensorMap {
  warp.block.launch.monitor?.mapUsed(warp, lane, address);
  return decodeTensorMap(warp.block.launch.global.view(address, mapBytes));
}

/** Those of `.im2col_no_offs`. */
const noOffsets = ({ opcode }: Instruction, dimensions: number): { readonly offsets?: readonly number[] } =>
  opcode.modifiers.mode === "im2col_no_offs" ? { offsets: Array.from({ length: dimensions - 2 }, () => 0) } : {};

const tensorLoad: OperationRule = (c, i) => {
  const [destination, tensor, barrier, offsets, mask] = i.operands;
  const { map, coordinates } = readTensor(c, tensor);
  const [to, bar] = [readShared(c, destination), readShared(c, barrier)];
  const window = offsets ? itemsOf(offsets).map((item) => readWord(c, item)) : undefined;
  const ranks = optional(c, mask);
  return each((warp, lane) =>
    issueTensorLoad(
      unitsOf(warp),
      {
        map: mapAt(warp, lane, map(warp, lane)),
        coordinates: coordinates.map((read) => read(warp, lane)),
        ...(window ? { offsets: window.map((read) => read(warp, lane) & 0xffff) } : {}),
        destination: to(warp, lane),
        barrier: bar(warp, lane),
        ...multicastOf(ranks, warp, lane),
      },
      watchOf(warp, lane),
    ),
  );
};

const tensorStore: OperationRule = (c, i) => {
  const [tensor, source] = i.operands;
  const { map, coordinates } = readTensor(c, tensor);
  const from = readShared(c, source);
  const reduce = i.opcode.modifiers.op as ReduceOp | undefined;
  const offsets = noOffsets(i, coordinates.length);
  return each((warp, lane) =>
    issueTensorStore(
      unitsOf(warp),
      {
        map: mapAt(warp, lane, map(warp, lane)),
        coordinates: coordinates.map((read) => read(warp, lane)),
        source: from(warp, lane),
        ...(reduce ? { reduce } : {}),
        ...offsets,
        groups: warp.bulkGroups(lane),
      },
      watchOf(warp, lane),
    ),
  );
};

const reductionOf = ({ opcode: { modifiers } }: Instruction): { readonly reduce?: { op: ReduceOp; type: ReduceType } } =>
  modifiers.op ? { reduce: { op: modifiers.op as ReduceOp, type: modifiers.type as ReduceType } } : {};

const bulkLoad =
  (from: "global" | "shared"): OperationRule =>
  (c, i) => {
    const [destination, source, size, barrier, mask] = i.operands;
    const [to, bytes, bar] = [readShared(c, destination), readWord(c, size), readShared(c, barrier)];
    const at = from === "global" ? readGlobal(c, source) : readShared(c, source);
    const ranks = optional(c, mask);
    return each((warp, lane) =>
      issueBulkLoad(
        unitsOf(warp),
        {
          from,
          source: at(warp, lane),
          destination: to(warp, lane),
          bytes: bytes(warp, lane) >>> 0,
          barrier: bar(warp, lane),
          ...multicastOf(ranks, warp, lane),
          ...reductionOf(i),
        },
        watchOf(warp, lane),
      ),
    );
  };

const bulkStore: OperationRule = (c, i) => {
  if (i.opcode.modifiers.mask) throw new Unsupported(i.opcode.text);
  const [destination, source, size] = i.operands;
  const [to, from, bytes] = [readGlobal(c, destination), readShared(c, source), readWord(c, size)];
  return each((warp, lane) =>
    issueBulkStore(
      unitsOf(warp),
      {
        source: from(warp, lane),
        destination: to(warp, lane),
        bytes: bytes(warp, lane) >>> 0,
        ...reductionOf(i),
        groups: warp.bulkGroups(lane),
      },
      watchOf(warp, lane),
    ),
  );
};

/** PTX leaves undefined what a copy of more bytes than it has does (9.7.9.25.3.1). */
function checkTaken(taken: number, bytes: number): number {
  if (taken >= 0 && taken <= bytes) return taken;
  throw new KernelFault(`it has cp.async read ${taken} bytes of the ${bytes} that it copies`);
}

const copy =
  (ignores: boolean): OperationRule =>
  (c, { operands: [destination, source, size, rest] }) => {
    const [to, from, bytes] = [readShared(c, destination), readGlobal(c, source), readWord(c, size)];
    const taken: Read = !rest ? bytes : ignores ? ignoring(readPredicate(c, rest), bytes) : readWord(c, rest);
    return each((warp, lane) =>
      issueAsyncCopy(
        unitsOf(warp),
        {
          source: from(warp, lane),
          destination: to(warp, lane),
          bytes: bytes(warp, lane),
          sourceBytes: checkTaken(taken(warp, lane), bytes(warp, lane)),
          groups: warp.copyGroups(lane),
        },
        watchOf(warp, lane),
      ),
    );
  };
const ignoring =
  (ignore: Read, bytes: Read): Read =>
  (warp, lane) =>
    ignore(warp, lane) ? 0 : bytes(warp, lane);

const groupsOf = (warp: Warp, lane: number, kind: GroupKind): AsyncGroups =>
  kind === "bulk" ? warp.bulkGroups(lane) : warp.copyGroups(lane);

const commit =
  (kind: GroupKind): OperationRule =>
  () =>
    each((warp, lane) => {
      const groups = groupsOf(warp, lane, kind);
      warp.block.launch.monitor?.commits(warp, lane, groups, kind);
      commitGroup(groups);
    });

function tellWaits(warp: Warp, mask: number, kind: GroupKind, allowed: number, read: boolean): void {
  const { monitor } = warp.block.launch;
  if (monitor) forEachLane(mask, (lane) => monitor.waits(warp, lane, groupsOf(warp, lane, kind), kind, allowed, read));
}

const wait =
  (kind: GroupKind): OperationRule =>
  (_, { operands: [count], opcode }) => {
    const allowed = count?.kind === "int" ? Number(count.value) : 0;
    const read = Boolean(opcode.modifiers.read);
    return (warp, mask) => {
      let through = true;
      forEachLane(mask, (lane) => {
        through &&= groupsThrough(groupsOf(warp, lane, kind), allowed, read);
      });
      if (!through) {
        forEachLane(mask, (lane) => warp.block.launch.scheduler?.awaits(groupsOf(warp, lane, kind)));
        return "wait";
      }
      tellWaits(warp, mask, kind, allowed, read);
      return "next";
    };
  };
const waitAll: OperationRule = () => (warp, mask) => {
  let through = true;
  forEachLane(mask, (lane) => {
    through &&= allThrough(warp.copyGroups(lane));
  });
  if (!through) {
    forEachLane(mask, (lane) => warp.block.launch.scheduler?.awaits(warp.copyGroups(lane)));
    return "wait";
  }
  const { monitor } = warp.block.launch;
  // What has not been committed is waited for, too.
  if (monitor) forEachLane(mask, (lane) => monitor.commits(warp, lane, warp.copyGroups(lane), "copy"));
  tellWaits(warp, mask, "copy", 0, false);
  return "next";
};

export const copyRules: OperationRules = {
  "cp.async.bulk.tensor.load": tensorLoad,
  "cp.async.bulk.tensor.store": tensorStore,
  "cp.reduce.async.bulk.tensor": tensorStore,
  "cp.async.bulk.load": bulkLoad("global"),
  "cp.async.bulk.peer": bulkLoad("shared"),
  "cp.reduce.async.bulk.peer": bulkLoad("shared"),
  "cp.async.bulk.store": bulkStore,
  "cp.reduce.async.bulk.store": bulkStore,
  "cp.async.bulk.commit_group": commit("bulk"),
  "cp.async.bulk.wait_group": wait("bulk"),
  "cp.async": copy(false),
  "cp.async.ignore_src": copy(true),
  "cp.async.commit_group": commit("copy"),
  "cp.async.wait_group": wait("copy"),
  "cp.async.wait_all": waitAll,
};
