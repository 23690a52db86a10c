import { jitOption } from "./constants.ts";
import { textOf } from "./out-values.ts";
import type { Driver, HostMemory } from "./symbols.ts";

const logBytes = 16 * 1024;

interface LogOptions {
  readonly log: Uint8Array;
  readonly keys: Int32Array;
  readonly values: BigUint64Array;
}

/** A buffer for the assembler's errors, and line numbers for profilers. Options are numbers cast to pointers. */
function logOptions(memory: HostMemory): LogOptions {
  const log = new Uint8Array(logBytes);
  const keys = Int32Array.of(jitOption.errorLog, jitOption.errorLogBytes, jitOption.lineInfo);
  const values = BigUint64Array.of(memory.addressOf(log), BigInt(logBytes), 1n);
  return { log, keys, values };
}

const zeroTerminated = (text: string): Uint8Array => new TextEncoder().encode(`${text}\0`);

interface Loaded {
  readonly code: number;
  readonly module: bigint;
}

/** Loads an assembled image. */
export function loadImage(driver: Driver, image: Uint8Array): Loaded {
  const out = new BigUint64Array(1);
  const code = driver.cuModuleLoadDataEx(out, image, 0, null, null);
  return { code, module: out[0] ?? 0n };
}

/**
 * Assembles and loads in one, with the assembler's log. The driver keeps what it made in a cache of its own. (Not through its linker, which would
 * give the image to keep: that compiles for later linking, where `setmaxnreg` is ignored, and large accumulators spill.)
 */
export function loadPtx(driver: Driver, memory: HostMemory, ptx: string): Loaded & { readonly log: string } {
  const { log, keys, values } = logOptions(memory);
  const out = new BigUint64Array(1);
  const code = driver.cuModuleLoadDataEx(out, zeroTerminated(ptx), keys.length, keys, values);
  return { code, module: out[0] ?? 0n, log: textOf(log) };
}
