import type { DeviceTensor } from "warpsmith";
import { isSame } from "./overlap.ts";

/** Operands of former calls by where they begin, the oldest first. */
const places = new Map<bigint, readonly DeviceTensor[]>();
/** How many places are remembered. */
const kept = 128;

/** Whether its memory is still the author's. */
function isAlive(tensor: DeviceTensor): boolean {
  try {
    tensor.address();
    return true;
  } catch {
    return false;
  }
}

/**
 * The tensor of a former call that is the same view of the same memory, else this one: `w.transpose(1, 0)` is another object each time
 * it is written, and what was prepared for it is not. W7006.
 */
export function knownOperand<T extends DeviceTensor>(tensor: T): T {
  const address = tensor.address();
  const here = places.get(address) ?? [];
  const found = here.find((t) => t === tensor || (t.device === tensor.device && isAlive(t) && isSame(t, tensor)));
  if (found) return found as T;
  // Moves the place to the end; views that are gone leave.
  places.delete(address);
  places.set(address, [tensor, ...here.filter(isAlive).slice(0, 3)]);
  const [oldest] = places.keys();
  if (places.size > kept && oldest !== undefined) places.delete(oldest);
  return tensor;
}
