/**
 * Requires: buffers in their last shapes. Ensures: what lies in shared memory fits into a block's, and nothing that the program allocates lies
 * in global memory. Intrinsics have the shared memory that they need besides what they take.
 */

import { defaultTarget } from "../../../base/target.ts";
import { fail } from "../../errors/index.ts";
import { extentOf, type Launch } from "../../facts/launch.ts";
import { groupsOf } from "../../facts/participants.ts";
import { intrinsicOf, participantThreads } from "../../intrinsics/registry.ts";
import { int } from "../../ir/build.ts";
import type { Buffer, Program } from "../../ir/types.ts";
import { statements, staticShape } from "../../ir/walk.ts";
import { sharedBytesOf, sharedBytesOfAll } from "./shared-bytes.ts";

/** The intrinsics that buffers of `allocate` are for, by name. */
const owners = new WeakMap<Buffer, string>();

/** The buffer that an intrinsic has besides what it takes: of each group of threads one. */
export const scratchOf = (program: Program, name: string): Buffer | undefined =>
  program.buffers.find((b) => owners.get(b) === name);

/** Gives intrinsics what they need besides what they take. */
function withScratch(program: Program, launch: Launch): Program {
  const buffers: Buffer[] = [];
  const names = new Set([...program.params, ...program.buffers].map((b) => b.name));
  for (const s of statements(program.body)) {
    const called = s.kind === "intrinsic" ? intrinsicOf(s.name) : undefined;
    if (!called?.scratch || buffers.some((b) => owners.get(b) === called.name)) continue;
    const threads = participantThreads[called.participants];
    const groups = (groupsOf(threads, launch)?.outer ?? []).reduce((n, tag) => n * extentOf(launch, tag), 1);
    let name = called.scratch.name;
    for (let n = 1; names.has(name); n++) name = `${called.scratch.name}_${n}`;
    names.add(name);
    const made: Buffer = { ...called.scratch, name, shape: [int(groups), ...called.scratch.shape] };
    owners.set(made, called.name);
    buffers.push(made);
  }
  return buffers.length === 0 ? program : { ...program, buffers: [...program.buffers, ...buffers] };
}

/** Refuses what cannot be allocated. W5597, W5608. */
export function allocate(given: Program, launch: Launch): Program {
  const program = withScratch(given, launch);
  const outside = program.buffers.find((b) => b.scope === "global");
  if (outside) fail("W5608", { program: program.name, name: outside.name }, outside.span && [outside.span]);
  const shared = program.buffers.filter((b) => b.scope === "shared");
  const bytes = sharedBytesOfAll(shared);
  const most = defaultTarget.limits.sharedBytes;
  if (bytes > most) {
    const list = shared.map((b) => `\`${b.name}\` [${staticShape(b)?.join(", ")}] of ${b.dtype} takes ${sharedBytesOf(b)}`);
    const spans = shared.flatMap((b) => (b.span ? [b.span] : []));
    fail(
      "W5597",
      { program: program.name, bytes, most, buffers: list.join(", ") },
      spans.length > 0 ? spans : program.span && [program.span],
    );
  }
  return program;
}
