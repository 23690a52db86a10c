import { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { broken } from "./array-file.ts";
import { type ByteReader, type RandomFile, readerOf } from "./byte-reader.ts";
import { dataOf, type Member, methods } from "./zip-directory.ts";

const chunkBytes = 2 ** 18;

/** The bytes of a member, inflated as they are asked for; `finish` compares their checksum. */
export async function openMember(file: RandomFile, member: Member): Promise<ByteReader> {
  const { name, method, size, packed } = member;
  const at = await dataOf(file, member);
  if (method === methods.stored) return checked(readerOf(file, at, size), member);
  if (method === methods.deflated) return checked(inflating(readerOf(file, at, packed), size), member);
  return broken(`its member ${name} is packed by the method ${method}, and stored and deflated ones are known`);
}

function checked(reader: ByteReader, { name, crc, size }: Member): ByteReader {
  let [sum, done] = [0, 0];
  return {
    size,
    async fill(target) {
      await reader.fill(target);
      sum = crc32(target, sum);
      done += target.length;
    },
    finish() {
      reader.finish();
      if (done !== size) broken(`its member ${name} has ${size} bytes, and ${done} of them are an array`);
      if (sum !== crc) broken(`its member ${name} is damaged: its checksum is wrong`);
    },
    close: () => reader.close(),
  };
}

async function* chunksOf(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (let left = reader.size; left > 0; ) {
    const chunk = new Uint8Array(Math.min(left, chunkBytes));
    await reader.fill(chunk);
    left -= chunk.length;
    yield chunk;
  }
}

function inflating(packed: ByteReader, size: number): ByteReader {
  const source = Readable.from(chunksOf(packed), { objectMode: false });
  const inflate = createInflateRaw({ chunkSize: chunkBytes });
  source.on("error", (error) => inflate.destroy(error));
  // Whoever reads hears of it; who has stopped reading does not need to.
  inflate.on("error", () => {});
  const chunks = source.pipe(inflate)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let rest: Uint8Array = new Uint8Array(0);
  const next = async (): Promise<boolean> => {
    try {
      const { done, value } = await chunks.next();
      rest = done ? new Uint8Array(0) : value;
      return done !== true;
    } catch (error) {
      if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))
        broken("its deflated bytes are damaged");
      throw error;
    }
  };
  return {
    size,
    async fill(target) {
      for (let done = 0; done < target.length; ) {
        if (rest.length === 0 && !(await next())) broken("a member of it inflates to fewer bytes than it says");
        const part = rest.subarray(0, target.length - done);
        target.set(part, done);
        rest = rest.subarray(part.length);
        done += part.length;
      }
    },
    finish() {
      if (rest.length > 0) broken("a member of it inflates to more bytes than it says");
    },
    close() {
      source.destroy();
      inflate.destroy();
    },
  };
}
