/** Who is asked for the states of the mbarriers that a launch hangs at. */

import { asks, tells, watchSlots } from "../../base/watch-layout.ts";
import type { WaitSite } from "../../ir/index.ts";
import type { WatchQuestions } from "../../runtime/index.ts";
import { type RecordedWarp, readWarps } from "./records.ts";

/** One mbarrier of one block. */
export const barrierKey = ({ block }: RecordedWarp, place: number): string => `${block.join()} ${place}`;

/** First which mbarriers are waited for, where that is not known, then what they lack. */
export function questionsFor(records: Uint32Array, launch: number, sites: readonly WaitSite[]): WatchQuestions | undefined {
  const untold = (now: Uint32Array): readonly RecordedWarp[] =>
    readWarps(now, launch).filter(({ waits }) => waits.some(({ told }) => !told));
  const silent = untold(records);
  if (silent.length === 0) return statesAsked(records, launch, sites);
  const words = new Uint32Array(watchSlots);
  for (const { slot } of silent) words[slot] = tells;
  const next = (now: Uint32Array): WatchQuestions | undefined => statesAsked(now, launch, sites);
  return { words, answered: (now) => untold(now).length === 0, next };
}

/** One warp for each mbarrier: more would say the same. A warp is asked for one of its lanes' waits. */
function statesAsked(records: Uint32Array, launch: number, sites: readonly WaitSite[]): WatchQuestions | undefined {
  const words = new Uint32Array(watchSlots);
  const asked = new Set<string>();
  for (const warp of readWarps(records, launch)) {
    const wait = warp.waits.find(
      (one) => one.told && sites[one.site]?.waits === "mbarrier" && !asked.has(barrierKey(warp, one.place)),
    );
    if (!wait) continue;
    asked.add(barrierKey(warp, wait.place));
    words[warp.slot] = asks(wait.site);
  }
  if (asked.size === 0) return undefined;
  const answers = (now: Uint32Array): ReadonlySet<string> =>
    new Set(
      readWarps(now, launch).flatMap((warp) =>
        warp.waits.flatMap(({ answer }) => (answer ? [barrierKey(warp, answer.place)] : [])),
      ),
    );
  return { words, answered: (now) => answers(now).size >= asked.size };
}
