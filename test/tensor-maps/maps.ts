/** Tensor maps of every kind, by chance, which both devices are asked to encode. */
import { type Im2colMap, im2colMap, type MapOptions, swizzleBytes, type TiledMap, tiledMap } from "../../src/base/tensor-map.ts";
import type { DType, Swizzle } from "../../src/base/types.ts";
import { createRandom, type Random } from "../fuzz/random.ts";

export interface AskedMap {
  readonly address: bigint;
  readonly map: TiledMap | Im2colMap;
}

const bytesOf: readonly (readonly [DType, number])[] = [
  ["f64", 8],
  ["i64", 8],
  ["u64", 8],
  ["f32", 4],
  ["tf32", 4],
  ["i32", 4],
  ["u32", 4],
  ["f16", 2],
  ["bf16", 2],
  ["i16", 2],
  ["u16", 2],
  ["e4m3", 1],
  ["i8", 1],
  ["u8", 1],
];
const floats: readonly DType[] = ["f64", "f32", "tf32", "f16", "bf16"];

function makeMap(r: Random): AskedMap {
  const [dtype, bytes] = r.pick(bytesOf);
  const rank = r.between(1, 5);
  const interleave = rank >= 3 && r.chance(0.2) ? r.pick(["16B", "32B"] as const) : "none";
  const swizzle: Swizzle = interleave === "32B" ? "32B" : interleave === "16B" ? "none" : r.pick(["none", "32B", "64B", "128B"]);
  const unit = 32 / bytes;
  const shape = Array.from({ length: rank }, (_, i) => (i === rank - 1 ? unit * r.between(1, 64) : r.between(1, 200)));
  const strides = shape.map(() => 1);
  for (let i = rank - 2; i >= 0; i--)
    strides[i] = (strides[i + 1] as number) * Math.max(unit, (shape[i + 1] as number) + unit * r.below(3));
  for (let i = 0; i < rank - 1; i++) strides[i] = Math.ceil((strides[i] as number) / unit) * unit;
  const options: MapOptions = {
    swizzle,
    interleave,
    l2Promotion: r.pick(["none", "64B", "128B", "256B"] as const),
    oobFill: floats.includes(dtype) && r.chance(0.3) ? "nan" : "zero",
    elementStrides: shape.map(() => (r.chance(0.2) ? r.between(1, 8) : 1)),
  };
  const row = Math.min(256, swizzle === "none" ? 256 : swizzleBytes[swizzle] / bytes);
  const inner = Math.max(16 / bytes, Math.floor(r.between(1, row) / (16 / bytes)) * (16 / bytes));
  const address = BigInt(r.between(1, 2 ** 20)) * 32n + BigInt(r.below(2 ** 15)) * 2n ** 32n;
  if (rank >= 3 && r.chance(0.4)) {
    const corner = (): number[] => Array.from({ length: rank - 2 }, () => r.between(-3, 3));
    const wide = shape.map((n, i) => (i > 0 && i < rank - 1 ? n + 8 : n));
    const spec = { dtype, rank, shape: wide, strides: widened(wide, unit) };
    return {
      address,
      map: im2colMap(spec, { ...options, lower: corner(), upper: corner(), channels: inner, pixels: r.between(1, 1024) }),
    };
  }
  const box = shape.map((_, i) => (i === rank - 1 ? inner : r.between(1, rank > 3 ? 6 : 30)));
  return { address, map: tiledMap({ dtype, rank, shape, strides }, { ...options, box }) };
}

/** Dense, in steps that the hardware takes. */
function widened(shape: readonly number[], unit: number): number[] {
  const strides = shape.map(() => 1);
  for (let i = shape.length - 2; i >= 0; i--)
    strides[i] = Math.ceil(((strides[i + 1] as number) * (shape[i + 1] as number)) / unit) * unit;
  return strides;
}

export const askedMaps: readonly AskedMap[] = Array.from({ length: 300 }, (_, seed) => makeMap(createRandom(seed)));

/** Words in hexadecimal digits, without the zeros at the end. */
export function hexOf(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const words = Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true).toString(16));
  while (words.at(-1) === "0") words.pop();
  return words.join(" ");
}
