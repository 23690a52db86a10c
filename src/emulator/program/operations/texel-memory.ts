/** What texture and surface instructions share: the object behind a handle, its bytes, and coordinates of lanes. */

import type { Geometry } from "../../../base/texture.ts";
import type { Operand } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import type { Region } from "../../machine/memory.ts";
import { extentBytes, type SurfaceObject, type Texels, type TextureObject } from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { type Operating, type Read, readBase, readWord } from "../operands.ts";

/** Reads a handle: of `[object]` and `[object, {…}]`. */
export function readHandle(c: Operating, o: Operand | undefined): Read {
  if (o?.kind === "tensor") return readBase(c, { base: o.map, offset: 0 });
  if (o?.kind === "address") return readBase(c, o);
  throw new Unsupported("a texture or surface without an object");
}

/** The object of that handle; `[object]` where it is none of the kind. */
export function objectOf<K extends "texture" | "surface">(
  warp: Warp,
  handle: number,
  kind: K,
): Extract<TextureObject | SurfaceObject, { kind: K }> {
  const object = warp.block.launch.textures.get(handle);
  if (object?.kind === kind) return object as Extract<TextureObject | SurfaceObject, { kind: K }>;
  const found = object ? `a ${object.kind} object` : "no object";
  throw new KernelFault(`it used 0x${handle.toString(16)} as a ${kind} object, and that is ${found}`);
}

const spoken = (geometry: Geometry): string =>
  geometry
    .replace("acube", "array of cubes")
    .replace(/^a(\dd)$/, "array of $1")
    .replace("d", "D");

export const geometryName = (geometry: string): string => spoken(geometry as Geometry);

/** The bytes of texels, from the first one on, and where they lie. */
export interface TexelBytes {
  readonly view: DataView;
  readonly region: Region;
  /** Of the first texel in the region. */
  readonly start: number;
}

export function bytesOf(warp: Warp, texels: Texels): TexelBytes {
  const length = extentBytes(texels);
  const region = warp.block.launch.global.find(texels.address, length);
  if (!region) throw new KernelFault("it used a texture or surface whose memory has been freed");
  const start = texels.address - region.base;
  return { region, start, view: new DataView(region.bytes.buffer, region.bytes.byteOffset + start, length) };
}

const word = new Int32Array(1);
const single = new Float32Array(word.buffer);
function floatFrom(bits: number): number {
  word[0] = bits;
  return single[0] ?? 0;
}

/** An f32 as a number: of a register, or a constant of either precision. */
export function readFloat(c: Operating, o: Operand | undefined): Read {
  if (o?.kind === "float") {
    const value = Math.fround(o.value);
    return () => value;
  }
  const read = readWord(c, o);
  return (warp, lane) => floatFrom(read(warp, lane));
}
