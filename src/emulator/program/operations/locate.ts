/** Bytes of memory for operations that read or write several at once. */
import { spaceNamed } from "../../../ptx/parse/index.ts";
import { badAccess, type MemoryLocation, resolveGeneric } from "../../machine/memory.ts";
import type { Warp } from "../../machine/warp.ts";

/** Finds bytes by an address of a space; without a space, the address is generic. Throws where they do not all lie in one allocation. */
export function locate(warp: Warp, space: string | undefined, given: number, bytes: number): MemoryLocation {
  const { block } = warp;
  const named = spaceNamed(space) === "shared" ? ("shared" as const) : ("global" as const);
  const { space: kind, address } = space ? { space: named, address: given } : resolveGeneric(given);
  const region = kind === "shared" ? block.cluster.shared.find(address, bytes) : block.launch.global.find(address, bytes);
  if (!region) return badAccess(kind, address, bytes, undefined, 1);
  return { region, offset: address - region.base };
}

const most = 16;

/** Tells the monitor that a lane reads or writes the bytes. */
export function tell(warp: Warp, lane: number, what: "read" | "write", { region, offset }: MemoryLocation, bytes: number): void {
  const { monitor } = warp.block.launch;
  if (!monitor) return;
  for (let at = 0; at < bytes; at += most) {
    const part = Math.min(most, bytes - at);
    if (what === "read") monitor.read(warp, lane, region, offset + at, part, warp.at);
    else monitor.write(warp, lane, region, offset + at, part, warp.at, true);
  }
}
