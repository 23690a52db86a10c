/**
 * `.safetensors` (https://github.com/huggingface/safetensors, "Format"): eight bytes with the length of a header of JSON, the header, and the elements of all tensors,
 * row-major and little-endian, without gaps and in no other order than their offsets say.
 */
import type { DType, Shape } from "../../base/types.ts";
import { broken, checkExtents, type Described, type Entry, elementsOf, roomFor } from "./array-file.ts";
import type { RandomFile } from "./byte-reader.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { checkBools } from "./npy.ts";
import { sizeOf } from "./npy-types.ts";

const lengthBytes = 8;
/** As the reference implementation has it. */
const longestHeader = 100_000_000;
const metadataKey = "__metadata__";

const types: Readonly<Record<string, DType>> = {
  F64: "f64",
  F32: "f32",
  F16: "f16",
  BF16: "bf16",
  F8_E4M3: "e4m3",
  F8_E5M2: "e5m2",
  I64: "i64",
  U64: "u64",
  I32: "i32",
  U32: "u32",
  I16: "i16",
  U16: "u16",
  I8: "i8",
  U8: "u8",
  BOOL: "bool",
};
const names = new Map<DType, string>([...Object.entries(types).map(([name, dtype]) => [dtype, name] as const), ["tf32", "F32"]]);

interface Place {
  readonly name: string;
  readonly described: Described;
  readonly begin: number;
  readonly end: number;
}

export interface Safetensors {
  readonly entries: readonly Entry[];
  readonly metadata: Readonly<Record<string, string>>;
}

export async function openSafetensors(file: RandomFile): Promise<Safetensors> {
  if (file.size < lengthBytes) broken("it is shorter than the length of a header");
  const lengths = new Uint8Array(lengthBytes);
  await file.fillFrom(0, lengths);
  const length = new DataView(lengths.buffer).getBigUint64(0, true);
  if (length > BigInt(longestHeader))
    broken(`its header is to have ${length} bytes, and no header has more than ${longestHeader}`);
  const dataAt = lengthBytes + Number(length);
  if (dataAt > file.size) broken(`it ends in its header of ${length} bytes`);
  const header = new Uint8Array(Number(length));
  await file.fillFrom(lengthBytes, header);
  const { [metadataKey]: metadata = {}, ...tensors } = parseHeader(header);
  const places = Object.entries(tensors).map(([name, value]) => placeOf(name, value));
  checkPlaces(places, file.size - dataAt);
  return { entries: places.map((place) => entryOf(file, dataAt, place)), metadata: textsOf(metadata) };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseHeader(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let text = "";
  let parsed: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    parsed = JSON.parse(text);
  } catch {
    broken("its header is no JSON");
  }
  if (!isObject(parsed)) return broken("its header is no object");
  const twice = duplicateKey(text);
  if (twice !== undefined) broken(`its header says ${JSON.stringify(twice)} twice`);
  return parsed;
}

function textsOf(metadata: unknown): Readonly<Record<string, string>> {
  if (!isObject(metadata) || !Object.values(metadata).every((value) => typeof value === "string"))
    return broken(`its ${metadataKey} is no list of texts`);
  return metadata as Readonly<Record<string, string>>;
}

function placeOf(name: string, value: unknown): Place {
  if (!isObject(value)) return broken(`its header describes no tensor under ${JSON.stringify(name)}`);
  const { dtype: stored, shape, data_offsets: offsets } = value;
  if (typeof stored !== "string" || !Array.isArray(shape))
    return broken(`its header gives the tensor ${name} no dtype or no shape`);
  checkExtents(shape);
  const [begin, end] = Array.isArray(offsets) && offsets.length === 2 ? (offsets as unknown[]) : [];
  if (!isOffset(begin) || !isOffset(end) || begin > end) return broken(`its header gives the tensor ${name} no data_offsets`);
  const dtype = Object.hasOwn(types, stored) ? types[stored] : undefined;
  const bytes = end - begin;
  if (dtype && elementsOf(shape) * sizeOf(dtype) !== bytes)
    broken(
      `the tensor ${name}, ${stored} [${shape.join(", ")}], has ${elementsOf(shape) * sizeOf(dtype)} bytes, and its data_offsets have ${bytes}`,
    );
  const unknown = {
    what: "of a type that kernels do not have",
    way: "convert it before it is saved, to F32 or BF16 for one, or leave it out with `names`",
  };
  return { name, begin, end, described: { dtype, stored, shape, bytes, ...(dtype === undefined && { problem: unknown }) } };
}

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Refuses tensors that share bytes, and bytes that are nobody's. */
function checkPlaces(places: readonly Place[], dataBytes: number): void {
  let done = 0;
  for (const { name, begin, end } of [...places].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin < done) broken(`the tensor ${name} begins at ${begin}, within another that ends at ${done}`);
    if (begin > done) broken(`its bytes from ${done} to ${begin} belong to no tensor`);
    done = end;
  }
  if (done > dataBytes) broken(`its tensors have ${done} bytes, and it has ${dataBytes}`);
  if (done < dataBytes) broken(`its last ${dataBytes - done} bytes belong to no tensor`);
}

function entryOf(file: RandomFile, dataAt: number, { name, begin, described }: Place): Entry {
  return {
    name,
    describe: async () => described,
    async read() {
      const bytes = roomFor(described.bytes);
      await file.fillFrom(dataAt + begin, bytes);
      if (described.dtype === "bool") checkBools(bytes);
      return { described, bytes };
    },
  };
}

/** What is written: in which order the elements follow the header, larger elements first, so that all are aligned. */
export interface Laid<T> {
  readonly header: Uint8Array;
  readonly order: readonly T[];
}

export function layOut<T extends { readonly name: string; readonly dtype: DType; readonly shape: Shape; readonly bytes: number }>(
  arrays: readonly T[],
  metadata: Readonly<Record<string, string>>,
): Laid<T> {
  const order = [...arrays].sort((a, b) => sizeOf(b.dtype) - sizeOf(a.dtype));
  let at = 0;
  const tensors = order.map(({ name, dtype, shape, bytes }): readonly [string, object] => {
    const begin = at;
    at += bytes;
    return [name, { dtype: names.get(dtype), shape, data_offsets: [begin, at] }];
  });
  const beside = Object.keys(metadata).length > 0 ? [[metadataKey, metadata] as const] : [];
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries([...beside, ...tensors])));
  const padded = Math.ceil(text.length / lengthBytes) * lengthBytes;
  const header = new Uint8Array(lengthBytes + padded).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(padded), true);
  header.set(text, lengthBytes);
  return { header, order };
}

/** Why a tensor cannot have that name. */
export const nameProblem = (name: string): string | undefined =>
  name === metadataKey ? `${metadataKey} is what the texts beside the arrays are called` : undefined;
