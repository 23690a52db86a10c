import { jitInput, jitOption } from "./constants.ts";
import { textOf } from "./out-values.ts";
import { success } from "./results.ts";
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

/** Assembles and loads in one, with the assembler's log. */
export function loadPtx(driver: Driver, memory: HostMemory, ptx: string): Loaded & { readonly log: string } {
  const { log, keys, values } = logOptions(memory);
  const out = new BigUint64Array(1);
  const code = driver.cuModuleLoadDataEx(out, zeroTerminated(ptx), keys.length, keys, values);
  return { code, module: out[0] ?? 0n, log: textOf(log) };
}

/** Assembles to an image that can be kept, or to the assembler's log. */
export function linkPtx(
  driver: Driver,
  memory: HostMemory,
  ptx: string,
  name: string,
): { readonly image: Uint8Array | undefined; readonly log: string } {
  const { log, keys, values } = logOptions(memory);
  const state = new BigUint64Array(1);
  if (driver.cuLinkCreate_v2(keys.length, keys, values, state) !== success) return { image: undefined, log: "" };
  const handle = state[0] ?? 0n;
  const image = finishLink(driver, memory, handle, ptx, name);
  driver.cuLinkDestroy(handle);
  // The driver writes the log and its length until here.
  return { image, log: textOf(log.subarray(0, Number(values[1]))) };
}

function finishLink(driver: Driver, memory: HostMemory, handle: bigint, ptx: string, name: string): Uint8Array | undefined {
  const input = zeroTerminated(ptx);
  if (driver.cuLinkAddData_v2(handle, jitInput.ptx, input, input.length, name, 0, null, null) !== success) return undefined;
  const image = new BigUint64Array(1);
  const size = new BigUint64Array(1);
  if (driver.cuLinkComplete(handle, image, size) !== success) return undefined;
  // The image belongs to the linker: copied before that goes.
  return memory.viewOf(image[0] ?? 0n, Number(size[0] ?? 0n)).slice();
}
