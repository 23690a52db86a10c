import { bitsOf, isScalar, typeName } from "../types.ts";
import { operandType, type RawOp } from "../value.ts";
import { defineOps } from "./define-ops.ts";

const vote = { effects: ["sync"], participants: "warp", called: "a vote" } as const;
const comparison = { effects: ["sync"], participants: "warp", called: "a comparison of lanes (match)" } as const;

/** Words and pairs of words are compared: nothing narrower. */
function comparesWords(op: RawOp): string | undefined {
  const type = operandType(op, "value");
  if (!type || !isScalar(type)) return undefined;
  return bitsOf(type) === 32 || bitsOf(type) === 64 ? undefined : `compares 32 or 64 bits, not ${typeName(type)}`;
}

function reducesWords(op: RawOp): string | undefined {
  const type = operandType(op, "value");
  return type === "i32" || type === "u32" ? undefined : `works on i32 and u32, not ${type ? typeName(type) : "nothing"}`;
}

/** What all 32 lanes of a warp do in one instruction, beside `vote.ballot` and `shfl`. */
export const warpOps = defineOps({
  vote: {
    doc: "Is the condition true in any lane of the warp, or in all of them; all 32 lanes take part.",
    ptx: "9.7.13.9",
    operands: { condition: "pred" },
    attrs: { mode: ["any", "all"] },
    result: "pred",
    ...vote,
  },
  "match.any": {
    doc: "One bit for each lane of the warp that has the same bits as this one; all 32 lanes take part.",
    ptx: "9.7.13.10",
    operands: { value: "scalar" },
    result: "u32",
    ...comparison,
    verify: comparesWords,
  },
  "match.all": {
    doc: "Do all lanes of the warp have the same bits; all 32 lanes take part.",
    ptx: "9.7.13.10",
    operands: { value: "scalar" },
    result: "pred",
    ...comparison,
    verify: comparesWords,
  },
  "redux.sync": {
    doc: "The words of all lanes of the warp combined; sums wrap. All 32 lanes take part.",
    ptx: "9.7.13.12",
    operands: { value: "int" },
    attrs: { op: ["add", "min", "max", "and", "or", "xor"] },
    result: "=value",
    effects: ["sync"],
    participants: "warp",
    called: "a reduction of a warp",
    level: "machine",
    verify: reducesWords,
  },
});
