/**
 * The text form of textures and surfaces. A texture or surface is
 *
 *     tex:@x:f32x4[64x128]:linear:wrap:normalized   an array that begins with what the buffer holds
 *     tex:@x:u8[4096]:memory                        straight from the buffer; rows of two dimensions with pitch=bytes
 *     surf:@x:u8x4[64x128]                          an array that goes back to the buffer when the launch is over
 *
 * Texels are u8, i8, u16, i16, u32, i32, f16 or f32, with x2 or x4 channels; extents are outermost first. An array of `layered` textures
 * has its layers first, a `cube` its six faces. A texture takes `point` or `linear`; `wrap`, `clamp`, `mirror` or `border`, or one for each
 * dimension, innermost first, as in `wrap/clamp`; `normalized` coordinates; `normalized-float` for what is read of integers;
 * `color=1/0/0/1` for the border; `gather` for tld4.
 */

import {
  type AddressMode,
  addressModes,
  arrayProblem,
  type Geometry,
  type Sampling,
  samplingProblem,
  type TexelArray,
  type TexelFormat,
  type TexelMemory,
  texelBytes,
  texelTypeBytes,
} from "../../base/texture.ts";
import { fail } from "./errors.ts";
import type { PtxAddress, PtxSurface, PtxTexture } from "./types.ts";

const refuse = (text: string, reason: string): never => fail("W7801", { text, reason });

const surfaceWords = new Set(["layered", "cube"]);
const textureWords = new Set([
  "layered",
  "cube",
  "memory",
  "pitch",
  "point",
  "linear",
  "normalized",
  "normalized-float",
  "color",
  "gather",
]);

type Options = ReadonlyMap<string, string | undefined>;

function parseOptions(text: string, words: readonly string[], known: ReadonlySet<string>, what: string): Options {
  const options = new Map<string, string | undefined>();
  for (const word of words) {
    const [name = "", value] = word.split("=", 2);
    const takesValue = name === "pitch" || name === "color";
    if (!known.has(name) || (value !== undefined) !== takesValue || value === "") refuse(text, `a ${what} has no ${word}`);
    if (options.has(name)) refuse(text, `${name} is given twice`);
    options.set(name, value);
  }
  return options;
}

const isMode = (word: string): word is AddressMode => addressModes.some((mode) => mode === word);
const isTexelType = (word: string): word is TexelFormat["type"] => Object.hasOwn(texelTypeBytes, word);

function parseFormat(text: string, type: string, channels: string | undefined): TexelFormat {
  if (!isTexelType(type)) return refuse(text, `${JSON.stringify(type)} is not a type of texels`);
  return { type, channels: channels === "4" ? 4 : channels === "2" ? 2 : 1 };
}

interface Extents {
  readonly geometry: Geometry;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
}

function geometryOf(text: string, rank: number, layered: boolean, cube: boolean): Geometry {
  if (cube)
    return rank === 3 ? (layered ? "acube" : "cube") : refuse(text, "a cube has its faces, rows and columns, as in [6x32x32]");
  const plain = ["1d", "2d", "3d"] as const;
  const arrays = [undefined, "a1d", "a2d"] as const;
  const wanted = layered ? arrays[rank - 1] : plain[rank - 1];
  return (
    wanted ??
    refuse(text, layered ? "layered textures have one or two dimensions, and layers" : "a texture has one to three dimensions")
  );
}

function parseExtents(text: string, list: string, options: Options): Extents {
  const extents = list.split("x").map(Number);
  if (!extents.every((n) => Number.isSafeInteger(n) && n > 0))
    refuse(text, `${list} is not a list of whole numbers such as 64x128`);
  const geometry = geometryOf(text, extents.length, options.has("layered"), options.has("cube"));
  const inner = extents.toReversed();
  if (geometry === "a1d") return { geometry, width: inner[0] ?? 1, height: 1, depth: inner[1] ?? 1 };
  return { geometry, width: inner[0] ?? 1, height: inner[1] ?? 1, depth: inner[2] ?? 1 };
}

/** The modes that a list names, the last of them for the dimensions that it leaves out. */
function parseModes(text: string, list: string): Sampling["addressModes"] {
  const modes = list.split("/").filter(isMode);
  const last = modes.at(-1) ?? "clamp";
  if (modes.length > 3) refuse(text, "there are at most three address modes");
  return [modes[0] ?? last, modes[1] ?? last, modes[2] ?? last];
}

function parseColor(text: string, list: string | undefined): Sampling["border"] {
  const color = (list ?? "0/0/0/0").split("/").map(Number);
  const [r, g, b, a] = color;
  if (color.length === 4 && color.every(Number.isFinite)) return [r ?? 0, g ?? 0, b ?? 0, a ?? 0];
  return refuse(text, "a border color has four numbers, as in color=1/0/0/1");
}

function parseSampling(text: string, options: Options, modes: string | undefined): Sampling {
  if (options.has("point") && options.has("linear")) refuse(text, "a texture is filtered by point or by linear");
  if (options.has("color") && !modes?.includes("border")) refuse(text, "color= goes with border");
  return {
    addressModes: parseModes(text, modes ?? "clamp"),
    filter: options.has("linear") ? "linear" : "point",
    normalizedCoordinates: options.has("normalized"),
    normalizedFloat: options.has("normalized-float"),
    border: parseColor(text, options.get("color")),
  };
}

function parseMemory(text: string, format: TexelFormat, extents: Extents, options: Options): TexelMemory {
  const { geometry, width, height } = extents;
  if (geometry !== "1d" && geometry !== "2d") return refuse(text, "a texture of memory has one or two dimensions");
  if (options.has("gather")) return refuse(text, "memory cannot be gathered from");
  const row = width * texelBytes(format);
  const pitch = Number(options.get("pitch") ?? row);
  if (!Number.isSafeInteger(pitch)) refuse(text, "a pitch is a number of bytes");
  return { format, geometry, width, height, pitch };
}

/** The first word that names address modes, and the others. */
function splitModes(
  text: string,
  words: readonly string[],
): { readonly modes: string | undefined; readonly rest: readonly string[] } {
  const named = (word: string): boolean => word.split("/").every(isMode);
  const modes = words.filter(named);
  if (modes.length > 1) refuse(text, "address modes of several dimensions are joined, as in wrap/clamp");
  return { modes: modes[0], rest: words.filter((word) => !named(word)) };
}

/** A text that begins with `tex:` or `surf:`. W7801. */
export function parseTexture(text: string, parseAddress: (text: string) => PtxAddress): PtxTexture | PtxSurface {
  const [kind = "", at = "", texels = "", ...words] = text.split(":");
  const [, type = "", channels, list = ""] =
    /^(\w+?)(?:x([24]))?\[([\dx]+)\]$/.exec(texels) ??
    refuse(text, `a ${kind === "surf" ? "surface" : "texture"} is ${kind}:@buffer:f32x4[64x128]`);
  const format = parseFormat(text, type, channels);
  const address = parseAddress(at);
  const surface = kind === "surf";
  const { modes, rest } = surface ? { modes: undefined, rest: words } : splitModes(text, words);
  const options = parseOptions(text, rest, surface ? surfaceWords : textureWords, surface ? "surface" : "texture");
  const extents = parseExtents(text, list, options);
  const array: TexelArray = { format, ...extents, gather: options.has("gather"), surface };
  const wrong = arrayProblem(array);
  if (wrong) refuse(text, wrong);
  if (surface) return { kind: "surface", address, array };
  if (options.has("pitch") && !options.has("memory")) refuse(text, "pitch= goes with memory");
  const sampling = parseSampling(text, options, modes);
  const source = options.has("memory") ? parseMemory(text, format, extents, options) : array;
  const problem = samplingProblem(source, sampling);
  return problem ? refuse(text, problem) : { kind: "texture", address, source, sampling };
}
