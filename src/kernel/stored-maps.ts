/** Stores by TMA to rows that end elsewhere than at multiples of 16 bytes: the hardware writes on to the next one (docs/hardware.md, docs/decisions/0024). */

import { inLoopsWords } from "../base/diag/index.ts";
import { elementBytes } from "../base/element-types.ts";
import { bytesBehindRow } from "../base/tensor-map.ts";
import type { DType } from "../base/types.ts";
import type { TMA } from "../dsl/index.ts";
import { type DeviceTensor, isDeviceTensor, roomOf } from "../runtime/index.ts";
import type { Arguments } from "./arguments.ts";
import { makeError } from "./errors.ts";
import type { Instance } from "./instance.ts";
import type { KernelSource } from "./source.ts";

/** Rows of a map begin at multiples of so many bytes. */
const unit = 16;

/**
 * Whether what lies behind the rows of a tensor is padding: they lie as near to each other as rows of a map may, or it is one row and memory ends
 * there. Undefined where it is; else how many bytes lie between two rows, or behind the only one, as far as that is known.
 */
function behindRows(tensor: DeviceTensor): { readonly bytes: number | undefined; readonly rows: number } | undefined {
  const size = elementBytes[tensor.dtype];
  const row = (tensor.shape.at(-1) ?? 1) * size;
  const nearest = row + bytesBehindRow(row);
  const outer = tensor.shape.slice(0, -1);
  const pitches = outer.map((_, d) => (tensor.strides[d] ?? 0) * size);
  // The stride of one row says how the rows lay that it was taken of.
  if (pitches.includes(nearest)) return undefined;
  const between = pitches.filter((_, d) => (outer[d] ?? 1) > 1);
  const rows = outer.reduce((n, extent) => n * extent, 1);
  if (between.length > 0) return { bytes: Math.min(...between) - row, rows };
  const room = roomOf(tensor);
  if (room !== undefined && room - row < unit) return undefined;
  return { bytes: room && room - row, rows };
}

/** Whether a box of the map that begins at a column up to `last` may hold the end of a row. */
const reachesEnd = ({ map }: TMA, last: number | null): boolean => {
  if (last === null || map.mode === "im2col") return true;
  const [extent = 1] = map.dims;
  const [width = 1] = map.box;
  const whole = extent - (extent % (unit / elementBytes[map.dtype]));
  return last + width > whole;
};

/** Refuses a launch that would write over what belongs to somebody else. W7675. */
export function checkStoredMaps(source: KernelSource, sorted: Arguments, { storedMaps }: Instance): void {
  for (const { name, reduces, last, spans } of storedMaps) {
    const param = sorted.params.find((p) => p.name === name);
    if (param?.kind !== "tma" || !isDeviceTensor(param.tma.tensor)) continue;
    const tensor: DeviceTensor = param.tma.tensor;
    const dtype: DType = tensor.dtype;
    const elements = tensor.shape.at(-1) ?? 1;
    const over = bytesBehindRow(elements * elementBytes[dtype]);
    const behind = over > 0 && reachesEnd(param.tma, last) && behindRows(tensor);
    if (!behind) continue;
    const given = source.derived?.find((map) => map.name === name)?.of ?? name;
    const row = { dtype, elements, size: elementBytes[dtype], over };
    const error = makeError("W7675", { kernel: source.name, name: given, reduces, ...row, ...behind }, spans);
    throw source.derived ? inLoopsWords(error) : error;
  }
}
