/** Structures of the driver about arrays and textures, as bytes (`cuda.h`, CUDA 12; offsets of the 64-bit ABI). */
import {
  type AddressMode,
  isCube,
  type Sampling,
  type TexelArray,
  type TexelFormat,
  type TexelMemory,
  type TexelType,
  texelBytes,
} from "../base/texture.ts";

/** CUarray_format. */
const formats: Readonly<Record<TexelType, number>> = {
  ...{ u8: 0x01, u16: 0x02, u32: 0x03, i8: 0x08, i16: 0x09, i32: 0x0a, f16: 0x10, f32: 0x20 },
};
/** CUDA_ARRAY3D_… */
const arrayFlag = { layered: 1, surfaceLoadStore: 2, cubemap: 4, textureGather: 8 } as const;
/** CUresourcetype. */
const resourceType = { array: 0, linear: 2, pitch2D: 3 } as const;
/** CU_TRSF_… */
const textureFlag = { readAsInteger: 1, normalizedCoordinates: 2 } as const;
/** CUaddress_mode. */
const modes: Readonly<Record<AddressMode, number>> = { wrap: 0, clamp: 1, mirror: 2, border: 3 };
/** CUmemorytype. */
const memoryType = { device: 2, array: 3 } as const;

/** Words of 32 and 64 bits, by offset. */
function structure(bytes: number, words: readonly (readonly [at: number, value: number | bigint])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(bytes));
  for (const [at, value] of words) {
    if (typeof value === "bigint") view.setBigUint64(at, value, true);
    else view.setUint32(at, value, true);
  }
  return new Uint8Array(view.buffer);
}

const formatAt = (at: number, { type, channels }: TexelFormat): readonly (readonly [number, number])[] => [
  [at, formats[type]],
  [at + 4, channels],
];

/** CUDA_ARRAY3D_DESCRIPTOR: an extent that an array does not have is 0. */
export function arrayDescriptor({ format, geometry, width, height, depth, gather, surface }: TexelArray): Uint8Array {
  const flat = geometry.endsWith("1d");
  const deep = geometry !== "1d" && geometry !== "2d";
  const flags =
    (geometry.startsWith("a") ? arrayFlag.layered : 0) |
    (surface ? arrayFlag.surfaceLoadStore : 0) |
    (isCube(geometry) ? arrayFlag.cubemap : 0) |
    (gather ? arrayFlag.textureGather : 0);
  const extents = [BigInt(width), flat ? 0n : BigInt(height), deep ? BigInt(depth) : 0n];
  return structure(40, [...extents.map((extent, i) => [8 * i, extent] as const), ...formatAt(24, format), [32, flags]]);
}

/** CUDA_MEMCPY3D of a whole array, from memory or to it. */
export function wholeCopy(array: TexelArray, handle: bigint, address: bigint, toArray: boolean): Uint8Array {
  const { format, width, height, depth } = array;
  const row = BigInt(width * texelBytes(format));
  const [source, destination] = [0, 88];
  const [memory, other] = toArray ? [source, destination] : [destination, source];
  return structure(200, [
    [memory + 32, memoryType.device],
    [memory + 48, address],
    [memory + 72, row],
    [memory + 80, BigInt(height)],
    [other + 32, memoryType.array],
    [other + 56, handle],
    [176, row],
    [184, BigInt(height)],
    [192, BigInt(depth)],
  ]);
}

/** CUDA_RESOURCE_DESC of an array. */
export const arrayResource = (handle: bigint): Uint8Array =>
  structure(144, [
    [0, resourceType.array],
    [8, handle],
  ]);

/** CUDA_RESOURCE_DESC of memory. */
export function memoryResource(memory: TexelMemory & { readonly address: bigint }): Uint8Array {
  const { format, geometry, width, height, pitch, address } = memory;
  const rest = geometry === "1d" ? [width * texelBytes(format)] : [width, height, pitch];
  return structure(144, [
    [0, geometry === "1d" ? resourceType.linear : resourceType.pitch2D],
    [8, address],
    ...formatAt(16, format),
    ...rest.map((value, i) => [24 + 8 * i, BigInt(value)] as const),
  ]);
}

/** CUDA_TEXTURE_DESC. Integers of 32 bits are never read as floats, whatever the flag. */
export function textureDescriptor({
  addressModes,
  filter,
  normalizedCoordinates,
  normalizedFloat,
  border,
}: Sampling): Uint8Array {
  const flags =
    (normalizedFloat ? 0 : textureFlag.readAsInteger) | (normalizedCoordinates ? textureFlag.normalizedCoordinates : 0);
  const bits = new Uint32Array(Float32Array.from(border).buffer);
  return structure(104, [
    ...addressModes.map((mode, i) => [4 * i, modes[mode]] as const),
    [12, filter === "linear" ? 1 : 0],
    [16, flags],
    ...Array.from(bits, (value, i) => [40 + 4 * i, value] as const),
  ]);
}
