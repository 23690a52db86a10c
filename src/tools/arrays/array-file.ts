import { nearest, type Spans } from "../../base/diag/index.ts";
import type { DType, Shape } from "../../base/types.ts";
import { makeError } from "./errors.ts";
import type { ArrayDescription } from "./types.ts";

/** The formats, by how the names of their files end. */
export type Format = ".npy" | ".npz" | ".safetensors";

/** Where errors stand, and what file they are of. */
export interface Asked {
  /** The file as the author named it. */
  readonly file: string;
  /** The author's call. */
  readonly spans: Spans;
}

/** What a file says of an array, and of its elements what their type is to kernels. */
export interface Described extends ArrayDescription {
  /** Of `stored` where it is no element type: a noun and what to do about it. */
  readonly problem?: { readonly what: string; readonly way: string };
  /** Element types that `stored` may be, where it does not say which. */
  readonly maybe?: readonly DType[];
}

/** An array in an open file. */
export interface Entry {
  readonly name: string;
  describe(): Promise<Described>;
  /** Its elements, row-major and little-endian, in memory of their own. */
  read(): Promise<{ readonly described: Described; readonly bytes: Uint8Array }>;
}

/** An open file of arrays. */
export interface ArrayFile {
  readonly asked: Asked;
  readonly entries: readonly Entry[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** What is wrong with the bytes of a file, as a clause: for whoever knows its name. */
export class Broken extends Error {}

export function broken(reason: string): never {
  throw new Broken(reason);
}

/** An array in the author's words: by its name, where the file has several. */
export const nameOf = ({ asked: { file }, entries }: ArrayFile, { name }: Entry): string =>
  entries.length === 1 ? `the array in ${file}` : `the array ${name} of ${file}`;

/** The entry of that name; without a name, the only one. W7104. */
export function entryNamed({ asked, entries }: ArrayFile, name: string | undefined): Entry {
  const found = name === undefined ? (entries.length === 1 ? entries[0] : undefined) : entries.find((e) => e.name === name);
  if (found) return found;
  const names = entries.map((e) => e.name);
  const near = name === undefined ? undefined : nearest(name, names);
  throw makeError("W7104", { file: asked.file, name, near, names }, asked.spans);
}

/** Elements of a shape that a file has. */
export const elementsOf = (shape: Shape): number => shape.reduce((count, extent) => count * extent, 1);

/** Refuses extents that are no whole numbers from 0, and more elements than can be counted. */
export function checkExtents(shape: readonly unknown[]): asserts shape is readonly number[] {
  for (const extent of shape)
    if (!Number.isSafeInteger(extent) || (extent as number) < 0) broken(`${String(extent)} is no extent of a shape`);
  // A product of which one factor is 0 says nothing of the others.
  const product = (shape as readonly number[]).reduce((count, extent) => count * Math.max(extent, 1), 8);
  if (!Number.isSafeInteger(product)) broken(`the shape [${shape.join(", ")}] has more elements than can be counted`);
}

/** Memory for so many bytes of a file. */
export function roomFor(bytes: number): Uint8Array {
  try {
    return new Uint8Array(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return broken(`an array has ${bytes} bytes, more than JavaScript has memory for here`);
  }
}
