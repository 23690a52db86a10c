import { elementBytes } from "../../../base/element-types.ts";
import { add, constant, first } from "../../../ir/arith.ts";
import { isOperand, type Op, type OperandType, type SharedViewType, type Value } from "../../../ir/index.ts";
import { apply, elementPlaces, inUnits, isProblem, registersWithin, rowsEach, wgmmaOperand } from "../../../layout/index.ts";
import { hardwareSwizzle, type Layout, patternBytes } from "../../../layout/modes/index.ts";
import { viewPointer } from "./addresses.ts";
import { type Expand, type Expansion, indexOf, operandOf, refuse, sharedOf, standFor, tileOf } from "./expansion.ts";
import { rolesOf } from "./leaves.ts";
import { indexOffset, noOffset, type Offset, plus } from "./offset.ts";
import type { Role, RoleName, SharedOperand, SharedParts } from "./parts.ts";
import { wordsIn } from "./tiles.ts";

/** The type of the operand that an op gives. */
function operandType(op: Op): OperandType {
  const type = op.results[0]?.type;
  if (!type || !isOperand(type)) throw new TypeError(`${op.name} gives no operand`);
  return type;
}

/** The leading dimensions of an operand that are not chosen yet. */
const openStages = ({ view, chosen }: OperandType): Layout => (view ? view.layout.slice(0, -2).slice(chosen) : []);

/** Bytes that surely divide the address so many bytes from where the buffer begins. */
export const alignmentAt = ({ align }: SharedViewType, fixed: number): number =>
  fixed === 0 ? align : Math.min(align, fixed & -fixed);

/** The start, and every stage's, lies in row 0 of a pattern. W6108. */
function checkStart(x: Expansion, { type, offset }: SharedParts, stages: Layout): void {
  const { swizzle } = type;
  const align = Math.max(16, patternBytes(swizzle));
  const row = Math.max(16, Math.min(128, align / 8));
  const what = "an operand of wgmma";
  const [stray] = stages.flat().filter((m) => m.extent > 1 && m.stride % align !== 0);
  if (stray) refuse(x, "W6108", { what: "each stage of an operand", align, known: stray.stride & -stray.stride });
  if (offset.fixed % 16 !== 0 || (swizzle !== "none" && offset.fixed % align >= row))
    refuse(x, "W6108", { what, align, known: offset.fixed & -offset.fixed });
  const known = alignmentAt(type, 0);
  if (known < align) refuse(x, "W6108", { what, align, known });
}

const shared: Expand<"operand.shared"> = (x, op) => {
  const type = operandType(op as Op);
  const view = sharedOf(x, op.operands.view);
  checkStart(x, view, openStages(type));
  const swizzle = hardwareSwizzle(view.type.swizzle);
  const ptr = viewPointer(x.w, view);
  const roles = rolesOf(type, ({ leading, stride }) =>
    first(x.w.emit("wgmma.descriptor", { ptr }, { swizzle, leading, stride })),
  );
  standFor(x, op, { kind: "operand", type, roles, advance: () => noOffset });
};

const at: Expand<"operand.at"> = (x, op) => {
  const operand = operandOf(x, op.operands.operand);
  if (operand.kind !== "operand") throw new TypeError("an operand in registers has no stages");
  const [dimension = []] = openStages(operand.type);
  const stage = indexOf(x, op.operands.stage);
  const advance = (): Offset => plus(x.w, operand.advance(), indexOffset(x.w, inUnits(dimension), stage, "i32"));
  standFor(x, op, { ...operand, type: operandType(op as Op), advance });
};

/** What the instructions take from registers, one after the other: 64 rows of 32 bytes, in words of `width` elements. */
function wordsOfStep(width: 1 | 2 | 4): readonly Record<string, number>[] {
  const step = wgmmaOperand({ bits: (32 / width) as 8 | 16 | 32 });
  return registersWithin(step, { row: 64, col: 8 * width })
    .filter((register) => register % width === 0)
    .map((register) => apply(step, { register }));
}

/** Every thread holds the elements of a left operand that it is to give: its registers, in another order. */
const inRegisters: Expand<"operand.registers"> = (x, op) => {
  const tile = tileOf(x, op.operands.tile);
  const { dtype } = tile.type;
  const [, cols = 0] = tile.type.shape;
  const width = (4 / elementBytes[dtype]) as 1 | 2 | 4;
  const word = wordsIn(x.w, tile);
  const held = new Map(elementPlaces(tile.type).map((place, i) => [place.join(), i]));
  const registers: Value[] = [];
  const words = wordsOfStep(width);
  for (let col = 0; col < cols; col += 8 * width) {
    for (let row = 0; row < rowsEach(tile.type); row += 64) {
      for (const { row: r = 0, col: c = 0 } of words) {
        const at = held.get(`${row + r},${col + c}`);
        if (at === undefined || at % width !== 0) throw new TypeError("the thread does not hold what it is to give");
        registers.push(word(at / width));
      }
    }
  }
  standFor(x, op, { kind: "registers", type: operandType(op as Op), registers });
};

/** Operands of products: descriptors of shared memory, or registers. */
export const operandRules = {
  "operand.shared": shared,
  "operand.at": at,
  "operand.registers": inRegisters,
} as const;

/** This operand as one side of a product. */
export function roleOf({ roles }: SharedOperand, name: RoleName): Role {
  const role = roles[name];
  if (isProblem(role)) throw new TypeError("the tracer refuses what cannot be walked");
  return role;
}

/** The descriptor of the chosen stage; `by`: units of 16 bytes further on. */
export function stridesOf(x: Expansion, operand: SharedOperand, name: RoleName, by?: Value): Value {
  const { desc } = roleOf(operand, name);
  const { fixed, staged } = operand.advance();
  const parts = [staged, by, fixed === 0 ? undefined : constant(x.w, fixed, "i32")].filter((v) => v !== undefined);
  if (parts.length === 0) return desc;
  const sum = parts.reduce((a, b) => add(x.w, a, b));
  return first(x.w.emit("wgmma.advance", { desc, by: sum }, {}));
}
