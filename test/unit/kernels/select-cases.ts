import type { Device, DeviceTensor } from "warpsmith";

export type Float = "f16" | "bf16" | "f32";
export type Any = DeviceTensor<Float, 2>;

/** Numbers that many elements have in common, and others that NaN, infinities and zeros of both signs are among. */
export const kinds = {
  normal: (i: number) => Math.sin(i * 12.9898) * Math.cos(i * 78.233) * 3,
  ties: (i: number) => ((i * 7919) % 5) - 2,
  same: () => 1.5,
  special: (i: number) =>
    [Number.NaN, Number.POSITIVE_INFINITY, 0, -0, Number.NEGATIVE_INFINITY, 2, -2, 1e-30][(i * 31) % 11] ?? Math.sin(i),
} as const satisfies Readonly<Record<string, (i: number) => number>>;
export type Kind = keyof typeof kinds;

/** A matrix of those; its rows begin where no vector does and lie apart unless it is dense. */
export function matrix(device: Device, dtype: Float, [rows, columns]: readonly [number, number], kind: Kind, dense = true): Any {
  const data = Float32Array.from({ length: rows * columns }, (_, i) => kinds[kind](i));
  if (dense) return device.tensor(dtype, [rows, columns], data) as Any;
  const view = (device.empty(dtype, [rows, columns + 3]) as Any).slice(undefined, [1, columns + 1]) as Any;
  view.write(data);
  return view;
}

/** Columns from the greatest element to the least: NaN first, of equal ones the first. */
export function columnsInOrder(row: readonly number[]): number[] {
  const before = (a: number, b: number) =>
    Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : Number.isNaN(b) ? 1 : a === b ? 0 : b - a;
  return row.map((_, i) => i).sort((a, b) => before(row[a] ?? 0, row[b] ?? 0) || a - b);
}

export async function rowsOf(x: DeviceTensor): Promise<number[][]> {
  const columns = x.shape.at(-1) ?? 1;
  const all = Array.from((await x.read()) as ArrayLike<number>, Number);
  return Array.from({ length: all.length / columns }, (_, r) => all.slice(r * columns, (r + 1) * columns));
}
