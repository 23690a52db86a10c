/** Tensor maps that a program's intrinsics ask for: which there are, and how a launch makes them of its tensors. */

import { elementBytes } from "../../../base/element-types.ts";
import type { TensorSpec } from "../../../base/types.ts";
import { TMA } from "../../../dsl/emit.ts";
import { fail } from "../../errors/index.ts";
import { intrinsicOf, type MapRequest } from "../../intrinsics/registry.ts";
import type { Program } from "../../ir/types.ts";
import { statements } from "../../ir/walk.ts";

/** A map of one of the program's parameters. */
export interface ParameterMap {
  /** The parameter's name, and its number. */
  readonly of: string;
  readonly parameter: number;
  readonly request: MapRequest;
  /** What tells maps of one parameter apart. */
  readonly key: string;
}

export const mapKey = ({ box, swizzle }: MapRequest): string => `${box.join("x")}_${swizzle}`;

/** The map of the last boxes of rows, where it is another one. */
export const restOf = ({ box, swizzle, rest }: MapRequest): MapRequest | undefined =>
  rest === undefined ? undefined : { box: [box[0], rest], swizzle };

/** The maps that intrinsics of the program take, each once, in the order of their first use. */
export function mapsOf(program: Program): readonly ParameterMap[] {
  const found = new Map<string, ParameterMap>();
  for (const s of statements(program.body)) {
    if (s.kind !== "intrinsic") continue;
    const { maps, description } = intrinsicOf(s.name, s.span ? [s.span] : undefined);
    if (!maps) continue;
    for (const [n, { name }] of description.params.entries()) {
      const [whole, buffer] = [maps[name], s.args[n]?.buffer];
      const parameter = buffer ? program.params.indexOf(buffer) : -1;
      if (!whole || !buffer || parameter < 0) continue;
      for (const request of [whole, restOf(whole)]) {
        const key = request && mapKey(request);
        if (request && key) found.set(`${parameter} ${key}`, { of: buffer.name, parameter, request, key });
      }
    }
  }
  return [...found.values()];
}

/** Maps made before: a launch with the same tensors takes the same. */
const made = new WeakMap<object, Map<string, TMA>>();

/** Is it a tensor, or what one is like? */
export const isTensor = (x: unknown): x is TensorSpec =>
  typeof x === "object" && x !== null && "strides" in x && "shape" in x && "dtype" in x;

/** TMA takes rows whose elements are neighbours, and that begin at multiples of so many bytes. */
const granularity = 16;

/** Refuses a tensor whose rows TMA cannot take. W5577. */
function checkRows(program: string, name: string, { dtype, shape, strides }: TensorSpec): void {
  const refuse = (why: string): never => fail("W5577", { program, name, why });
  const rows = shape.slice(0, -1);
  if ((strides.at(-1) ?? 1) !== 1 && (shape.at(-1) ?? 1) > 1) refuse("the elements of a row are no neighbours in memory");
  for (const [d, extent] of rows.entries()) {
    const bytes = (strides[d] ?? 0) * elementBytes[dtype];
    if (extent > 1 && bytes % granularity !== 0)
      refuse(`it moves ${bytes} bytes along dimension ${d}, and TMA takes multiples of ${granularity}`);
  }
}

/** The map of a launch's tensor. W5577. */
export function makeMap(program: string, { of, parameter, request, key }: ParameterMap, args: readonly unknown[]): TMA {
  const tensor = args[parameter];
  if (!isTensor(tensor)) throw new Error(`no tensor for ${of}, which is refused before`);
  const known = made.get(tensor) ?? new Map<string, TMA>();
  made.set(tensor, known);
  const before = known.get(key);
  if (before) return before;
  checkRows(program, of, tensor);
  const outer = tensor.shape.slice(0, -2).map(() => 1);
  const map = new TMA(tensor, { box: [...outer, ...request.box], swizzle: request.swizzle, l2Promotion: "128B" });
  known.set(key, map);
  return map;
}
