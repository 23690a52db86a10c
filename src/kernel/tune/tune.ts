/** The fastest of several configurations whose results are compared with a reference: what `tune` does, whatever a configuration means. */

import { type Spans, WarpsmithError } from "../../base/diag/index.ts";
import { keptChoice } from "../../base/tuned-choices.ts";
import { fail } from "../errors.ts";
import { digestOf, type InProcess, searchHere } from "./in-process.ts";
import { run } from "./search.ts";
import { configText, sayNothingIsMeasured, tableOf } from "./table.ts";
import type { TuneResult } from "./types.ts";

export interface Tuning<C> extends Omit<InProcess<C>, "skips"> {
  readonly name: string;
  /** Where the author called. */
  readonly at: Spans;
}

/** The choice of an earlier search, where its kernel is the same as then. */
function kept<C>({ name, candidates, options, ready, searched }: Tuning<C>): TuneResult<C> | undefined {
  const choice = searched && keptChoice(searched);
  const config = typeof choice?.candidate === "number" ? candidates[choice.candidate] : undefined;
  if (!choice || config === undefined || options.fits?.(config) === false) return undefined;
  try {
    const made = ready(config);
    if (digestOf(made) !== choice.ptx) return undefined;
    const [{ kernel }, { time }] = [made, choice];
    const table = () => `tune: ${name} on ${options.device.name}\n* ${configText(config)}  ${time.toFixed(2)} us, kept`;
    return { config, kernel, time, kept: true, trials: [], table };
  } catch (error) {
    if (error instanceof WarpsmithError) return undefined;
    throw error;
  }
}

/** Searches; the choice is read from disk where an earlier search has kept it. W7545. */
export async function fastestOf<C>(tuning: Tuning<C>): Promise<TuneResult<C>> {
  const { name, options, at } = tuning;
  const { kind, name: device } = options.device;
  const searched = kind === "emulator" ? undefined : tuning.searched;
  const known = kept({ ...tuning, searched });
  if (known) return known;
  const found = await run(searchHere<C>({ ...tuning, searched }));
  const { trials } = found;
  if (!found.best) {
    const reasons = trials.map(({ config, outcome, reason }) => `${configText(config)}: ${reason ?? outcome}`);
    return fail("W7545", { name, reasons }, at);
  }
  if (kind === "emulator")
    sayNothingIsMeasured("tune", `${name} takes the first configuration that is right, and so does every other search`);
  const { config, ready, time } = found.best;
  return { config, kernel: ready.kernel, time, kept: false, trials, table: () => tableOf(name, device, trials, config) };
}
