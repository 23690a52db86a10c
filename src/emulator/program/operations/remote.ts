/** `st.async`, `red.async` (PTX ISA 9.7.9.13, 9.7.13.9), lane by lane. */
import type { Operand } from "../../../ptx/parse/index.ts";
import { b32, type DataType } from "../../../ptx/parse/index.ts";
import { forEachLane } from "../../machine/lanes.ts";
import { issueRemoteStore, type ReduceOp, type ReduceType } from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { itemsOf, type Operating, readShared } from "../operands.ts";
import { valueBytes } from "./lane-values.ts";
import type { OperationRule, OperationRules } from "./rule.ts";
import { watchOf } from "./watch.ts";

/** The bytes of a scalar or vector, one element after the other. */
function bytesOf(c: Operating, o: Operand | undefined, type: DataType): (warp: Warp, lane: number) => Uint8Array {
  const items = itemsOf(o).map((item) => valueBytes(c, item, type));
  return (warp, lane) => {
    const parts = items.map((read) => read(warp, lane));
    const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
    parts.forEach((part, n) => void all.set(part, n * part.length));
    return all;
  };
}

const remote: OperationRule = (c, { operands: [address, value, barrier], opcode: { modifiers, types } }) => {
  const type = types.type ?? b32;
  const [to, bar, bytes] = [readShared(c, address), readShared(c, barrier), bytesOf(c, value, type)];
  const reduce = modifiers.op ? { op: modifiers.op as ReduceOp, type: type.name as ReduceType } : undefined;
  return (warp, mask) => {
    forEachLane(mask, (lane) => {
      const store = { value: bytes(warp, lane), destination: to(warp, lane), barrier: bar(warp, lane), reduce };
      issueRemoteStore(warp.block.cluster.units, store, watchOf(warp, lane));
    });
    return "next";
  };
};

export const remoteRules: OperationRules = { "st.async": remote, "red.async": remote };
