import { describeResult, success } from "./results.ts";

/** Values that the driver gives through a pointer. A result other than success comes back as the number. */
const out64 = new BigUint64Array(1);
const out32 = new Int32Array(1);

/** A 64-bit result: a handle, an address, a size. */
export function take64(call: (out: BigUint64Array) => number, check: (code: number) => void): bigint {
  out64[0] = 0n;
  check(call(out64));
  return out64[0] ?? 0n;
}

export function take32(call: (out: Int32Array) => number, check: (code: number) => void): number {
  out32[0] = 0;
  check(call(out32));
  return out32[0] ?? 0;
}

/** The text of a buffer that the driver ended with a zero byte. */
export function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end));
}

/** For questions asked before a device is open: the clause that says why not. */
export class DriverRefusal extends Error {}

export function orRefuse(code: number): void {
  if (code !== success) throw new DriverRefusal(describeResult(code));
}
