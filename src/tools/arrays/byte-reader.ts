/** Bytes of a file, from its beginning on or from within. */
import { type FileHandle, open } from "node:fs/promises";
import { broken } from "./array-file.ts";

/** Bytes that come one after the other. */
export interface ByteReader {
  /** How many there are. */
  readonly size: number;
  /** The next ones, as many as the target has. */
  fill(target: Uint8Array): Promise<void>;
  /** When all have been read: looks whether they are what was written. */
  finish(): void;
  /** No more is read. */
  close(): void;
}

/** A file that is read at any place. */
export interface RandomFile extends AsyncDisposable {
  readonly size: number;
  /** Fills the target with the bytes from that place on. */
  fillFrom(at: number, target: Uint8Array): Promise<void>;
}

/** Of one call: Node takes no more than 2^31 - 1. */
const atOnce = 2 ** 28;

export async function openFile(path: string | URL): Promise<RandomFile> {
  const handle = await open(path, "r");
  try {
    const { size } = await regular(handle);
    return {
      size,
      fillFrom: (at, target) => fillFrom(handle, at, target),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function regular(handle: FileHandle): Promise<{ readonly size: number }> {
  const found = await handle.stat();
  if (found.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR", syscall: "open" });
  // A pipe has no size, and no place to go back to.
  return found.isFile() ? found : broken("it is no file that can be read at any place");
}

async function fillFrom(handle: FileHandle, at: number, target: Uint8Array): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await handle.read(target, done, Math.min(target.length - done, atOnce), at + done);
    if (bytesRead === 0) broken(`it ends ${target.length - done} bytes too early`);
    done += bytesRead;
  }
}

/** So many bytes of a file from a place on. */
export function readerOf(file: RandomFile, at = 0, size = file.size - at): ByteReader {
  let place = at;
  const end = at + size;
  return {
    size,
    async fill(target) {
      if (place + target.length > end) broken(`it ends ${place + target.length - end} bytes too early`);
      await file.fillFrom(place, target);
      place += target.length;
    },
    finish() {},
    close() {},
  };
}
