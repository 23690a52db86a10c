/** Sections of an ELF file of 64 bits, which is what a cubin and a core dump of a GPU are. */
export interface Section {
  /** Its number in the file. */
  readonly index: number;
  readonly name: string;
  /** `sh_type`. */
  readonly type: number;
  /** Where it lies in the memory of the GPU; 0 where it does not. */
  readonly address: number;
  /** The number of the section that it belongs to, and which entry of it. */
  readonly link: number;
  readonly info: number;
  /** Of a table: how long an entry is. */
  readonly entryBytes: number;
  readonly bytes: DataView;
}

const headerOffsetAt = 0x28;
const countsAt = 0x3c;
const headerBytes = 64;
/** `SHN_XINDEX`: the number does not fit, and stands in the first section. */
const elsewhere = 0xffff;
/** `SHT_NOBITS`: what takes no bytes in the file has a size, too. */
const noBits = 8;

const isElf64 = (view: DataView): boolean =>
  view.byteLength >= headerBytes && view.getUint32(0, false) === 0x7f454c46 && view.getUint8(4) === 2;

/** A text that ends with a zero byte. */
export function textAt(view: DataView, from: number): { readonly text: string; readonly end: number } {
  let end = from;
  while (end < view.byteLength && view.getUint8(end) !== 0) end++;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + from, end - from);
  return { text: new TextDecoder().decode(bytes), end: end + 1 };
}

/** The sections of a file; none where it is no such file. `wanted`: only those of these types. Of a file that is cut off: throws a RangeError. */
export function sectionsOf(file: Uint8Array, wanted: (type: number) => boolean = () => true): readonly Section[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (!isElf64(view)) return [];
  const number = (at: number): number => Number(view.getBigUint64(at, true));
  const first = number(headerOffsetAt);
  const [few, near] = [view.getUint16(countsAt, true), view.getUint16(countsAt + 2, true)];
  // A file with more sections than 16 bits count says 0.
  const count = few === 0 && first > 0 ? number(first + 32) : few;
  if (first + count * headerBytes > file.byteLength) throw new RangeError("the table of the sections is cut off");
  const names = near === elsewhere ? view.getUint32(first + 40, true) : near;
  const table = names < count ? number(first + names * headerBytes + 24) : 0;
  const section = (index: number, at: number, type: number): Section => {
    const [offset, bytes] = [number(at + 24), type === noBits || type === 0 ? 0 : number(at + 32)];
    if (bytes > 0 && offset + bytes > file.byteLength) throw new RangeError("a section is cut off");
    return {
      index,
      // Of a dump with many sections few are asked for their names.
      get name() {
        return textAt(view, table + view.getUint32(at, true)).text;
      },
      type,
      address: number(at + 16),
      bytes: new DataView(file.buffer, file.byteOffset + (bytes > 0 ? offset : 0), bytes),
      link: view.getUint32(at + 40, true),
      info: view.getUint32(at + 44, true),
      entryBytes: number(at + 56),
    };
  };
  const found: Section[] = [];
  for (let i = 0; i < count; i++) {
    const at = first + i * headerBytes;
    const type = view.getUint32(at + 4, true);
    if (wanted(type)) found.push(section(i, at, type));
  }
  return found;
}
