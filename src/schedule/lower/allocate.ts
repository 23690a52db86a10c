/**
 * Requires: buffers in their last shapes. Ensures: what lies in shared memory fits into a block's, and nothing that the program allocates lies
 * in global memory.
 */
import { fail } from "../../diag/index.ts";
import { defaultTarget } from "../../target.ts";
import { elementBytes } from "../../tensor-map.ts";
import type { Buffer, Program } from "../ir/types.ts";
import { staticShape } from "../ir/walk.ts";

/** Bytes of a shared buffer, with what is put in after its rows. */
export function sharedBytesOf(buffer: Buffer): number {
  const shape = staticShape(buffer) ?? [];
  const rows = shape.slice(0, -1).reduce((n, x) => n * x, 1);
  return rows * ((shape.at(-1) ?? 1) + (buffer.padding ?? 0)) * elementBytes[buffer.dtype];
}

/** Bytes of all shared buffers: up to where the last one of those that are packed ends, and those of each of the others. */
export function sharedBytesOfAll(shared: readonly Buffer[]): number {
  const packed = shared.reduce((end, b) => (b.at === undefined ? end : Math.max(end, b.at + sharedBytesOf(b))), 0);
  return shared.reduce((n, b) => (b.at === undefined ? n + sharedBytesOf(b) : n), packed);
}

/** Refuses what cannot be allocated. W5597, W5608. */
export function allocate(program: Program): Program {
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
