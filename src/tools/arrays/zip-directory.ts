/**
 * The directory of a zip file (PKWARE APPNOTE 6.3.10: 4.3.12 central directory, 4.3.14 and 4.3.15 zip64, 4.3.16 end of central directory). Its members are checked
 * against the file, and against each other: none lies in another, and none says that it is larger than deflate can make it.
 */
import { broken } from "./array-file.ts";
import type { RandomFile } from "./byte-reader.ts";

export const signatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
export const methods = { stored: 0, deflated: 8 } as const;
/** What stands in a field whose value is in the zip64 extra field. */
export const in64 = { bits16: 0xffff, bits32: 0xffffffff } as const;

/** A file in a zip file. */
export interface Member {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  /** Bytes in the file, and when they are inflated. */
  readonly packed: number;
  readonly size: number;
  /** Where its local header begins. */
  readonly at: number;
}

const endBytes = 22;
const longestComment = 0xffff;
const centralBytes = 46;
const localBytes = 30;
/** Deflate makes of one byte no more than 1032 (258 bytes from two bits). */
const mostRatio = 1032;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function count64(view: DataView, at: number): number {
  const value = Number(view.getBigUint64(at, true));
  return Number.isSafeInteger(value) ? value : broken("a number of its directory is too large");
}

async function read(file: RandomFile, at: number, bytes: number): Promise<DataView> {
  if (at < 0 || at + bytes > file.size) broken("its directory lies beside the file");
  const target = new Uint8Array(bytes);
  await file.fillFrom(at, target);
  return viewOf(target);
}

interface Directory {
  readonly entries: number;
  readonly bytes: number;
  readonly at: number;
}

/** Finds the record at the end, behind which there is only a comment. */
async function findDirectory(file: RandomFile): Promise<Directory> {
  const length = Math.min(file.size, endBytes + longestComment);
  const tail = await read(file, file.size - length, length);
  for (let at = length - endBytes; at >= 0; at--) {
    if (tail.getUint32(at, true) !== signatures.end || tail.getUint16(at + 20, true) !== length - at - endBytes) continue;
    const end = file.size - length + at;
    const disk = tail.getUint16(at + 4, true);
    if (disk !== 0 && disk !== in64.bits16) broken("it is one part of several");
    const small = {
      entries: tail.getUint16(at + 10, true),
      bytes: tail.getUint32(at + 12, true),
      at: tail.getUint32(at + 16, true),
    };
    const full = small.entries === in64.bits16 || small.bytes === in64.bits32 || small.at === in64.bits32;
    return (full ? await findDirectory64(file, end) : undefined) ?? small;
  }
  return broken("it has no directory at its end");
}

async function findDirectory64(file: RandomFile, end: number): Promise<Directory | undefined> {
  if (end < 20) return undefined;
  const locator = await read(file, end - 20, 20);
  if (locator.getUint32(0, true) !== signatures.locator64) return undefined;
  const record = await read(file, count64(locator, 8), 56);
  if (record.getUint32(0, true) !== signatures.end64) broken("its zip64 directory is not where it says");
  return { entries: count64(record, 32), bytes: count64(record, 40), at: count64(record, 48) };
}

/** All members, in the order of the directory. */
export async function readDirectory(file: RandomFile): Promise<readonly Member[]> {
  const { entries, bytes, at } = await findDirectory(file);
  if (at + bytes > file.size || entries * centralBytes > bytes) broken("its directory has no room in the file");
  const view = await read(file, at, bytes);
  const members: Member[] = [];
  for (let i = 0, place = 0; i < entries; i++) {
    if (place + centralBytes > bytes || view.getUint32(place, true) !== signatures.central) broken("its directory breaks off");
    const lengths = [28, 30, 32].map((offset) => view.getUint16(place + offset, true));
    const next = place + centralBytes + lengths.reduce((sum, length) => sum + length, 0);
    if (next > bytes) broken("its directory breaks off");
    members.push(memberAt(view, place, lengths[0] ?? 0, lengths[1] ?? 0));
    place = next;
  }
  checkMembers(members, at);
  return members;
}

function memberAt(view: DataView, place: number, nameLength: number, extraLength: number): Member {
  const name = new TextDecoder().decode(new Uint8Array(view.buffer, place + centralBytes, nameLength));
  if (view.getUint16(place + 8, true) & 1) broken(`its member ${name} is encrypted`);
  // Those of the four that are full stand in the extra field, in this order.
  let extra = findExtra64(view, place + centralBytes + nameLength, extraLength);
  const whole = (offset: number): number => {
    const value = view.getUint32(place + offset, true);
    if (value !== in64.bits32) return value;
    if (!extra || extra.byteLength < 8) return broken(`its member ${name} has no zip64 sizes`);
    const found = count64(extra, 0);
    extra = new DataView(extra.buffer, extra.byteOffset + 8, extra.byteLength - 8);
    return found;
  };
  const [size, packed, at] = [whole(24), whole(20), whole(42)];
  return { name, method: view.getUint16(place + 10, true), crc: view.getUint32(place + 16, true), packed, size, at };
}

/** The extra field of zip64, header ID 1. */
function findExtra64(view: DataView, begin: number, length: number): DataView | undefined {
  for (let at = begin; at + 4 <= begin + length; ) {
    const bytes = view.getUint16(at + 2, true);
    if (at + 4 + bytes > begin + length) return undefined;
    if (view.getUint16(at, true) === 1) return new DataView(view.buffer, view.byteOffset + at + 4, bytes);
    at += 4 + bytes;
  }
  return undefined;
}

function checkMembers(members: readonly Member[], directoryAt: number): void {
  const names = new Set<string>();
  for (const { name, method, packed, size } of members) {
    if (names.has(name)) broken(`it has two members ${name}`);
    names.add(name);
    if (method === methods.stored && packed !== size) broken(`its member ${name} has two sizes`);
    if (method === methods.deflated && size > (packed + 1) * mostRatio)
      broken(`its member ${name} says that it is larger than it can be`);
  }
  const inOrder = [...members].sort((a, b) => a.at - b.at);
  inOrder.forEach(({ name, at, packed }, i) => {
    if (at + localBytes + packed > (inOrder[i + 1]?.at ?? directoryAt)) broken(`its member ${name} reaches into what follows it`);
  });
}

/** Where the bytes of a member begin. */
export async function dataOf(file: RandomFile, { name, at, packed }: Member): Promise<number> {
  const local = await read(file, at, localBytes);
  if (local.getUint32(0, true) !== signatures.local) broken(`its member ${name} is not where its directory says`);
  const begin = at + localBytes + local.getUint16(26, true) + local.getUint16(28, true);
  return begin + packed <= file.size ? begin : broken(`it ends in its member ${name}`);
}
