import { fail } from "../diag/index.ts";
import type { TMA } from "../dsl/index.ts";
import { addressOf, type DeviceBackend, encodeMap, isDeviceTensor } from "../runtime/index.ts";

const encoded = new WeakMap<TMA, { readonly backend: DeviceBackend; readonly bytes: Uint8Array }>();

/** The 128 bytes of a tensor map, made on its first launch. W4003, W7505. */
export function encodedMap(tma: TMA, backend: DeviceBackend): Uint8Array {
  const known = encoded.get(tma);
  if (known?.backend === backend) return known.bytes;
  const { tensor } = tma;
  if (!isDeviceTensor(tensor)) return fail("W7505", { kernel: "a launch", name: "a tensor map" });
  const bytes = encodeMap(backend, addressOf(tensor), tma.map);
  encoded.set(tma, { backend, bytes });
  return bytes;
}
