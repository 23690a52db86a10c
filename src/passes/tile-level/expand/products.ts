import { first, mul } from "../../../ir/arith.ts";
import type { Attrs, Op } from "../../../ir/index.ts";
import { rowsEach } from "../../../layout/tile-layout.ts";
import { instructionK } from "../../../layout/wgmma-walk.ts";
import { elementBytes } from "../../../tensor-map.ts";
import { type Expand, operandOf, standFor, tileOf } from "./expansion.ts";
import { groupIndex } from "./fragment.ts";
import { descriptorOf, roleOf } from "./operands.ts";
import type { RegisterOperand, Role, SharedOperand } from "./parts.ts";
import { accumulatorOf } from "./tiles.ts";

type Inputs = Attrs<"wgmma.mma_async">["aType"];

function attrsOf(
  op: Op<"tile.mma">,
  a: SharedOperand | RegisterOperand,
  A: Role | undefined,
  b: SharedOperand,
): Attrs<"wgmma.mma_async"> {
  const B = roleOf(b, "B");
  const k = a.type.cols;
  const steps = k / instructionK(elementBytes[a.type.dtype]);
  return {
    aType: a.type.dtype as Inputs,
    bType: b.type.dtype as Inputs,
    k,
    aKSteps: A?.walk.kSteps ?? Array.from({ length: steps }, () => 0),
    bKSteps: B.walk.kSteps,
    aRowStep: A?.walk.rowStep ?? 0,
    aMajor: A?.walk.major ?? "k",
    bMajor: B.walk.major,
    negateA: op.attrs.negate === "A",
    negateB: op.attrs.negate === "B",
    saturate: false,
  };
}

/** Fence, product, commit. */
const product: Expand<"tile.mma"> = (x, op) => {
  const { w } = x;
  const tile = tileOf(x, op.operands.acc);
  const [a, b] = [operandOf(x, op.operands.a), operandOf(x, op.operands.b)];
  if (b.kind === "registers") throw new TypeError("the right operand lies in shared memory");
  const acc = accumulatorOf(w, tile);
  const { accumulate } = op.operands;
  if (a.kind === "registers") {
    w.emit("wgmma.fence", {}, {});
    const operands = { acc, a: a.registers, b: descriptorOf(x, b, "B"), accumulate };
    const value = first(w.emit("wgmma.mma_async.rs", operands, attrsOf(op, a, undefined, b)));
    standFor(x, op, { kind: "tile", type: tile.type, contents: { kind: "acc", value } });
  } else {
    const A = roleOf(a, "A");
    const each = rowsEach(tile.type);
    const group = groupIndex(w, tile.type, op.attrs.warpgroups);
    const rows = group && mul(w, group, (each / 64) * A.walk.rowStep);
    const operands = { acc, a: descriptorOf(x, a, "A", rows), b: descriptorOf(x, b, "B"), accumulate };
    w.emit("wgmma.fence", {}, {});
    const value = first(w.emit("wgmma.mma_async", operands, attrsOf(op, a, A, b)));
    standFor(x, op, { kind: "tile", type: tile.type, contents: { kind: "acc", value } });
  }
  w.emit("wgmma.commit_group", {}, {});
};

export const productRules = { "tile.mma": product } as const;
