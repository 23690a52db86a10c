/** `.npy`: one array of numpy (numpy.lib.format, versions 1.0, 2.0 and 3.0). */

import type { DType, Shape } from "../../base/types.ts";
import { gather } from "../../runtime/index.ts";
import { broken, checkExtents, type Described, elementsOf, roomFor } from "./array-file.ts";
import type { ByteReader } from "./byte-reader.ts";
import { descrOf, npyType, swapBytes } from "./npy-types.ts";
import { parsePython } from "./python-literal.ts";

const magic = "\x93NUMPY";
/** The magic string, two numbers of the version. */
const prefix = 8;
/** Longer than any header of an array that is no structure. */
const longestHeader = 65536;
/** numpy has no more. */
const mostDimensions = 64;

export interface NpyHeader extends Described {
  readonly bigEndian: boolean;
  /** The first dimension is the fastest. */
  readonly fortran: boolean;
  readonly elementBytes: number;
}

async function take(reader: ByteReader, bytes: number): Promise<Uint8Array> {
  const target = new Uint8Array(bytes);
  await reader.fill(target);
  return target;
}

/** Reads what stands before the elements, and refuses elements that are more or fewer than it says. */
export async function readNpyHeader(reader: ByteReader): Promise<NpyHeader> {
  if (reader.size < prefix + 2) broken("it is shorter than the beginning of one");
  const begin = await take(reader, prefix);
  const [major = 0, minor = 0] = begin.subarray(6);
  if (latin1(begin.subarray(0, 6)) !== magic) broken("it does not begin with \\x93NUMPY");
  if (major < 1 || major > 3 || minor !== 0)
    broken(`its format has the version ${major}.${minor}, and 1.0, 2.0 and 3.0 are known`);
  const lengthBytes = major === 1 ? 2 : 4;
  const lengths = await take(reader, lengthBytes);
  const view = new DataView(lengths.buffer);
  const length = major === 1 ? view.getUint16(0, true) : view.getUint32(0, true);
  const dataAt = prefix + lengthBytes + length;
  if (dataAt > reader.size) broken("it ends in its header");
  if (length > longestHeader)
    broken(`its header has ${length} bytes, and that of no array of numbers has more than ${longestHeader}`);
  const text = await take(reader, length);
  const header = parseHeader(major === 3 ? utf8(text) : latin1(text));
  const there = reader.size - dataAt;
  if (header.dtype !== undefined || header.maybe)
    if (header.bytes !== there)
      broken(
        `[${header.shape.join(", ")}] elements of ${header.elementBytes} bytes are ${header.bytes} bytes, and it has ${there}`,
      );
  return header;
}

const latin1 = (bytes: Uint8Array): string =>
  String.fromCharCode(...bytes.subarray(0, 4096)) + (bytes.length > 4096 ? latin1(bytes.subarray(4096)) : "");

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return broken("its header is no text");
  }
}

function parseHeader(text: string): NpyHeader {
  const parsed = parsePython(text);
  if (!(parsed instanceof Map)) return broken("its header is no dictionary");
  for (const key of ["descr", "fortran_order", "shape"]) if (!parsed.has(key)) broken(`its header has no ${key}`);
  if (parsed.size !== 3) broken("its header says more than descr, fortran_order and shape");
  const shape: unknown = parsed.get("shape");
  const fortran: unknown = parsed.get("fortran_order");
  if (!Array.isArray(shape) || shape.length > mostDimensions) return broken("its shape is no tuple of whole numbers");
  checkExtents(shape);
  if (typeof fortran !== "boolean") return broken("its fortran_order is neither True nor False");
  const type = npyType(parsed.get("descr") ?? null);
  const bytes = elementsOf(shape) * type.elementBytes;
  if (!Number.isSafeInteger(bytes)) broken("its shape has more bytes than can be counted");
  return { ...type, shape, fortran, bytes };
}

/** Reads the elements behind a header, as row-major and little-endian bytes. */
export async function readNpyElements(reader: ByteReader, header: NpyHeader): Promise<Uint8Array> {
  const { elementBytes, shape, fortran, bigEndian } = header;
  const bytes = roomFor(header.bytes);
  await reader.fill(bytes);
  reader.finish();
  if (bigEndian) swapBytes(bytes, elementBytes);
  if (header.dtype === "bool") checkBools(bytes);
  const turned = fortran && bytes.length > 0 && shape.filter((extent) => extent > 1).length > 1;
  return turned ? gather(bytes, elementBytes as 1 | 2 | 4 | 8, shape, columnMajor(shape)) : bytes;
}

function columnMajor(shape: Shape): number[] {
  let stride = 1;
  return shape.map((extent) => {
    const own = stride;
    stride *= extent;
    return own;
  });
}

/** A kernel that reads a bool may count on 0 and 1. */
export function checkBools(bytes: Uint8Array): void {
  const at = bytes.findIndex((byte) => byte > 1);
  if (at >= 0) broken(`element ${at} of an array of bools is the byte ${bytes[at]}, and it must be 0 or 1`);
}

/** What stands before the elements: the oldest version that has room for it, padded to 64 bytes as numpy does it. */
export function npyHeader(dtype: DType, shape: Shape): Uint8Array {
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${descrOf(dtype)}', 'fortran_order': False, 'shape': (${extents}), }`;
  const total = Math.ceil((prefix + 2 + text.length + 1) / 64) * 64;
  const bytes = new Uint8Array(total).fill(0x20);
  bytes.set(Uint8Array.from(magic, (c) => c.charCodeAt(0)));
  bytes.set([1, 0, (total - prefix - 2) & 255, (total - prefix - 2) >> 8], 6);
  bytes.set(new TextEncoder().encode(text), prefix + 2);
  bytes[total - 1] = 0x0a;
  return bytes;
}
