import type { ForeignMemory } from "../runtime/index.ts";
import { endsAfter } from "../runtime/index.ts";
import { pointerAttribute } from "./constants.ts";
import type { CudaContext } from "./context.ts";
import { invalidValue, success } from "./results.ts";

/**
 * The allocation that holds so many bytes from an address on, whichever library made it, as far as kernels of this context can use it.
 * Pools and reserved ranges (`cuMemAddressReserve`) count as they are laid out: its last byte is asked for, too. CUDA `cuPointerGetAttribute`.
 */
export function memoryAt(context: CudaContext, address: bigint, bytes: number): ForeignMemory {
  context.enter();
  const ask = (attribute: number, where: bigint): bigint | undefined => {
    const out = new BigUint64Array(1);
    const code = context.driver.cuPointerGetAttribute(out, attribute, where);
    if (code !== success && code !== invalidValue) context.check(code, "say what lies at an address");
    return code === success ? out[0] : undefined;
  };
  const usable = ask(pointerAttribute.devicePointer, address);
  if (usable === undefined)
    return {
      problem:
        ask(pointerAttribute.memoryType, address) === undefined
          ? "the driver knows of no memory there"
          : "this GPU cannot use the memory there: it is the host's, or another GPU's",
    };
  if (usable !== address) return { problem: `kernels find that memory at 0x${usable.toString(16)}` };
  const begin = ask(pointerAttribute.rangeStart, address) ?? address;
  const size = ask(pointerAttribute.rangeSize, address);
  const end = address + BigInt(bytes);
  if (size !== undefined && end > begin + size) return { problem: endsAfter(begin + size - address, bytes) };
  if (ask(pointerAttribute.devicePointer, end - 1n) === undefined)
    return { problem: `the ${bytes} bytes of the tensor reach beyond the memory there` };
  return { begin };
}
