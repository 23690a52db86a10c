/**
 * Textures and surfaces as a launch describes them, and the rules that CUDA has for them (CUDA driver API, "Texture Object Management";
 * CUDA C++ Programming Guide, "Texture and Surface Memory").
 */

/** What a channel of a texel is. */
export type TexelType = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f16" | "f32";

export const texelTypeBytes: Readonly<Record<TexelType, number>> = {
  ...{ u8: 1, i8: 1, u16: 2, i16: 2, u32: 4, i32: 4, f16: 2, f32: 4 },
};

export interface TexelFormat {
  readonly type: TexelType;
  readonly channels: 1 | 2 | 4;
}

export const texelBytes = ({ type, channels }: TexelFormat): number => texelTypeBytes[type] * channels;

/** As PTX has them: `a` is an array of layers. */
export type Geometry = "1d" | "2d" | "3d" | "a1d" | "a2d" | "cube" | "acube";

/** What a CUDA array holds. Extents are in texels, 1 where there is none. */
export interface TexelArray {
  readonly format: TexelFormat;
  readonly geometry: Geometry;
  readonly width: number;
  readonly height: number;
  /** Of 3d; else layers, of which a cube has six. */
  readonly depth: number;
  /** `tld4` may read it. */
  readonly gather: boolean;
  /** Surfaces may be made of it. */
  readonly surface: boolean;
}

/** Texels in ordinary memory: one row, or rows `pitch` bytes apart. */
export interface TexelMemory {
  readonly format: TexelFormat;
  readonly geometry: "1d" | "2d";
  readonly width: number;
  readonly height: number;
  readonly pitch: number;
}

export const addressModes = ["wrap", "clamp", "mirror", "border"] as const;
export type AddressMode = (typeof addressModes)[number];

/** How a texture is read. */
export interface Sampling {
  /** For x, y, z. */
  readonly addressModes: readonly [AddressMode, AddressMode, AddressMode];
  readonly filter: "point" | "linear";
  /** Coordinates go from 0 to 1. */
  readonly normalizedCoordinates: boolean;
  /** 8- and 16-bit integers are read as floats from 0 or -1 to 1. */
  readonly normalizedFloat: boolean;
  readonly border: readonly [number, number, number, number];
}

export const isCube = (geometry: Geometry): boolean => geometry.endsWith("cube");

const givesFloats = ({ type }: TexelFormat, { normalizedFloat }: Sampling): boolean => type.startsWith("f") || normalizedFloat;

/** What is wrong with an array; undefined: nothing. */
export function arrayProblem({ geometry, width, height, depth, gather }: TexelArray): string | undefined {
  if (isCube(geometry) && width !== height) return `the faces of a cube are square, not ${height}x${width}`;
  if (geometry === "cube" && depth !== 6) return `a cube has 6 faces, not ${depth}`;
  if (geometry === "acube" && depth % 6 !== 0) return `an array of cubes has a multiple of 6 faces, not ${depth}`;
  if (gather && geometry !== "2d") return "only a 2D array that is not layered can be gathered from";
  return undefined;
}

/** What is wrong with reading texels of a format like that; undefined: nothing. */
export function samplingProblem(source: TexelArray | TexelMemory, sampling: Sampling): string | undefined {
  const { format, geometry } = source;
  const { filter, normalizedCoordinates, normalizedFloat, border } = sampling;
  const modes = sampling.addressModes;
  if (normalizedFloat && !/^[ui](8|16)$/.test(format.type))
    return `normalized-float is for integers of 8 and 16 bits, not ${format.type}`;
  if (filter === "linear" && !givesFloats(format, sampling))
    return `linear filtering needs floats: ${format.type} is read as integers`;
  if (!normalizedCoordinates && modes.some((mode) => mode === "wrap" || mode === "mirror"))
    return "wrap and mirror need normalized coordinates";
  if (isCube(geometry) && !normalizedCoordinates) return "a cube needs normalized coordinates";
  if (border.some((x) => x !== 0) && !givesFloats(format, sampling))
    return `a border color other than 0 needs floats: ${format.type} is read as integers`;
  return "pitch" in source ? memoryProblem(source, sampling) : undefined;
}

/** Of a pitch, in bytes, on every GPU of compute capability 9.0 (CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT). */
const pitchAlignment = 32;

function memoryProblem({ format, geometry, width, pitch }: TexelMemory, sampling: Sampling): string | undefined {
  if (geometry === "2d") {
    if (pitch % pitchAlignment !== 0) return `rows in memory are a multiple of ${pitchAlignment} bytes apart, not ${pitch}`;
    return pitch < width * texelBytes(format) ? `rows of ${width} texels do not fit into ${pitch} bytes` : undefined;
  }
  const plain = sampling.filter === "point" && !sampling.normalizedCoordinates;
  return plain ? undefined : "a row in memory is read by whole numbers alone: no linear, no normalized";
}
