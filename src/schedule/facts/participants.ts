/** Which threads of a block run an intrinsic together. */

import type { Spans } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { participantThreads, type TensorIntrinsic } from "../intrinsics/registry.ts";
import type { ThreadTag } from "../ir/types.ts";
import { extentOf, type Launch, threadTags } from "./launch.ts";

/** The threads of a launch, seen from a group of them. */
export interface Group {
  /** Indices that tell the threads of one group apart: no loop around may be bound to them. */
  readonly inner: readonly ThreadTag[];
  /** Indices that are the same in all threads of a group. */
  readonly outer: readonly ThreadTag[];
  /** Where the inner indices make several groups: that index has to be below, and then it is the first of them. */
  readonly first?: { readonly tag: ThreadTag; readonly below: number };
}

/** Groups of so many threads in the order of the hardware, x fastest; undefined where the block is not made of such groups. */
export function groupsOf(threads: number | undefined, launch: Launch): Group | undefined {
  const inner: ThreadTag[] = [];
  let count = 1;
  for (const tag of threadTags) {
    if (threads !== undefined && count >= threads) break;
    inner.push(tag);
    count *= extentOf(launch, tag);
  }
  const outer = threadTags.filter((tag) => !inner.includes(tag));
  if (threads === undefined || count === threads) return { inner, outer };
  const tag = inner.at(-1);
  if (count % threads !== 0 || tag === undefined) return undefined;
  const below = extentOf(launch, tag) / (count / threads);
  return Number.isInteger(below) ? { inner, outer, first: { tag, below } } : undefined;
}

/** The group that runs an intrinsic. W5595. */
export function groupFor(called: TensorIntrinsic, launch: Launch, spans?: Spans): Group {
  const { name, participants } = called;
  const needed = participantThreads[participants];
  const threads = launch.block.reduce((n, x) => n * x, 1);
  return groupsOf(needed, launch) ?? fail("W5595", { name, participants, needed: needed ?? threads, threads }, spans);
}
