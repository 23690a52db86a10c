/** Sections of an ELF file of 64 bits, which is what a cubin is. */
export interface Section {
  readonly name: string;
  readonly bytes: DataView;
}

const headerOffsetAt = 0x28;
const countsAt = 0x3c;
const headerBytes = 64;

const isElf64 = (view: DataView): boolean =>
  view.byteLength >= headerBytes && view.getUint32(0, false) === 0x7f454c46 && view.getUint8(4) === 2;

/** A text that ends with a zero byte. */
export function textAt(view: DataView, from: number): { readonly text: string; readonly end: number } {
  let end = from;
  while (end < view.byteLength && view.getUint8(end) !== 0) end++;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + from, end - from);
  return { text: new TextDecoder().decode(bytes), end: end + 1 };
}

/** The sections of a file; none where it is no such file. */
export function sectionsOf(file: Uint8Array): readonly Section[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (!isElf64(view)) return [];
  const first = Number(view.getBigUint64(headerOffsetAt, true));
  const [count, names] = [view.getUint16(countsAt, true), view.getUint16(countsAt + 2, true)];
  const part = (at: number): { readonly name: number; readonly offset: number; readonly size: number } => ({
    name: view.getUint32(at, true),
    offset: Number(view.getBigUint64(at + 24, true)),
    // What takes no bytes in the file has a size, too.
    size: view.getUint32(at + 4, true) === 8 ? 0 : Number(view.getBigUint64(at + 32, true)),
  });
  const headers = Array.from({ length: count }, (_, i) => part(first + i * headerBytes));
  const table = headers[names]?.offset ?? 0;
  return headers.map(({ name, offset, size }) => ({
    name: textAt(view, table + name).text,
    bytes: new DataView(file.buffer, file.byteOffset + offset, size),
  }));
}
