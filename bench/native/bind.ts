import koffi from "koffi";

/** How a parameter crosses: the kind, and koffi's name of its C type. `pointer` is memory of the host, `u64` a handle or an address of the device. */
const cTypes = {
  pointer: "void *",
  u64: "uint64",
  i64: "int64",
  size: "size_t",
  u32: "uint32",
  i32: "int32",
  text: "str",
} as const;

interface Kinds {
  pointer: ArrayBufferView | bigint | null;
  u64: bigint;
  i64: number | bigint;
  size: number;
  u32: number;
  i32: number;
  text: string;
}
export type Kind = keyof Kinds;
type Arguments<P extends readonly Kind[]> = { -readonly [I in keyof P]: Kinds[P[I]] };
export type Symbols = Readonly<Record<string, readonly Kind[]>>;
export type Bound<T extends Symbols> = { readonly [S in keyof T]: (...args: Arguments<T[S]>) => number };

/** The functions of a shared library that give an int. Throws where the library or one of them is missing. */
export function bind<const T extends Symbols>(library: string, table: T): Bound<T> {
  const handle = koffi.load(library);
  const bound: Record<string, unknown> = {};
  for (const [name, kinds] of Object.entries(table))
    bound[name] = handle.func(
      name,
      "int32",
      kinds.map((kind) => cTypes[kind]),
    );
  return bound as Bound<T>;
}

/** A function of another result type. */
export const bindAs = (library: string, name: string, result: "size_t" | "str", kinds: readonly Kind[]) =>
  koffi.load(library).func(
    name,
    result,
    kinds.map((kind) => cTypes[kind]),
  ) as (...args: unknown[]) => unknown;

/** Where the bytes of a view lie, as long as it lives. */
export const addressOf = (view: ArrayBufferView): bigint => koffi.address(view);

const out64 = new BigUint64Array(1);
const out32 = new Int32Array(1);

/** What a function writes through its pointer to 64 bits. */
export function take64(call: (out: BigUint64Array) => void): bigint {
  out64[0] = 0n;
  call(out64);
  return out64[0];
}

export function take32(call: (out: Int32Array) => void): number {
  out32[0] = 0;
  call(out32);
  return out32[0];
}

/** What a function writes as text that ends with a zero byte. */
export function takeText(bytes: number, call: (out: Uint8Array) => void): string {
  const buffer = new Uint8Array(bytes);
  call(buffer);
  const end = buffer.indexOf(0);
  return new TextDecoder().decode(buffer.subarray(0, end < 0 ? bytes : end));
}
