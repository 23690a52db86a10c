import { createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Bytes by key on disk. Nothing here ever fails: a directory that cannot be used is an empty cache. */
export interface DiskCache {
  get(key: string): Uint8Array | undefined;
  put(key: string, bytes: Uint8Array): void;
}

const magic = Buffer.from("warpsmith-cache1");
const digestBytes = 32;
const digest = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** A key of everything that the cached bytes depend on. */
export function cacheKey(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("hex");
}

const nothing: DiskCache = { get: () => undefined, put: () => undefined };

/**
 * A cache in a directory, which may be shared by processes: an entry is written beside its place, flushed and then renamed onto it,
 * so it is there whole or not at all; one that is damaged all the same counts as missing. Undefined: no cache.
 */
export function openDiskCache(directory: string | undefined): DiskCache {
  if (directory === undefined) return nothing;
  const place = (key: string): string => join(directory, key.slice(0, 2), key.slice(2));
  return {
    get(key) {
      try {
        return unwrap(readFileSync(place(key)));
      } catch {
        return undefined;
      }
    },
    put(key, bytes) {
      const path = place(key);
      const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
      try {
        mkdirSync(join(path, ".."), { recursive: true });
        writeWhole(temporary, Buffer.concat([magic, digest(bytes), bytes]));
        renameSync(temporary, path);
      } catch {
        removeQuietly(temporary);
      }
    },
  };
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It was never made: its directory cannot be used.
  }
}

function writeWhole(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "wx");
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function unwrap(file: Buffer): Uint8Array | undefined {
  const start = magic.length + digestBytes;
  if (file.length < start || !file.subarray(0, magic.length).equals(magic)) return undefined;
  const bytes = Uint8Array.from(file.subarray(start));
  return digest(bytes).equals(file.subarray(magic.length, start)) ? bytes : undefined;
}
