/** Who is asked for the states of the mbarriers that a launch hangs at. */
import type { WaitSite } from "../../ir/index.ts";
import type { WatchQuestions } from "../../runtime/backend.ts";
import { asks, stays, watchSlots } from "../../watch-layout.ts";
import { type RecordedWait, type RecordedWarp, readWarps } from "./records.ts";

/** One mbarrier of one block. */
export const barrierKey = ({ block }: RecordedWarp, { place }: RecordedWait): string => `${block.join()} ${place}`;

/**
 * One warp for each mbarrier: an arrival by a second one might be in the next phase. A warp asks for one of its lanes. Nobody is asked where a warp is in no
 * wait: the arrival might let it go on.
 */
export function questionsFor(records: Uint32Array, launch: number, sites: readonly WaitSite[]): WatchQuestions | undefined {
  const live = readWarps(records, launch).filter((warp) => warp.live !== 0);
  if (live.some(({ waits }) => waits.length === 0)) return undefined;
  const [stay, ask] = [new Uint32Array(watchSlots), new Uint32Array(watchSlots)];
  const asked = new Set<string>();
  for (const warp of live) {
    stay[warp.slot] = stays;
    ask[warp.slot] = stays;
    const wait = warp.waits.find((one) => sites[one.site]?.waits === "mbarrier" && !asked.has(barrierKey(warp, one)));
    if (!wait || wait.lanes === 0) continue;
    asked.add(barrierKey(warp, wait));
    ask[warp.slot] = asks(wait.site, 31 - Math.clz32(wait.lanes & -wait.lanes));
  }
  if (asked.size === 0) return undefined;
  const answers = (words: Uint32Array): number =>
    readWarps(words, launch).reduce((sum, { waits }) => sum + waits.filter(({ state }) => state !== undefined).length, 0);
  return { stay, ask, answered: (words) => answers(words) >= asked.size };
}
