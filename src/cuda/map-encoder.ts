import { type Im2colMap, type Interleave, type L2Promotion, mapBytes, type TiledMap } from "../base/tensor-map.ts";
import type { DType, Swizzle } from "../base/types.ts";
import type { Driver, HostMemory } from "./symbols.ts";

/** CUtensorMapDataType. One byte has no other name than unsigned. */
const dataTypes: Readonly<Record<DType, number>> = {
  u8: 0,
  i8: 0,
  bool: 0,
  e4m3: 0,
  e5m2: 0,
  u16: 1,
  i16: 1,
  u32: 2,
  i32: 3,
  u64: 4,
  i64: 5,
  f16: 6,
  f32: 7,
  f64: 8,
  bf16: 9,
  tf32: 11,
};
const interleaves: Readonly<Record<Interleave, number>> = { none: 0, "16B": 1, "32B": 2 };
const swizzles: Readonly<Record<Swizzle, number>> = { none: 0, "32B": 1, "64B": 2, "128B": 3 };
const promotions: Readonly<Record<L2Promotion, number>> = { none: 0, "64B": 1, "128B": 2, "256B": 3 };

/** The numbers of `cuda.h` for what a map says in words. */
export const mapNumbers = (map: TiledMap | Im2colMap) => ({
  dtype: dataTypes[map.dtype],
  interleave: interleaves[map.interleave],
  swizzle: swizzles[map.swizzle],
  promotion: promotions[map.l2Promotion],
  fill: map.oobFill === "nan" ? 1 : 0,
});

const mapAlignment = 64;

/** Encodes into `out` by the driver; gives its result. `map` is checked already. */
export function encodeInto(
  out: Uint8Array,
  driver: Driver,
  memory: HostMemory,
  address: bigint,
  map: TiledMap | Im2colMap,
): number {
  // The driver wants the map itself at a multiple of 64 bytes.
  const room = new Uint8Array(mapBytes + mapAlignment);
  const start = Number(-memory.addressOf(room) & BigInt(mapAlignment - 1));
  const target = room.subarray(start, start + mapBytes);
  const { dtype, interleave, swizzle, promotion, fill } = mapNumbers(map);
  const head = [target, dtype, map.dims.length, address] as const;
  const dims = BigUint64Array.from(map.dims, BigInt);
  // One stride more than there are: the driver is never given the address of nothing.
  const strides = BigUint64Array.from([...map.strides, 0], BigInt);
  const elementStrides = Uint32Array.from(map.elementStrides);
  const tail = [interleave, swizzle, promotion, fill] as const;
  const code =
    map.mode === "tiled"
      ? driver.cuTensorMapEncodeTiled(...head, dims, strides, Uint32Array.from(map.box), elementStrides, ...tail)
      : driver.cuTensorMapEncodeIm2col(
          ...head,
          dims,
          strides,
          Int32Array.from(map.lower),
          Int32Array.from(map.upper),
          map.channels,
          map.pixels,
          elementStrides,
          ...tail,
        );
  out.set(target);
  return code;
}
