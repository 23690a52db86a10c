/** What the loops that are bound to thread and block indices make of a launch. */

import { defaultTarget } from "../../base/target.ts";
import { fail } from "../errors/index.ts";
import { intrinsicOf, participantThreads } from "../intrinsics/registry.ts";
import { intOf } from "../ir/build.ts";
import type { For, LoopKind, Program, ThreadTag } from "../ir/types.ts";
import { loopsOf, statements } from "../ir/walk.ts";
import { turnsIn } from "./specialization.ts";

export const threadTags = ["threadIdx.x", "threadIdx.y", "threadIdx.z"] as const satisfies readonly ThreadTag[];
export const blockTags = ["blockIdx.x", "blockIdx.y", "blockIdx.z"] as const satisfies readonly ThreadTag[];

export const isThreadTag = (kind: LoopKind): kind is ThreadTag => (threadTags as readonly LoopKind[]).includes(kind);
export const isBlockTag = (kind: LoopKind): kind is ThreadTag => (blockTags as readonly LoopKind[]).includes(kind);

/** Threads and blocks along each axis. */
export interface Launch {
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
}

/** How many of an index the launch has. */
export function extentOf({ grid, block }: Launch, tag: ThreadTag): number {
  const axis = { x: 0, y: 1, z: 2 }[tag.slice(-1)] ?? 0;
  return (isThreadTag(tag) ? block : grid)[axis] ?? 1;
}

const spansOf = ({ span }: For): readonly [] | readonly [NonNullable<For["span"]>] => (span ? [span] : []);

/** The most threads that an intrinsic of the program is run by; 1 where it has none. */
function mostParticipants(program: Program): number {
  let most = 1;
  for (const s of statements(program.body)) {
    if (s.kind !== "intrinsic") continue;
    const { participants } = intrinsicOf(s.name, s.span ? [s.span] : undefined);
    most = Math.max(most, participantThreads[participants] ?? 1);
  }
  return most;
}

/**
 * The greatest extent of the loops of each tag. Where no loop is bound to threadIdx.x, it has the threads that run intrinsics together.
 * Of warpgroups that take turns, it is the launch of one of them. W5591, W5592, W5601.
 */
export function launchOfTurn(program: Program): Launch {
  const loops = loopsOf(program);
  const greatest = (tag: ThreadTag): number =>
    loops
      .filter((l) => l.loop === tag)
      .reduce((most, l) => {
        const n = intOf(l.extent);
        if (n === undefined) return fail("W5601", { loop: l.variable.name, tag }, spansOf(l));
        return Math.max(most, n);
      }, 1);
  const [bound, y, z] = threadTags.map(greatest) as [number, number, number];
  const x = bound === 1 ? mostParticipants(program) : bound;
  const { threads, blockZ } = defaultTarget.limits;
  if (x * y * z > threads || z > blockZ) {
    const loopsBound = loops.filter((l) => isThreadTag(l.loop) && (intOf(l.extent) ?? 1) > 1).flatMap(spansOf);
    fail(
      "W5591",
      { program: program.name, threads: [x, y, z].filter((n) => n > 1).join(" × "), most: threads },
      loopsBound.slice(0, 3),
    );
  }
  return { grid: blockTags.map(greatest) as [number, number, number], block: [x, y, z] };
}

/** The launch with all warpgroups that take turns. W5591, W5592, W5601. */
export function launchOf(program: Program): Launch {
  const { grid, block } = launchOfTurn(program);
  const [x, y, z] = block;
  return { grid, block: [x, y * turnsIn(program), z] };
}
