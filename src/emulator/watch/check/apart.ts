/** Clusters of one launch that several threads watch, each some of them. */
import type { ReadFormName } from "../../../ptx/parse/index.ts";
import type { Region } from "../../machine/memory.ts";
import { instructionsOf } from "../../machine/monitor.ts";
import { communicates } from "../../program/communicates.ts";
import { mayEndWell } from "../../program/paths.ts";
import type { Program } from "../../program/program.ts";
import type { Apart } from "../../run/watcher.ts";
import type { Footprint } from "./order/past-launches.ts";
import { eachTouched, meet, touchedOf } from "./order/touched.ts";

/** What these do or hear of concerns other clusters or launches. */
const farReaching: ReadonlySet<ReadFormName> = new Set<ReadFormName>([
  "griddepcontrol",
  "tensormap.replace",
  "tensormap.replace.dimension",
  "tensormap.cp_fenceproxy",
]);

/**
 * Whether clusters tell each other nothing in a run that ends well: what one of them does is in no order with what another one does. An
 * assertion that fails may tell.
 */
export function mayWatchApart(program: Program): boolean {
  const known = answers.get(program) ?? isSilent(program);
  answers.set(program, known);
  return known;
}

const answers = new WeakMap<Program, boolean>();

const isSilent = ({ steps }: Program): boolean =>
  !steps.some(
    (step, at) => instructionsOf(step).some((i) => communicates(i) || farReaching.has(i.opcode.form)) && mayEndWell(steps, at),
  );

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
