import { fail, noSpans, type Spans } from "../diag/index.ts";
import { alignmentOf, because32, type Im2colMap, type TiledMap } from "../tensor-map.ts";
import type { DeviceBackend } from "./backend.ts";

/** The 128 bytes of a map over memory that begins at `address`. W4003. */
export function encodeMap(
  backend: DeviceBackend,
  address: bigint,
  map: TiledMap | Im2colMap,
  spans: Spans = noSpans,
): Uint8Array {
  const alignment = alignmentOf(map.interleave);
  if (address % BigInt(alignment) !== 0n) {
    fail("W4003", { address: `0x${address.toString(16)}`, alignment, because: because32(map.interleave) }, spans);
  }
  return backend.encodeTensorMap(address, map);
}
