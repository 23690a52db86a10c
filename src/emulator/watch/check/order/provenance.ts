/** What a tile was loaded as, and what wgmma takes it for. W9222. */
import type { DescriptorBits } from "../../../machine/units/index.ts";
import type { Warp } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import { warpName } from "../names.ts";
import type { Touched } from "./access.ts";

/** Bits 62 and 63 of a matrix descriptor (PTX ISA 9.7.15.5.1.2.2). */
const swizzles = ["none", "128B", "64B", "32B"] as const;

/** `entry`: a write that the product reads. */
export function checkSwizzle(c: CheckContext, warp: Warp, operand: string, bits: DescriptorBits, entry: Touched): void {
  const { map } = entry.access;
  if (map?.mode !== "tiled" || map.interleave !== "none") return;
  const read = swizzles[bits.high >>> 30] ?? "none";
  if (read === map.swizzle) return;
  const text = (swizzle: string): string => (swizzle === "none" ? "without a swizzle" : `with the swizzle ${swizzle}`);
  c.reports.add(
    "W9222",
    {
      kernel: c.program.name,
      who: warpName(warp),
      operand: `operand ${operand} of wgmma`,
      written: text(map.swizzle),
      read: text(read),
    },
    warp.at,
    [{ note: "it was loaded at", at: entry.access.at }],
  );
}
