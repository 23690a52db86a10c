import type { TransferWatch } from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";

/** Who watches the copies of one lane. */
export function watchOf(warp: Warp, lane: number): TransferWatch | undefined {
  const { monitor } = warp.block.launch;
  return (
    monitor && {
      issues: (transfer) => monitor.transferIssues(warp, lane, transfer),
      lands: (transfer) => monitor.transferLands(transfer),
    }
  );
}
