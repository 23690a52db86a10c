/** What parts of a picture are told apart by: the block of the launch, the warp, the thread, the iteration, or loops. */
import { warpSize } from "../../base/target.ts";
import type { For } from "../ir/types.ts";
import { loopsOf } from "../ir/walk.ts";
import { type LaidOut, unknown } from "./laid-out.ts";
import type { Touch } from "./touches.ts";

/**
 * `"block"`, `"warp"`, `"thread"`: who. `"iteration"`: which of the accesses of one thread, or group of threads, in their order. The name of a
 * loop: in which of its iterations; several names: in which of all of theirs.
 */
export type PictureLevel = "block" | "warp" | "thread" | "iteration" | (string & {}) | readonly string[];

export interface Level {
  /** What it is called in the legend: `block`, `io, jo`. */
  readonly name: string;
  readonly loops: ReadonlySet<string>;
  /** A number for whom an access is of. */
  id(touch: Touch): number;
  /** That in words, without the name. */
  label(id: number): string;
}

const who = ["block", "warp", "thread", "iteration"] as const;

const extentsText = (id: number, extents: readonly number[]): string => {
  const used = extents.filter((n) => n > 1);
  if (used.length < 2) return String(id);
  let rest = id;
  const digits = used.map((n) => {
    const digit = rest % n;
    rest = Math.floor(rest / n);
    return digit;
  });
  return `(${digits.join(",")})`;
};

/** Of what several threads do together, the number is negative: -1 - its first thread. */
const threadOf = ({ thread, together }: Touch): number => (together > 1 ? -1 - thread : thread);

function iterations(): (touch: Touch) => number {
  const next = new Map<string, number>();
  return ({ block, thread }) => {
    const key = `${block}.${thread}`;
    const n = next.get(key) ?? 0;
    next.set(key, n + 1);
    return n;
  };
}

/** Numbers for lists of numbers, in the order in which they are met. */
function numbered(): { id(key: string): number; key(id: number): string } {
  const keys: string[] = [];
  const known = new Map<string, number>();
  return {
    id: (key) => {
      const found = known.get(key);
      if (found !== undefined) return found;
      known.set(key, keys.length);
      return keys.push(key) - 1;
    },
    key: (id) => keys[id] ?? "",
  };
}

/** A level by its name. W5520. */
export function levelOf(given: PictureLevel, { launch, program }: LaidOut): Level {
  if (given === "block")
    return {
      name: "block",
      loops: new Set(),
      id: (t) => t.block,
      label: (id) => (id < 0 ? "every one" : extentsText(id, launch.grid)),
    };
  if (given === "warp") return { name: "warp", loops: new Set(), id: (t) => Math.floor(t.thread / warpSize), label: String };
  if (given === "thread")
    return {
      name: "thread",
      loops: new Set(),
      id: threadOf,
      label: (id) => (id < 0 ? `warp ${Math.floor((-1 - id) / warpSize)}` : String(id)),
    };
  if (given === "iteration") return { name: "iteration", loops: new Set(), id: iterations(), label: String };
  const names = typeof given === "string" ? [given] : given;
  const there = loopsOf(program);
  for (const name of names)
    if (!there.some((l) => l.variable.name === name)) unknown("loop", name, [...who, ...there.map((l) => l.variable.name)]);
  const seen = numbered();
  const id = ({ values }: Touch): number =>
    seen.id(names.map((name) => [...values].find(([v]) => v.name === name)?.[1] ?? "-").join(","));
  return {
    name: names.join(", "),
    loops: new Set(names),
    id,
    label: (n) => (names.length > 1 ? `(${seen.key(n)})` : seen.key(n)),
  };
}

/** Whether a level asks for the iterations of a loop. */
export const asksFor = (levels: readonly Level[], l: For): boolean => levels.some((level) => level.loops.has(l.variable.name));
