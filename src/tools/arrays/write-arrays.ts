import { checkOptions, display, optionsOf, refuseMore, type WarpsmithError } from "../../base/diag/index.ts";
import type { DType, Element, Shape } from "../../base/types.ts";
import { checkDType, type DeviceTensor, encodeElements, isDeviceTensor, readBytes } from "../../runtime/index.ts";
import { type Asked, checkExtents, elementsOf, type Format } from "./array-file.ts";
import { fail, makeError } from "./errors.ts";
import { type FileWriter, writeWhole } from "./file-writer.ts";
import { npyHeader } from "./npy.ts";
import { sizeOf } from "./npy-types.ts";
import { ask, formatOf, ofFile } from "./open-arrays.ts";
import { layOut, nameProblem } from "./safetensors.ts";
import type { ArraySource, HostElements, StoredArray, WriteArraysOptions } from "./types.ts";
import { ZipWriter } from "./zip-writer.ts";

/** An array that is to be written: what it is, and how its elements come, row-major and little-endian. */
interface Written {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly bytes: number;
  elements(): Promise<Uint8Array>;
}

const typedArrays: readonly (readonly [kind: { new (n: number): object }, dtype: DType])[] = [
  [Float64Array, "f64"],
  [Float32Array, "f32"],
  [BigInt64Array, "i64"],
  [BigUint64Array, "u64"],
  [Int32Array, "i32"],
  [Uint32Array, "u32"],
  [Int16Array, "i16"],
  [Uint16Array, "u16"],
  [Int8Array, "i8"],
  [Uint8Array, "u8"],
];

/** What an author's value is as an array. W7002, W7004, W7005, W7107. */
function written(name: string | undefined, source: ArraySource, asked: Asked): Written {
  const refuse = (reason: string): WarpsmithError => makeError("W7107", { file: asked.file, name, reason }, asked.spans);
  const of = (dtype: DType, shape: Shape, elements: Written["elements"]): Written => {
    return { name: name ?? "", dtype, shape, bytes: elementsOf(shape) * sizeOf(dtype), elements };
  };
  if (typeof source !== "object" || source === null) throw refuse(`it is ${display(source)}`);
  if (isDeviceTensor(source)) return ofTensor(source, of);
  const typed = typedArrays.find(([kind]) => source instanceof kind);
  if (typed) {
    const bytes = source as Uint8Array;
    return of(typed[1], [bytes.length], async () => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
  const { dtype, shape } = source as HostElements;
  if (dtype === undefined || !Array.isArray(shape)) throw refuse("it says no dtype and shape");
  checkDType(dtype);
  try {
    checkExtents(shape);
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  const expected = elementsOf(shape);
  const { bytes } = source as StoredArray;
  if (bytes instanceof Uint8Array && bytes.length === expected * sizeOf(dtype)) return of(dtype, [...shape], async () => bytes);
  const { data } = source as HostElements;
  if (typeof data?.length !== "number") throw refuse("it has no list of elements as data");
  if (data.length !== expected) fail("W7004", { given: data.length, expected, shape }, asked.spans);
  const encoded = encodeElements(dtype, data as ArrayLike<Element>);
  return of(dtype, [...shape], async () => encoded);
}

function ofTensor(tensor: DeviceTensor, of: (dtype: DType, shape: Shape, elements: Written["elements"]) => Written): Written {
  // Refused here if it has been disposed.
  tensor.address();
  return of(tensor.dtype, tensor.shape, () => readBytes(tensor));
}

function listed(
  arrays: Readonly<Record<string, ArraySource>> | ReadonlyMap<string, ArraySource>,
  asked: Asked,
): readonly Written[] {
  const isList =
    typeof arrays === "object" &&
    arrays !== null &&
    !Array.isArray(arrays) &&
    !ArrayBuffer.isView(arrays) &&
    !isDeviceTensor(arrays);
  if (!isList)
    fail(
      "W7107",
      { file: asked.file, name: undefined, reason: `an object of arrays by name is needed, and this is ${display(arrays)}` },
      asked.spans,
    );
  const entries: readonly (readonly [unknown, ArraySource])[] = arrays instanceof Map ? [...arrays] : Object.entries(arrays);
  return entries.map(([name, source]) => {
    if (typeof name !== "string")
      fail("W7107", { file: asked.file, name: display(name), reason: "its name is no text" }, asked.spans);
    return written(name, source, asked);
  });
}

const known = optionsOf<WriteArraysOptions>("writeArrays()", { compress: true, metadata: true });

function checkWriteOptions(options: WriteArraysOptions, format: Format, { spans }: Asked): void {
  checkOptions(options, known);
  const { compress, metadata } = options;
  const refuse = (option: string, given: unknown, expected: string): never =>
    fail("W7046", { of: "writeArrays()", option, given: display(given), expected }, spans);
  if (compress !== undefined && typeof compress !== "boolean") refuse("compress", compress, "true or false");
  if (compress && format !== ".npz") refuse("compress", compress, `false for a ${format} file, whose elements lie as they are`);
  if (metadata === undefined) return;
  const good =
    typeof metadata === "object" && metadata !== null && Object.values(metadata).every((value) => typeof value === "string");
  if (!good || metadata instanceof Map || Array.isArray(metadata)) refuse("metadata", metadata, "an object of texts");
  if (format !== ".safetensors") refuse("metadata", metadata, `left out for a ${format} file, which has no place for it`);
}

async function writeNpz(file: FileWriter, arrays: readonly Written[], compress: boolean): Promise<void> {
  const zip = new ZipWriter(file, compress);
  for (const { name, dtype, shape, elements } of arrays)
    await zip.add(`${name}.npy`, [npyHeader(dtype, shape), await elements()]);
  await zip.finish();
}

/** Writes what has been checked, one array after the other. */
async function writeTo(file: FileWriter, arrays: readonly Written[], format: Format, options: WriteArraysOptions): Promise<void> {
  if (format === ".npz") return writeNpz(file, arrays, options.compress ?? false);
  if (format === ".safetensors") {
    const { header, order } = layOut(arrays, options.metadata ?? {});
    await file.write(header);
    for (const array of order) await file.write(await array.elements());
    return;
  }
  for (const { dtype, shape, elements } of arrays) {
    await file.write(npyHeader(dtype, shape));
    await file.write(await elements());
  }
}

function checkNames(arrays: readonly Written[], format: Format, { file, spans }: Asked): void {
  const names = new Set<string>();
  for (const { name } of arrays) {
    const problem = format === ".safetensors" ? nameProblem(name) : undefined;
    const twice = names.has(name) ? "another has the same name" : undefined;
    // A member of a zip file says in 16 bits how long its name is.
    const long = format === ".npz" && new TextEncoder().encode(name).length > 65000 ? "its name is too long" : undefined;
    const reason = problem ?? twice ?? long;
    if (reason !== undefined) throw makeError("W7107", { file, name, reason }, spans);
    names.add(name);
  }
  if (format === ".npy" && arrays.length !== 1)
    throw makeError(
      "W7107",
      { file, name: undefined, reason: `the file takes one array, and there are ${arrays.length}` },
      spans,
    );
}

async function writeFile(asked: Asked, format: Format, arrays: readonly Written[], options: WriteArraysOptions): Promise<void> {
  checkNames(arrays, format, asked);
  try {
    await writeWhole(asked.file, (file) => writeTo(file, arrays, format, options));
  } catch (error) {
    throw ofFile(error, asked, "written");
  }
}

/**
 * Writes arrays to a .npz or .safetensors file, by their names; to a .npy file one, without its name. Tensors of a device are read one at a time, and wait for the work
 * that is under way on them. The file is there whole, or as it was before. W7002, W7004 to W7007, W7101, W7106, W7107, W7109.
 */
export async function writeArrays(
  path: string | URL,
  arrays: Readonly<Record<string, ArraySource>> | ReadonlyMap<string, ArraySource>,
  options: WriteArraysOptions = {},
): Promise<void> {
  refuseMore(writeArrays, arguments);
  const asked = ask(path);
  const format = formatOf(asked);
  checkWriteOptions(options, format, asked);
  await writeFile(asked, format, listed(arrays, asked), options);
}

/** Writes one array to a .npy file. W7002, W7004 to W7007, W7101, W7106, W7107, W7109. */
export async function writeArray(path: string | URL, array: ArraySource): Promise<void> {
  refuseMore(writeArray, arguments);
  const asked = ask(path);
  const format = formatOf(asked);
  if (format !== ".npy")
    fail(
      "W7107",
      {
        file: asked.file,
        name: undefined,
        reason: `arrays have names in a ${format} file: use writeArrays(path, { name: array })`,
      },
      asked.spans,
    );
  await writeFile(asked, format, [written(undefined, array, asked)], {});
}
