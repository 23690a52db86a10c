import { KernelFault } from "../../machine/fault.ts";
import type { Warp } from "../../machine/warp.ts";

const longest = 2 ** 20;
const decoder = new TextDecoder();

/** A text that ends in a zero byte, at a generic address. */
export function readText(warp: Warp, lane: number, address: number): string {
  const bytes: number[] = [];
  for (; bytes.length < longest; ) {
    const region = warp.generic(lane, address + bytes.length, 1);
    const byte = region.bytes[warp.found - region.base] ?? 0;
    if (byte === 0) return decoder.decode(Uint8Array.from(bytes));
    bytes.push(byte);
  }
  throw new KernelFault(`it used a text of more than ${longest} bytes`);
}
