import type { DType } from "../../base/types.ts";
import { elementBytes } from "../../runtime/index.ts";
import { broken, type Described } from "./array-file.ts";
import type { PythonValue } from "./python-literal.ts";

/** What a `descr` says of elements. */
export interface NpyType extends Pick<Described, "dtype" | "stored" | "problem" | "maybe"> {
  readonly elementBytes: number;
  /** The bytes of each element stand the other way round. */
  readonly bigEndian: boolean;
}

/** By kind and size: `numpy.dtype.str` without the byte order. */
const types: Readonly<Record<string, DType>> = {
  f8: "f64",
  f4: "f32",
  f2: "f16",
  i8: "i64",
  i4: "i32",
  i2: "i16",
  i1: "i8",
  u8: "u64",
  u4: "u32",
  u2: "u16",
  u1: "u8",
  b1: "bool",
};
/** As ml_dtypes writes its types: a float of one byte is none of numpy's own, and of two bytes it has one type that is void. */
const ofMlDtypes: Readonly<Record<string, DType>> = { "<V2": "bf16", "<f1": "e5m2" };
/** What a void of so many bytes may be. */
const voids: Readonly<Record<number, readonly DType[]>> = { 1: ["e4m3", "e5m2"], 2: ["bf16"] };

const kinds: Readonly<Record<string, string>> = {
  c: "complex numbers",
  O: "objects of Python",
  S: "bytes of text",
  a: "bytes of text",
  U: "texts",
  M: "dates",
  m: "spans of time",
  V: "raw bytes",
  f: "floats",
  i: "integers",
  u: "integers",
};
const convert = "convert it before it is saved, as in numpy.save(path, x.astype(numpy.float32))";

/** The type of a `descr`. Refuses what is none. */
export function npyType(descr: PythonValue): NpyType {
  if (typeof descr !== "string") {
    if (!Array.isArray(descr)) broken("its header names no element type");
    const way = "save each field as an array of its own";
    return { stored: "a structure", dtype: undefined, elementBytes: 0, bigEndian: false, problem: { what: "structures", way } };
  }
  const [, order = "", kind = "", digits = "", unit] =
    /^([<>|=]?)([a-zA-Z])(\d*)(\[[^\]]*\])?$/.exec(descr) ?? broken(`its header names the element type ${JSON.stringify(descr)}`);
  // Texts have four bytes for each letter.
  const size = kind === "O" ? 8 : Number(digits) * (kind === "U" ? 4 : 1);
  const base = { stored: descr, elementBytes: size, bigEndian: order === ">" && size > 1 };
  const dtype = ofMlDtypes[descr] ?? (unit === undefined ? types[kind + digits] : undefined);
  if (dtype) return { ...base, dtype };
  return { ...base, dtype: undefined, ...unknown(kind, size, order === ">") };
}

function unknown(kind: string, size: number, bigEndian: boolean): Pick<NpyType, "problem" | "maybe"> {
  const maybe = kind === "V" && !bigEndian ? voids[size] : undefined;
  const what = `${kinds[kind] ?? "of a type that is not known"}${size > 0 && "fiuV".includes(kind) ? ` of ${size} bytes` : ""}`;
  if (kind === "O")
    return {
      problem: {
        what,
        way: "save numbers: an array of objects is a pickle, which runs code when it is read, and is never read here",
      },
    };
  if (maybe)
    return {
      maybe,
      problem: {
        what,
        way: `say what they are, readArray(path, { dtype: "${maybe[0]}" }), or save them as safetensors, which says it`,
      },
    };
  return { problem: { what, way: convert } };
}

const descrs: Readonly<Record<DType, string>> = {
  f64: "<f8",
  f32: "<f4",
  tf32: "<f4",
  f16: "<f2",
  bf16: "<V2",
  e4m3: "<V1",
  e5m2: "<f1",
  i64: "<i8",
  u64: "<u8",
  i32: "<i4",
  u32: "<u4",
  i16: "<i2",
  u16: "<u2",
  i8: "|i1",
  u8: "|u1",
  bool: "|b1",
};

/** As numpy, or ml_dtypes, writes the type. */
export const descrOf = (dtype: DType): string => descrs[dtype];

/** Puts the bytes of each element the other way round, in place. */
export function swapBytes(bytes: Uint8Array, size: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (size === 2) buffer.swap16();
  else if (size === 4) buffer.swap32();
  else if (size === 8) buffer.swap64();
}

export const sizeOf = (dtype: DType): 1 | 2 | 4 | 8 => elementBytes(dtype);
