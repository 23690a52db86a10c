import type { Device, DeviceTensor } from "warpsmith";

export type ResultType = "f16" | "bf16" | "f32";

/** Where rows of a result begin: the first one `begin` elements beyond a multiple of 16 bytes, the others `pitch` further each. */
export interface Place {
  readonly pitch: number;
  readonly begin: number;
}

/** A part of a wider matrix, all of which holds 7. */
export function partOf(device: Device, dtype: ResultType, [m, n]: readonly [number, number], { pitch, begin }: Place) {
  const memory = device.empty(dtype, [m + 2, pitch]) as DeviceTensor<ResultType, 2>;
  memory.fill(7);
  const part = memory.slice([1, m + 1], [begin, begin + n]) as DeviceTensor<ResultType, 2>;
  return { memory, part };
}

/** How many elements beside the part no longer hold 7. */
export async function changedBeside(memory: DeviceTensor<ResultType, 2>, n: number, begin: number): Promise<number> {
  const [rows, pitch] = memory.shape;
  const all = await memory.read();
  let changed = 0;
  for (let i = 0; i < rows; i++) {
    const inside = i > 0 && i < rows - 1;
    for (let j = 0; j < pitch; j++) if (!(inside && j >= begin && j < begin + n) && all[i * pitch + j] !== 7) changed++;
  }
  return changed;
}
