import { elementBytes } from "../../../base/element-types.ts";
import { first, mul } from "../../../ir/arith.ts";
import type { Attrs, Op, Value } from "../../../ir/index.ts";
import { elementPlaces, instructionK, rowsEach } from "../../../layout/index.ts";
import { type Expand, type Expansion, operandOf, standFor, tileOf } from "./expansion.ts";
import { groupIndex } from "./fragment.ts";
import { roleOf, stridesOf } from "./operands.ts";
import type { RegisterOperand, Role, SharedOperand, TileParts } from "./parts.ts";
import { accumulatorOf, wordsIn } from "./tiles.ts";

type Inputs = Attrs<"wgmma.mma_async">["aType"];

function attrsOf(
  op: Op<"tile.mma">,
  a: SharedOperand | RegisterOperand,
  A: Role | undefined,
  b: SharedOperand,
): Attrs<"wgmma.mma_async"> {
  const B = roleOf(b, "B");
  const sparse = op.operands.metadata !== undefined;
  const k = a.type.cols * (sparse ? 2 : 1);
  const steps = k / instructionK(elementBytes[a.type.dtype]);
  return {
    aType: a.type.dtype as Inputs,
    bType: b.type.dtype as Inputs,
    k,
    aKSteps: A?.strides.kSteps ?? Array.from({ length: steps }, () => 0),
    bKSteps: sparse ? B.strides.kSteps.filter((_, i) => i % 2 === 0) : B.strides.kSteps,
    aRowStep: A?.strides.rowStep ?? 0,
    aMajor: A?.strides.major ?? "k",
    bMajor: B.strides.major,
    negateA: op.attrs.negate === "A",
    negateB: op.attrs.negate === "B",
    saturate: false,
  };
}

/** For each K step and each 64 rows the thread's word of metadata: of types of 16 and 32 bits one for two steps. */
function metadataWords(x: Expansion, metadata: TileParts, a: SharedOperand | RegisterOperand): readonly Value[] {
  const bytes = elementBytes[a.type.dtype];
  const word = wordsIn(x.w, metadata);
  const at = new Map(elementPlaces(metadata.type).flatMap((place, i) => (i % 2 === 0 ? [[place.join(), i / 2]] : [])));
  const steps = a.type.cols / instructionK(bytes);
  const slabs = rowsEach(metadata.type) / 64;
  return Array.from({ length: steps * slabs }, (_, i) => {
    const [step, slab] = [Math.floor(i / slabs), i % slabs];
    const found = at.get(`${64 * slab},${4 * (bytes === 1 ? step : step >> 1)}`);
    if (found === undefined) throw new TypeError("the thread does not hold the metadata that it is to give");
    return word(found);
  });
}

/** Fence, product, commit. */
const product: Expand<"tile.mma"> = (x, op) => {
  const { w } = x;
  const tile = tileOf(x, op.operands.acc);
  const [a, b] = [operandOf(x, op.operands.a), operandOf(x, op.operands.b)];
  if (b.kind === "registers") throw new TypeError("the right operand lies in shared memory");
  const acc = accumulatorOf(w, tile);
  const { accumulate } = op.operands;
  const metadata = op.operands.metadata && metadataWords(x, tileOf(x, op.operands.metadata), a);
  if (a.kind === "registers") {
    w.emit("wgmma.fence", {}, {});
    const operands = { acc, a: a.registers, b: stridesOf(x, b, "B"), accumulate };
    const attrs = attrsOf(op, a, undefined, b);
    const made = metadata
      ? w.emit("wgmma.mma_async.sp.rs", { ...operands, metadata }, attrs)
      : w.emit("wgmma.mma_async.rs", operands, attrs);
    standFor(x, op, { kind: "tile", type: tile.type, contents: { kind: "acc", value: first(made) } });
  } else {
    const A = roleOf(a, "A");
    const each = rowsEach(tile.type);
    const group = groupIndex(w, tile.type, op.attrs.warpgroups);
    const rows = group && mul(w, group, (each / 64) * A.strides.rowStep);
    const operands = { acc, a: stridesOf(x, a, "A", rows), b: stridesOf(x, b, "B"), accumulate };
    w.emit("wgmma.fence", {}, {});
    const attrs = attrsOf(op, a, A, b);
    const made = metadata
      ? w.emit("wgmma.mma_async.sp", { ...operands, metadata }, attrs)
      : w.emit("wgmma.mma_async", operands, attrs);
    standFor(x, op, { kind: "tile", type: tile.type, contents: { kind: "acc", value: first(made) } });
  }
  w.emit("wgmma.commit_group", {}, {});
};

export const productRules = { "tile.mma": product } as const;
