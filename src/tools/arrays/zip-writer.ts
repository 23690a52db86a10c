/** Writes zip files (PKWARE APPNOTE 6.3.10), with zip64 where a size or a place needs it. All members have the date 1980-01-01: the same arrays make the same file. */
import { Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import type { FileWriter } from "./file-writer.ts";
import { in64, type Member, methods, signatures } from "./zip-directory.ts";

/** 1980-01-01 as MS-DOS counts days. */
const date = 0x21;
const utf8Name = 0x800;
const versions = { deflate: 20, zip64: 45 } as const;

/** Fields one after the other, little-endian: each a number and its bytes. */
function fields(...values: readonly (readonly [value: number, bytes: 2 | 4 | 8])[]): Uint8Array {
  const bytes = new Uint8Array(values.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of values) {
    if (size === 2) view.setUint16(at, value, true);
    else if (size === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += size;
  }
  return bytes;
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

export class ZipWriter {
  readonly #file: FileWriter;
  readonly #deflate: boolean;
  /** From this number on a field is too small: for tests of zip64 without files of 4 GiB. */
  readonly #limit: number;
  readonly #members: Member[] = [];

  constructor(file: FileWriter, deflate: boolean, limit: number = in64.bits32) {
    this.#file = file;
    this.#deflate = deflate;
    this.#limit = limit;
  }

  /** A member of these parts, one after the other. */
  async add(name: string, parts: readonly Uint8Array[]): Promise<void> {
    const { at } = this.#file;
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const crc = parts.reduce((sum, part) => crc32(part, sum), 0);
    const method = this.#deflate ? methods.deflated : methods.stored;
    const unknown: Member = { name, method, crc, size, packed: size, at };
    // What cannot be deflated grows by five bytes in 16 KiB.
    const wide = size + size / 1024 + 1024 >= this.#limit;
    await this.#file.write(localHeader(unknown, wide));
    const begin = this.#file.at;
    if (this.#deflate) for await (const chunk of deflated(parts)) await this.#file.write(chunk);
    else for (const part of parts) await this.#file.write(part);
    const member = { ...unknown, packed: this.#file.at - begin };
    await this.#file.rewrite(at, localHeader(member, wide));
    this.#members.push(member);
  }

  /** The directory. */
  async finish(): Promise<void> {
    const { at } = this.#file;
    for (const member of this.#members) await this.#file.write(this.#centralHeader(member));
    const bytes = this.#file.at - at;
    const entries = this.#members.length;
    const wide = at >= this.#limit || bytes >= this.#limit || entries >= in64.bits16;
    if (wide) {
      const end64 = this.#file.at;
      await this.#file.write(
        fields(
          [signatures.end64, 4],
          [44, 8],
          [versions.zip64, 2],
          [versions.zip64, 2],
          [0, 4],
          [0, 4],
          [entries, 8],
          [entries, 8],
          [bytes, 8],
          [at, 8],
        ),
      );
      await this.#file.write(fields([signatures.locator64, 4], [0, 4], [end64, 8], [1, 4]));
    }
    const short = wide ? in64.bits16 : entries;
    const [size, place] = wide ? [in64.bits32, in64.bits32] : [bytes, at];
    await this.#file.write(fields([signatures.end, 4], [0, 2], [0, 2], [short, 2], [short, 2], [size, 4], [place, 4], [0, 2]));
  }

  #centralHeader(member: Member): Uint8Array {
    const { name, method, crc, packed, size, at } = member;
    const large = [size, packed, at].map((value) => value >= this.#limit);
    const short = [size, packed, at].map((value, i) => (large[i] ? in64.bits32 : value));
    const whole = [size, packed, at].filter((_, i) => large[i]);
    const extra =
      whole.length === 0
        ? new Uint8Array(0)
        : fields([1, 2], [8 * whole.length, 2], ...whole.map((value) => [value, 8] as const));
    const text = new TextEncoder().encode(name);
    const version = large.includes(true) ? versions.zip64 : versions.deflate;
    return joined(
      fields([signatures.central, 4], [version, 2], [version, 2], [utf8Name, 2], [method, 2], [0, 2], [date, 2], [crc, 4]),
      fields(
        [short[1] ?? 0, 4],
        [short[0] ?? 0, 4],
        [text.length, 2],
        [extra.length, 2],
        [0, 2],
        [0, 2],
        [0, 2],
        [0, 4],
        [short[2] ?? 0, 4],
      ),
      text,
      extra,
    );
  }
}

function localHeader({ name, method, crc, packed, size }: Member, wide: boolean): Uint8Array {
  const text = new TextEncoder().encode(name);
  const extra = wide ? fields([1, 2], [16, 2], [size, 8], [packed, 8]) : new Uint8Array(0);
  const [short, shortPacked] = wide ? [in64.bits32, in64.bits32] : [size, packed];
  return joined(
    fields(
      [signatures.local, 4],
      [wide ? versions.zip64 : versions.deflate, 2],
      [utf8Name, 2],
      [method, 2],
      [0, 2],
      [date, 2],
      [crc, 4],
    ),
    fields([shortPacked, 4], [short, 4], [text.length, 2], [extra.length, 2]),
    text,
    extra,
  );
}

const chunkBytes = 2 ** 20;

async function* deflated(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  const chunks = function* (): Generator<Uint8Array> {
    for (const part of parts) for (let at = 0; at < part.length; at += chunkBytes) yield part.subarray(at, at + chunkBytes);
  };
  yield* Readable.from(chunks(), { objectMode: false }).pipe(createDeflateRaw()) as AsyncIterable<Uint8Array>;
}
