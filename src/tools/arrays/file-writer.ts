import { type FileHandle, open, realpath, rename, rm } from "node:fs/promises";

/** A file that is being written, at its end. */
export interface FileWriter {
  /** Bytes so far. */
  readonly at: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Over what has been written. */
  rewrite(at: number, bytes: Uint8Array): Promise<void>;
}

class OpenFile implements FileWriter {
  readonly #handle: FileHandle;
  #at = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get at(): number {
    return this.#at;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.rewrite(this.#at, bytes);
    this.#at += bytes.length;
  }

  async rewrite(at: number, bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; )
      done += (await this.#handle.write(bytes, done, Math.min(bytes.length - done, 2 ** 28), at + done)).bytesWritten;
  }
}

let counter = 0;

/** Writes a file whole or not at all: beside its place first, then there. What was there before stays until then. */
export async function writeWhole(path: string, write: (file: FileWriter) => Promise<void>): Promise<void> {
  // A link stays a link.
  const place = await realpath(path).catch(() => path);
  const beside = `${place}.${process.pid}-${++counter}.part`;
  const handle = await open(beside, "wx");
  try {
    try {
      await write(new OpenFile(handle));
    } finally {
      await handle.close();
    }
    await rename(beside, place);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
