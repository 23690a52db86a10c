/** What is computed of A before it is multiplied: element by element, on its way from shared memory to the registers that products take it from. */
import type { DType } from "../../../base/types.ts";
import { writes } from "../../facts/touches.ts";
import type { Block, Buffer, Load, Store } from "../../ir/types.ts";
import { operandsOf, within } from "../../ir/walk.ts";
import type { Contraction } from "../contraction.ts";

/** Types that lie in registers as products take them from there. */
const types: readonly DType[] = ["f16", "bf16"];

/** The element that a block makes another of, at the same place; or why it does more, or less, than that. */
function elementOf(block: Block): Load | string {
  const { body, name } = block;
  const no = (why: string): string => `'${name}' ${why}, and A is made in registers, each element of one other`;
  if (block.init || block.axes.some((a) => a.type === "reduce")) return no("sums something up");
  if (body.kind !== "store") return no("is more than one store");
  const { indices } = body;
  const axes = block.axes.map((a) => a.variable);
  const isWhole = indices.length === axes.length && axes.every((v) => indices.includes(v));
  if (!isWhole) return no(`does not store at its own axes`);
  const loads = [...within(body.value)].filter((e): e is Load => e.kind === "load");
  const [first] = loads;
  if (!first) return no("reads no matrix");
  const other = loads.find((l) => l.buffer !== first.buffer);
  if (other) return no(`reads ${first.buffer.name} and ${other.buffer.name}`);
  if (loads.some((l) => l.indices.some((e, d) => e !== indices[d])))
    return no(`reads ${first.buffer.name} at another place than it stores at`);
  return dependsOnPlace(body) ? no("depends on where an element lies") : first;
}

/** Outside of indices, is an axis part of the value? */
const dependsOnPlace = ({ value }: Store): boolean => {
  const found = (e: Store["value"]): boolean => e.kind === "var" || (e.kind !== "load" && operandsOf(e).some(found));
  return found(value);
};

/** A where something is computed of it first. */
export interface LeftFunction {
  /** What TMA copies. */
  readonly source: Buffer;
}

/** What blocks before a product compute of A; undefined where there are none; or why that is not done in registers. */
export function leftFunctionOf({ before, a, b }: Contraction): LeftFunction | string | undefined {
  if (before.length === 0) return undefined;
  const rest = new Set(before);
  let source = a.buffer;
  for (;;) {
    const block = before.find((x) => writes(x, source));
    if (!block) break;
    if (!rest.delete(block)) return `'${block.name}' makes ${source.name} of itself`;
    const element = elementOf(block);
    if (typeof element === "string") return element;
    source = element.buffer;
  }
  const [other] = rest;
  if (other)
    return `'${other.name}' makes ${b.buffer.name}, the right operand, which products take from shared memory as TMA copies it`;
  if (a.lines !== "row") return `something is computed of ${source.name}, the left operand, which then lies by rows, as [i, k]`;
  if (!types.includes(source.dtype))
    return `'${before[0]?.name}' reads ${source.name} of ${source.dtype}, and ${types.join(" or ")} is brought to the registers of products`;
  return { source };
}
