/** Bytes of buffers in shared memory: how many each has, where packed ones may begin, and which lie in the same ones. */

import { elementBytes } from "../../../base/element-types.ts";
import { swizzleBytes } from "../../../base/tensor-map.ts";
import type { Swizzle } from "../../../base/types.ts";
import { patternBytes } from "../../../layout/modes/index.ts";
import type { Buffer } from "../../ir/types.ts";
import { staticShape } from "../../ir/walk.ts";

/** Of those that the hardware has; `xor` is none of them, and needs no panels. */
const hardwareSwizzleOf = ({ swizzle }: Buffer): Swizzle => (!swizzle || swizzle === "xor" ? "none" : swizzle);

/** The shape that a shared buffer has room for: with what is put in after its rows, or what its last panel has beyond them. */
export function sharedShapeOf(buffer: Buffer): readonly number[] {
  const shape = staticShape(buffer) ?? [];
  const swizzle = hardwareSwizzleOf(buffer);
  // Rows of a swizzle are made of panels, and there is room for whole ones. PTX ISA 5.5.7.
  const panel = swizzle === "none" ? 1 : swizzleBytes[swizzle] / elementBytes[buffer.dtype];
  const last = Math.ceil(((shape.at(-1) ?? 1) + (buffer.padding ?? 0)) / panel) * panel;
  return [...shape.slice(0, -1), last];
}

/** Bytes of a shared buffer, with what lies behind its rows. */
export const sharedBytesOf = (buffer: Buffer): number =>
  sharedShapeOf(buffer).reduce((n, x) => n * x, elementBytes[buffer.dtype]);

/** Bytes of all shared buffers: up to where the last one of those that are packed ends, and those of each of the others. */
export function sharedBytesOfAll(shared: readonly Buffer[]): number {
  const packed = shared.reduce((end, b) => (b.at === undefined ? end : Math.max(end, b.at + sharedBytesOf(b))), 0);
  return shared.reduce((n, b) => (b.at === undefined ? n + sharedBytesOf(b) : n), packed);
}

/** Multiples of so many bytes that a buffer begins at: the pattern of its swizzle, or what TMA asks for (PTX ISA 5.5.5). `xor` has eight phases, of a row or of 128 bytes. */
export function packedAlign(buffer: Buffer): number {
  const row = (sharedShapeOf(buffer).at(-1) ?? 1) * elementBytes[buffer.dtype];
  return buffer.swizzle === "xor" ? 8 * Math.max(128, row) : Math.max(128, patternBytes(hardwareSwizzleOf(buffer)));
}

/** Whether two packed buffers have bytes in common. */
export const shareBytes = (a: Buffer, b: Buffer): boolean =>
  a.at !== undefined && b.at !== undefined && a.at < b.at + sharedBytesOf(b) && b.at < a.at + sharedBytesOf(a);
