/**
 * The choices of `tune` and `warpsmith tune` on this machine, on disk: which candidate was the fastest. (Those of `autotune` stay in its process.) Each is a file in `tuned/` of the cache: a `Choice` as JSON, under a digest of
 * the layout of these files, the version of the package, the device and what was searched. A choice of another version or layout has another name: it is never
 * read, and removed when the cache needs room. A reader checks that the candidate can still be used, and ignores the choice where it cannot.
 * schedule/tune/tune.ts (`tune`) and kernels/tune/search.ts (`warpsmith tune`) say what was searched.
 */
import { cacheKey, type DiskCache, openDiskCache } from "./disk-cache.ts";
import { readEnvironment } from "./env.ts";
import { packageVersion } from "./package-version.ts";

/** What a choice is kept for. */
export interface Searched {
  /** The name of the device: a choice is about its times. */
  readonly device: string;
  /** `tune`, or the family of kernels that takes the choice. */
  readonly by: string;
  /** Everything else that decides which candidates there are and how fast each is. */
  readonly of: readonly string[];
}

export interface Choice {
  /** The candidate as JSON has it. Where candidates are no data: its place among them. */
  readonly candidate: unknown;
  /** Microseconds. */
  readonly time: number;
  /** A digest of its PTX, where the reader compares it: another compiler makes another kernel. */
  readonly ptx?: string;
}

/** Goes up when `Choice` or the parts of a key change. */
const layout = "choice 2";
const capacity = 16 * 2 ** 20;

/** One for each directory, so that what is wrong with it is said once. */
const caches = new Map<string, DiskCache>();
function cache(): DiskCache {
  const directory = readEnvironment().values?.cache;
  if (directory === undefined) return openDiskCache(undefined, "tuned");
  const known = caches.get(directory) ?? openDiskCache(directory, "tuned", { capacity });
  caches.set(directory, known);
  return known;
}

const keyOf = ({ device, by, of }: Searched): string => cacheKey([layout, packageVersion(), device, by, ...of]);

/** What was kept; undefined where nothing was. */
export function keptChoice(searched: Searched): Choice | undefined {
  const bytes = cache().get(keyOf(searched));
  const found: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
  return typeof found === "object" && found !== null && "candidate" in found && "time" in found ? (found as Choice) : undefined;
}

export const keepChoice = (searched: Searched, choice: Choice): void =>
  cache().put(keyOf(searched), new TextEncoder().encode(JSON.stringify(choice)));
