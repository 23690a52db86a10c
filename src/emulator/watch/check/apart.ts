/** Clusters of one launch that several threads watch, each some of them. */
import type { Region } from "../../machine/memory.ts";
import type { Apart } from "../../run/watcher.ts";
import type { Footprint } from "./order/past-launches.ts";
import { eachTouched, meet, touchedOf } from "./order/touched.ts";

export function apartOf(check: string, footprint: Footprint, regionAt: (base: number) => Region | undefined): Apart {
  const touched = () => touchedOf(footprint.shadows);
  return {
    check,
    touched,
    join(others) {
      if (meet([touched(), ...others], (base) => regionAt(base)?.size ?? 0)) return false;
      for (const each of others.flat()) {
        const region = regionAt(each.base);
        if (!region) continue;
        footprint.others.push([region, each]);
        const { written } = region;
        if (!written) continue;
        eachTouched(each, (line, word, bytes, _, writes) => {
          if (writes) written[4 * line + word] = (written[4 * line + word] ?? 0) | bytes;
        });
      }
      return true;
    },
  };
}
