/**
 * What is kept on disk: files that have been transformed, kernels that have been assembled. Both are code that will run, so it takes
 * nothing that another user may have written. Whatever is wrong with its folder, the program goes on without it.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Bytes by key on disk. Nothing here ever fails: a folder that cannot be used is an empty cache, and a warning. */
export interface DiskCache {
  get(key: string): Uint8Array | undefined;
  put(key: string, bytes: Uint8Array): void;
}

export interface DiskCacheOptions {
  /** Bytes that it may hold, about. Default: 256 MiB. */
  readonly capacity?: number;
  /** Gets what is wrong with the folder. Default: a warning of the process, the first time that any cache has one. */
  readonly warn?: (message: string) => void;
}

const magic = Buffer.from("warpsmith-cache2");
const digestBytes = 32;
const usualCapacity = 256 * 2 ** 20;
/** Milliseconds: how exactly the time of the last use is kept, and how often what was not used for long is looked for. */
const hour = 3_600_000;
const sweepEvery = 24 * hour;
const marker = ".swept";

/** The key is part of it, so that no entry passes for another. */
const digest = (key: string, bytes: Uint8Array): Buffer => createHash("sha256").update(`${key}\n`).update(bytes).digest();

/** A key of everything that the cached bytes depend on. */
export function cacheKey(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("hex");
}

let warned = false;

function warnOnce(message: string): void {
  if (warned) return;
  warned = true;
  process.emitWarning(message, "WarpsmithWarning");
}

/** Why somebody else may have written what lies there; undefined where only this user, or nobody knows whose it is (Windows). */
function distrusted({ uid, mode }: Stats): string | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  if (uid !== own) return `belongs to another user (${uid}, this process runs as ${own})`;
  return (mode & 0o022) === 0 ? undefined : `can be written by other users (mode ${(mode & 0o777).toString(8)})`;
}

/** The cache of one kind of thing in a directory that processes may share. */
class Folder implements DiskCache {
  readonly #directory: string;
  readonly #path: string;
  readonly #capacity: number;
  readonly #warn: (message: string) => void;
  #state: "unknown" | "usable" | "unusable" = "unknown";
  #writable = true;
  #swept = false;

  constructor(directory: string, kind: string, { capacity = usualCapacity, warn = warnOnce }: DiskCacheOptions) {
    this.#directory = directory;
    this.#path = join(directory, kind);
    this.#capacity = capacity;
    this.#warn = warn;
  }

  get(key: string): Uint8Array | undefined {
    if (!this.#usable()) return undefined;
    const path = join(this.#path, key);
    try {
      return this.#read(path, key);
    } catch {
      return undefined;
    }
  }

  /** Written beside its place and then renamed onto it: it is there whole or not at all, and the digest finds what is damaged all the same. */
  put(key: string, bytes: Uint8Array): void {
    if (!this.#usable() || !this.#writable) return;
    const temporary = join(this.#path, `${randomUUID()}.tmp`);
    try {
      writeFileSync(temporary, Buffer.concat([magic, digest(key, bytes), bytes]), { mode: 0o600, flag: "wx" });
      renameSync(temporary, join(this.#path, key));
    } catch (error) {
      removeQuietly(temporary);
      this.#writable = false;
      this.#complain(`cannot be written: ${textOf(error)}`, "Give it room and yourself the right to write");
      return;
    }
    this.#sweep();
  }

  #complain(why: string, fix: string): void {
    this.#warn(
      `the cache in ${this.#directory} ${why}. The program goes on without it, and compiles again at each start. ${fix}, or set WARPSMITH_CACHE to another folder or to "off".`,
    );
  }

  #usable(): boolean {
    if (this.#state === "unknown") this.#state = this.#prepare() ? "usable" : "unusable";
    return this.#state === "usable";
  }

  #prepare(): boolean {
    try {
      mkdirSync(this.#path, { recursive: true, mode: 0o700 });
      for (const path of [this.#directory, this.#path]) {
        const why = distrusted(statSync(path));
        if (why === undefined) continue;
        this.#complain(
          `is not used, because ${path} ${why} and holds code that would run`,
          `Take that right away (chmod go-w ${path})`,
        );
        return false;
      }
      return true;
    } catch (error) {
      this.#complain(`cannot be used: ${textOf(error)}`, "Make it a folder that you can write");
      return false;
    }
  }

  #read(path: string, key: string): Uint8Array | undefined {
    const file = openSync(path, "r");
    try {
      const stats = fstatSync(file);
      const why = distrusted(stats);
      if (why !== undefined) {
        this.#complain(`has an entry that is not used, because ${path} ${why}`, "Remove it");
        return undefined;
      }
      const bytes = unwrap(readFileSync(file), key);
      if (bytes && Date.now() - stats.mtimeMs > hour) touchQuietly(path);
      return bytes;
    } finally {
      closeSync(file);
    }
  }

  /** Once in a process, and once a day: what was used longest ago goes, until the rest has room to grow. */
  #sweep(): void {
    if (this.#swept) return;
    this.#swept = true;
    try {
      const mark = join(this.#path, marker);
      if (Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0) < sweepEvery) return;
      writeFileSync(mark, "", { mode: 0o600 });
      this.#removeOldest();
    } catch {
      // Another process does it, or there is nothing left to remove.
    }
  }

  #removeOldest(): void {
    const entries = readdirSync(this.#path)
      .filter((name) => name !== marker)
      .flatMap((name) => {
        const path = join(this.#path, name);
        const stats = statSync(path, { throwIfNoEntry: false });
        return stats?.isFile() ? [{ path, size: stats.size, used: stats.mtimeMs }] : [];
      })
      .sort((a, b) => a.used - b.used);
    let bytes = entries.reduce((sum, { size }) => sum + size, 0);
    const room = bytes > this.#capacity ? this.#capacity * 0.75 : this.#capacity;
    for (const { path, size, used } of entries) {
      // A process that was killed leaves what it was writing.
      const left = path.endsWith(".tmp") && Date.now() - used > hour;
      if (bytes <= room && !left) continue;
      removeQuietly(path);
      bytes -= size;
    }
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It was never made, or somebody else has removed it.
  }
}

function touchQuietly(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // It goes sooner than it would have to.
  }
}

function unwrap(file: Buffer, key: string): Uint8Array | undefined {
  const start = magic.length + digestBytes;
  if (file.length < start || !file.subarray(0, magic.length).equals(magic)) return undefined;
  const bytes = Uint8Array.from(file.subarray(start));
  return digest(key, bytes).equals(file.subarray(magic.length, start)) ? bytes : undefined;
}

const nothing: DiskCache = { get: () => undefined, put: () => undefined };

/** The cache of one kind of thing, in a folder of that name in a directory. Undefined: no cache. */
export const openDiskCache = (directory: string | undefined, kind: string, options: DiskCacheOptions = {}): DiskCache =>
  directory === undefined ? nothing : new Folder(directory, kind, options);
