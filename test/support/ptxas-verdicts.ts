/**
 * What ptxas has said of a kernel, kept for the runs to come: by its version, the flags, and the PTX without the places in the author's
 * files, which move with each line that is put above a kernel. A failure names lines of the PTX, so it is not kept.
 */
import { cacheKey, type DiskCache } from "../../src/base/disk-cache.ts";

export interface Assembled {
  readonly ok: boolean;
  /** All that ptxas printed. */
  readonly log: string;
  /** Registers per thread. */
  readonly registers: number;
  /** Bytes of spill stores and loads together. */
  readonly spills: number;
  /** Lines that name a code such as C7515: wgmma serialised, setmaxnreg ignored. */
  readonly warnings: readonly string[];
}

export interface Asked {
  /** What `ptxas --version` prints. */
  readonly version: string;
  readonly flags: readonly string[];
  /** Whether what an earlier run has kept will do. */
  readonly reads: boolean;
}

/** A module by itself, or one of many that went through one ptxas: then `registers` and the log are those of all. */
export type How = "alone" | "among others";

export interface Verdicts {
  /** What was kept, or what `run` says: then that is kept. */
  of(how: How, ptx: string, run: () => Assembled): Assembled;
  kept(how: How, ptx: string): Assembled | undefined;
  keep(how: How, ptx: string, made: Assembled): void;
}

/** To be counted up when `Assembled` changes, or how it is read out of the log. */
const format = "2";

/** Without what moves with the author's text: the line and the column of a place, and the name of a file. All else ptxas judges. */
const withoutPlaces = (ptx: string): string =>
  ptx.replace(/^([ \t]*\.loc \d{1,4}) \d{1,9} \d{1,9}$/gm, "$1").replace(/^([ \t]*\.file \d{1,4}) "[^"\\\n]*"$/gm, "$1");

/** Whether it holds wherever the kernel stands: it was assembled, and nothing is said of a line. */
const holdsElsewhere = ({ ok, log }: Assembled): boolean => ok && !/\bline \d/.test(log);

export function keepsVerdicts(cache: DiskCache, { version, flags, reads }: Asked): Verdicts {
  const keyOf = (how: How, ptx: string): string =>
    cacheKey([format, version, String(flags.length), ...flags, how, withoutPlaces(ptx)]);
  // What is damaged the cache itself takes for nothing.
  const kept = (how: How, ptx: string): Assembled | undefined => {
    const bytes = reads ? cache.get(keyOf(how, ptx)) : undefined;
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Assembled);
  };
  const keep = (how: How, ptx: string, made: Assembled): void => {
    if (holdsElsewhere(made)) cache.put(keyOf(how, ptx), new TextEncoder().encode(JSON.stringify(made)));
  };
  return {
    kept,
    keep,
    of: (how, ptx, run) => {
      const before = kept(how, ptx);
      if (before) return before;
      const made = run();
      keep(how, ptx, made);
      return made;
    },
  };
}
