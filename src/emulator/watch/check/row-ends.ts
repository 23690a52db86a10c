/**
 * W9228: a TMA store to the end of a row that ends elsewhere than at a multiple of 16 bytes writes on to the next one (docs/hardware.md,
 * docs/decisions/0024). Of no harm where nothing has been written there: that is padding, and goes on to count as never written.
 */
import type { Listener } from "../../machine/monitor.ts";
import type { RowTail } from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { firstUnwritten } from "../../machine/written-bytes.ts";
import type { CheckContext } from "./context.ts";
import { memoryName, threadName } from "./names.ts";

/** Whether somebody has written some of it, the host or a kernel. */
function isInUse({ block }: Warp, { address, bytes }: RowTail): boolean {
  const region = block.launch.global.find(address, bytes);
  if (!region) return false;
  const { base, written } = region;
  return !written || Array.from({ length: bytes }, (_, i) => address - base + i).some((at) => firstUnwritten(written, at, 1) < 0);
}

/**
 * Wrong is what is known to change bytes. What writes the bytes that are there has changed nothing in this run; what reductions and stores of
 * f32 do behind a row is not known. Both are tolerated.
 */
export function rowEnds(c: CheckContext): Listener {
  const { program, reports, tolerance } = c;
  return {
    transferIssues(warp, lane, { beyond = [], unknown = [] }) {
      const find = (tails: readonly RowTail[], changes: boolean): RowTail | undefined =>
        tails.find((tail) => tail.changes === changes && isInUse(warp, tail));
      const wrong = find(beyond, true);
      const known = wrong ?? (tolerance === "ignore" ? undefined : find(beyond, false));
      const tail = known ?? (tolerance === "ignore" ? undefined : unknown.find((each) => isInUse(warp, each)));
      if (!tail) return;
      const does = known ? (tail.changes ? "changes" : "writes anew") : "may change";
      const args = () => ({
        kernel: program.name,
        who: `a store that ${threadName(warp, lane)} has issued`,
        what: `${does} ${memoryName("global", tail.address, tail.bytes, c)}`,
        known: known !== undefined,
      });
      if (wrong) reports.add("W9228", args, warp.at);
      else reports.tolerate("W9228", args, warp.at);
    },
  };
}
