/** Surface accesses (PTX ISA 9.7.11): where one lies in the texels of a surface. */
import { texelBytes } from "../../../base/texture.ts";
import { KernelFault } from "../fault.ts";
import type { Texels } from "./texels.ts";

/** What becomes of an access beside the surface. */
export type SurfaceClamp = "trap" | "clamp" | "zero";

export interface SurfacePoint {
  /** In bytes from the beginning of the row. */
  readonly x: number;
  readonly y: number;
  /** Of 3d; else the layer. */
  readonly z: number;
}

const within = (x: number, most: number): number => Math.max(0, Math.min(most, x));

/** Bytes from the first texel on; undefined: nowhere, it reads zeros and writes nothing. */
export function surfaceOffset(texels: Texels, point: SurfacePoint, bytes: number, clamp: SurfaceClamp): number | undefined {
  const { width, height, depth, pitch, format } = texels;
  const { x, y, z } = point;
  const last = width * texelBytes(format) - bytes;
  const outside = x < 0 || x > last || y < 0 || y >= height || z < 0 || z >= depth;
  if (outside && clamp === "zero") return undefined;
  if (outside && clamp === "trap") throw new KernelFault(`it used ${accessed(texels, point, bytes)}, and .trap traps there`);
  if (last < 0) throw new KernelFault(`it used ${bytes} bytes at once of a surface whose rows have ${bytes + last}`);
  if (x % bytes !== 0) throw new KernelFault(`it used ${accessed(texels, point, bytes)}: that is not a multiple of ${bytes}`);
  return (within(z, depth - 1) * height + within(y, height - 1)) * pitch + within(x, last);
}

function accessed({ geometry, width, height, depth, format }: Texels, { x, y, z }: SurfacePoint, bytes: number): string {
  const third = geometry === "3d" ? "slice" : "layer";
  const places = [`byte ${x}`, ...(height > 1 ? [`row ${y}`] : []), ...(depth > 1 ? [`${third} ${z}`] : [])];
  const extents = [
    ...(depth > 1 ? [`${depth} ${third}s`] : []),
    ...(height > 1 ? [`${height} rows`] : []),
    `${width * texelBytes(format)} bytes in a row`,
  ];
  return `${bytes} bytes at ${places.join(", ")} of a surface with ${extents.join(", ")}`;
}
