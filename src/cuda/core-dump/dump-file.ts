/**
 * The file that the driver writes a core dump to when the GPU stops a kernel of a context. It has no name: it was opened and unlinked, so that nothing stays behind however the
 * process ends. It is asked for at the context alone: contexts of others in the process are as they were.
 */
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coredumpAttribute, coredumpContents, coredumpEnable, dumpsWithoutAbort } from "../constants.ts";
import { success } from "../results.ts";
import type { Driver } from "../symbols.ts";

/** What the driver has written, for everybody who has the context. */
export interface DumpFile {
  /** Whether the driver has written to it: then the GPU has stopped a kernel, whatever else the driver says. */
  readonly written: boolean;
  /** Undefined where it cannot be read. */
  read(): Uint8Array | undefined;
}

/** A dump is read into memory as a whole. That of an H200 full of threads has 127 MB. */
const mostBytes = 2 ** 30;

class UnnamedFile implements DumpFile {
  readonly #fd: number;
  #open = true;

  constructor() {
    const name = join(tmpdir(), `warpsmith-${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}.core`);
    this.#fd = openSync(name, "wx+", 0o600);
    unlinkSync(name);
  }

  /** What the driver, which is in this process, opens. */
  get path(): string {
    return `/proc/${process.pid}/fd/${this.#fd}`;
  }

  get written(): boolean {
    return this.#open && fstatSync(this.#fd).size > 0;
  }

  read(): Uint8Array | undefined {
    const { size } = fstatSync(this.#fd);
    if (size > mostBytes) return undefined;
    const bytes = new Uint8Array(size);
    return readSync(this.#fd, bytes, 0, size, 0) === size ? bytes : undefined;
  }

  close(): void {
    if (this.#open) closeSync(this.#fd);
    this.#open = false;
  }
}

const flagsOf = (driver: Driver, device: number): { readonly flags: number; readonly active: boolean } | undefined => {
  const [flags, active] = [new Uint32Array(1), new Int32Array(1)];
  if (driver.cuDevicePrimaryCtxGetState?.(device, flags, active) !== success) return undefined;
  return { flags: flags[0] ?? 0, active: active[0] !== 0 };
};

const size = (bytes: number): BigUint64Array => BigUint64Array.of(BigInt(bytes));

/** Whether somebody else has asked for dumps of all contexts, as by CUDA_ENABLE_COREDUMP_ON_EXCEPTION: theirs go where they say. */
function othersAsk(driver: Driver): boolean {
  const on = new Uint8Array(1);
  return driver.cuCoredumpGetAttributeGlobal?.(coredumpAttribute.onException, on, size(1)) !== success || on[0] !== 0;
}

function versionOf(driver: Driver): number {
  const version = new Int32Array(1);
  return driver.cuDriverGetVersion(version) === success ? (version[0] ?? 0) : 0;
}

/** A context that was made to have its failures dumped. The driver counts who has it, and so does this. */
interface Kept {
  readonly file: UnnamedFile | undefined;
  readonly flags: number;
  users: number;
}

/** By device. */
const kept = new WeakMap<Driver, Map<number, Kept>>();

/** A context that somebody has. */
export interface RetainedContext<C> {
  readonly context: C;
  /** Where its dumps go; undefined where nobody makes any. */
  readonly dump: DumpFile | undefined;
  /** Lets go of it. */
  release(): void;
}

export interface Retain<C> {
  /** Makes the context, if nobody has it, and makes it current. */
  retain(): C;
  release(): void;
  /** Whether its failures are to be dumped. */
  readonly dumps: boolean;
}

/**
 * Has the context of a device. Its failures are not dumped by a driver before CUDA 12.6, outside of Linux, where others have made the context, and where others have asked for dumps of
 * their own.
 */
export function retainContext<C>(driver: Driver, device: number, { retain, release, dumps }: Retain<C>): RetainedContext<C> {
  const known = kept.get(driver) ?? new Map<number, Kept>();
  kept.set(driver, known);
  const flags = !dumps || known.has(device) ? undefined : askForDumps(driver, device);
  let context: C;
  try {
    context = retain();
  } catch (error) {
    if (flags !== undefined) restoreFlags(driver, device, flags);
    throw error;
  }
  const one = known.get(device) ?? (flags === undefined ? undefined : { file: takeDumps(driver), flags, users: 0 });
  if (!one) return { context, dump: undefined, release };
  one.users++;
  known.set(device, one);
  return {
    context,
    dump: one.file,
    release() {
      release();
      one.users--;
      if (one.users > 0) return;
      known.delete(device);
      restoreFlags(driver, device, one.flags);
      one.file?.close();
    },
  };
}

/** Asks that the context, which is made next, be such a one, and gives the flags that were there before; undefined where it cannot be had. */
function askForDumps(driver: Driver, device: number): number | undefined {
  if (process.platform !== "linux" || versionOf(driver) < dumpsWithoutAbort || othersAsk(driver)) return undefined;
  const before = flagsOf(driver, device);
  if (!before || before.active) return undefined;
  return driver.cuDevicePrimaryCtxSetFlags_v2?.(device, before.flags | coredumpEnable) === success ? before.flags : undefined;
}

function restoreFlags(driver: Driver, device: number, flags: number): void {
  if (!flagsOf(driver, device)?.active) driver.cuDevicePrimaryCtxSetFlags_v2?.(device, flags);
}

/** Says where the dumps of the current context go. */
function takeDumps(driver: Driver): UnnamedFile | undefined {
  const set = (attribute: number, value: Uint8Array | Uint32Array): boolean =>
    driver.cuCoredumpSetAttribute?.(attribute, value, size(value.byteLength)) === success;
  let file: UnnamedFile | undefined;
  try {
    file = new UnnamedFile();
  } catch {
    // No folder for files that pass: then there are no dumps.
  }
  const path = new TextEncoder().encode(`${file?.path ?? ""}\0`);
  const { generationFlags, file: name, onException } = coredumpAttribute;
  if (file && set(generationFlags, Uint32Array.of(coredumpContents)) && set(name, path) && set(onException, Uint8Array.of(1)))
    return file;
  // Else the driver would write one to the working directory, and end the process.
  set(onException, Uint8Array.of(0));
  file?.close();
  return undefined;
}
