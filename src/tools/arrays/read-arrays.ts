import { checkOptions, display, optionsOf, refuseMore, type Spans } from "../../base/diag/index.ts";
import type { DType, Shape } from "../../base/types.ts";
import { checkDType, decodeElements, type HostArrayOf } from "../../runtime/index.ts";
import { type ArrayFile, type Asked, type Described, type Entry, entryNamed, nameOf } from "./array-file.ts";
import { fail, makeError } from "./errors.ts";
import { NamedArrays } from "./named-arrays.ts";
import { ask, withArrays } from "./open-arrays.ts";
import type { ArrayList, ReadArrayOptions, ReadArraysOptions, StoredArray, StoredArrays } from "./types.ts";

class FileArray<D extends DType> implements StoredArray<D> {
  readonly dtype: D;
  readonly shape: Shape;
  readonly bytes: Uint8Array;
  #data: HostArrayOf<D> | undefined;

  constructor(dtype: D, shape: Shape, bytes: Uint8Array) {
    this.dtype = dtype;
    this.shape = shape;
    this.bytes = bytes;
  }

  get data(): HostArrayOf<D> {
    this.#data ??= decodeElements(this.dtype, this.bytes);
    return this.#data;
  }
}

/** What an array must be. */
export interface Expected {
  readonly dtype?: DType | undefined;
  readonly rank?: number | undefined;
  readonly shape?: Shape | undefined;
}

/** Whether an array has that shape. A single element without dimensions also is one of one dimension, as on a device. */
function fits(found: Shape, { rank, shape }: Expected): boolean {
  const isOf = (own: Shape): boolean =>
    (rank === undefined || own.length === rank) &&
    (shape === undefined || (own.length === shape.length && own.every((extent, i) => extent === shape[i])));
  return isOf(found) || (found.length === 0 && isOf([1]));
}

/** The element type of an array as the author asked for it. W7103, W7105. */
export function typeOf(described: Described, array: string, expected: Expected, spans: Spans): DType {
  const { stored, problem, maybe, shape } = described;
  const { dtype, rank } = expected;
  const found = described.dtype ?? maybe?.find((type) => type === dtype);
  if (found === undefined) {
    const { what, way } = problem ?? { what: "of an unknown type", way: "convert it before it is saved" };
    throw makeError("W7103", { array, stored, what, way }, spans);
  }
  const taken = dtype === "tf32" && found === "f32" ? dtype : found;
  if ((dtype !== undefined && taken !== dtype) || !fits(shape, expected)) {
    const extents = expected.shape ? ` [${expected.shape.join(", ")}]` : rank === undefined ? "" : ` of ${rank} dimensions`;
    throw makeError("W7105", { array, dtype: found, shape, expected: `${dtype ?? found}${extents}` }, spans);
  }
  return taken;
}

/** Reads one array. W7102, W7103, W7105. */
export async function readEntry(file: ArrayFile, entry: Entry, expected: Expected): Promise<StoredArray> {
  // What is wrong with its type is told before anything is read.
  const dtype = typeOf(await entry.describe(), nameOf(file, entry), expected, file.asked.spans);
  const { described, bytes } = await entry.read();
  return new FileArray(dtype, described.shape, bytes);
}

const manyOptions = optionsOf<ReadArraysOptions>("readArrays()", { names: true });
const oneOptions = optionsOf<ReadArrayOptions>("readArray()", { name: true, dtype: true, rank: true, shape: true });

/** Refuses options that there are not, and names that are no texts. W2601, W2602, W7046. */
export function checkManyOptions(options: ReadArraysOptions, of: string, { spans }: Asked): void {
  checkOptions(options, { ...manyOptions, of });
  const { names } = options;
  if (names === undefined) return;
  const good =
    typeof names === "object" &&
    names !== null &&
    Symbol.iterator in names &&
    [...names].every((name) => typeof name === "string");
  if (!good) fail("W7046", { of, option: "names", given: display(names), expected: "a list of texts" }, spans);
}

export function checkOneOptions(
  options: { readonly [K in keyof ReadArrayOptions]: ReadArrayOptions[K] | undefined },
  of: string,
  { spans }: Asked,
): void {
  checkOptions(options, { ...oneOptions, of });
  const { name, dtype, rank, shape } = options;
  if (dtype !== undefined) checkDType(dtype);
  if (name !== undefined && typeof name !== "string")
    fail("W7046", { of, option: "name", given: display(name), expected: "a text" }, spans);
  if (rank !== undefined && !(Number.isSafeInteger(rank) && rank >= 0))
    fail("W7046", { of, option: "rank", given: display(rank), expected: "a whole number from 0" }, spans);
  if (shape !== undefined && !(Array.isArray(shape) && shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)))
    fail("W7046", { of, option: "shape", given: display(shape), expected: "a list of whole numbers" }, spans);
}

/** The entries that are asked for: all, or those of these names. W7104. */
export const entriesNamed = (file: ArrayFile, names: Iterable<string> | undefined): readonly Entry[] =>
  names === undefined ? file.entries : [...new Set(names)].map((name) => entryNamed(file, name));

/**
 * What is in a .npy, .npz or .safetensors file, without reading the elements: element types, shapes, sizes. Also arrays whose type kernels do not have. The array of a
 * .npy file has the name of the file. W7101, W7102, W7106, W7109.
 */
export async function listArrays(path: string | URL): Promise<ArrayList> {
  refuseMore(listArrays, arguments);
  return withArrays(ask(path), async ({ entries, metadata }) => {
    const described: (readonly [string, Described])[] = [];
    for (const entry of entries) described.push([entry.name, await entry.describe()]);
    const list = described.map(([name, { dtype, stored, shape, bytes }]) => [name, { dtype, stored, shape, bytes }] as const);
    return new NamedArrays(list, metadata);
  });
}

/**
 * Reads the arrays of a .npy, .npz or .safetensors file. Elements come row-major and little-endian, each array in memory of its own, whatever order the file has. The
 * array of a .npy file has the name of the file. W7101 to W7104, W7106, W7109.
 */
export async function readArrays(path: string | URL, options: ReadArraysOptions = {}): Promise<StoredArrays> {
  refuseMore(readArrays, arguments);
  const asked = ask(path);
  checkManyOptions(options, "readArrays()", asked);
  return withArrays(asked, async (file) => {
    const read: (readonly [string, StoredArray])[] = [];
    for (const entry of entriesNamed(file, options.names)) read.push([entry.name, await readEntry(file, entry, {})]);
    return new NamedArrays(read, file.metadata);
  });
}

/** Reads one array: that of the name, or the only one of the file. W7101 to W7106, W7109. */
export async function readArray<D extends DType = DType>(
  path: string | URL,
  options: ReadArrayOptions<D> = {},
): Promise<StoredArray<D>> {
  refuseMore(readArray, arguments);
  const asked = ask(path);
  checkOneOptions(options, "readArray()", asked);
  return withArrays(asked, (file) => readEntry(file, entryNamed(file, options.name), options) as Promise<StoredArray<D>>);
}
