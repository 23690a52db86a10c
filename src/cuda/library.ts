import type { LibraryHandle } from "koffi";
import { cTypes, type Driver, type DriverLibrary, optionalSymbols, symbols } from "./symbols.ts";

/** The driver's library, or why there is none, as a clause. */
export type LibraryResult =
  | { readonly library: DriverLibrary; readonly problem?: undefined }
  | { readonly library?: undefined; readonly problem: string };

type Koffi = typeof import("koffi");

const names: Readonly<Record<string, readonly string[]>> = {
  linux: ["libcuda.so.1", "libcuda.so"],
  win32: ["nvcuda.dll"],
};

let loaded: Promise<LibraryResult> | undefined;

/** Loads the CUDA driver once. Never throws. */
export function loadLibrary(): Promise<LibraryResult> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<LibraryResult> {
  const candidates = names[process.platform];
  if (!candidates) return { problem: `NVIDIA has no CUDA driver for ${process.platform}` };
  let koffi: Koffi;
  try {
    koffi = await import("koffi");
  } catch (error) {
    return { problem: `the package koffi, which calls the driver, does not load (${firstLine(error)})` };
  }
  for (const name of candidates) {
    const handle = tryLoad(koffi, name);
    if (handle) return bind(koffi, handle);
  }
  return { problem: `the NVIDIA driver is not installed (${candidates[0]} was not found)` };
}

function tryLoad(koffi: Koffi, name: string): LibraryHandle | undefined {
  try {
    return koffi.load(name);
  } catch {
    return undefined;
  }
}

function bind(koffi: Koffi, handle: LibraryHandle): LibraryResult {
  const driver: Record<string, unknown> = {};
  for (const [name, kinds] of Object.entries(symbols)) {
    const parameters = kinds.map((kind) => cTypes[kind]);
    try {
      driver[name] = handle.func(name, "int32", parameters);
    } catch {
      return { problem: `the NVIDIA driver is older than CUDA 12.0 (it has no ${name})` };
    }
  }
  for (const [name, kinds] of Object.entries(optionalSymbols)) {
    const parameters = kinds.map((kind) => cTypes[kind]);
    try {
      driver[name] = handle.func(name, "int32", parameters);
    } catch {
      // This driver lacks it.
    }
  }
  const memory = {
    addressOf: (view: ArrayBufferView): bigint => koffi.address(view),
    viewOf: (address: bigint, bytes: number): Uint8Array => new Uint8Array(koffi.view(address, bytes)),
  };
  return { library: { driver: driver as Driver, memory, leaveAtExit: leaveAtExit(koffi) } };
}

/**
 * glibc calls what `on_exit` was given last before anything else that is to be done at the end of a process, the driver's own among it, and gives it the
 * exit status: given `_exit`, the process ends there. All of Node's has been done and written by then.
 */
function leaveAtExit(koffi: Koffi): () => void {
  let done = false;
  return () => {
    if (done || process.platform !== "linux") return;
    done = true;
    try {
      const libc = koffi.load("libc.so.6");
      const exit: unknown = libc.func("dlsym", "void *", ["uint64", "str"])(0n, "_exit");
      libc.func("on_exit", "int", ["void *", "void *"])(exit, null);
    } catch {
      // Without glibc: what Node has to do at the end has been done but for listeners that were added later.
      process.on("exit", () => process.kill(process.pid, "SIGKILL"));
    }
  };
}

const firstLine = (error: unknown): string => String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
