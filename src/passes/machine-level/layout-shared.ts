/**
 * Gives each shared buffer its place.
 *
 * Requires: the sizes and alignments of the buffers; shared memory itself begins at an address aligned to every one of them.
 * Ensures: every buffer has an offset, after the bytes that the kernel places by hand; buffers that ask for more alignment
 * come first, so that little is lost between them. W3900 where a block cannot have that much.
 */

import type { Graph, SharedBuffer } from "../../ir/index.ts";
import { fail } from "../errors.ts";

const alignUp = (n: number, to: number): number => Math.ceil(n / to) * to;

function refuse(graph: Graph, total: number): never {
  const sizes = graph.shared.map((b) => ({ name: b.name, bytes: b.bytes }));
  const byHand = graph.dynamicShared > 0 ? [{ name: "sharedMemory.dynamic", bytes: graph.dynamicShared }] : [];
  const largest = graph.shared.toSorted((a, b) => b.bytes - a.bytes)[0];
  return fail("W3900", { total, limit: graph.target.limits.sharedBytes, buffers: [...byHand, ...sizes] }, largest?.spans ?? []);
}

export function layoutShared(graph: Graph): Graph {
  let end = graph.dynamicShared;
  const offsets = new Map<SharedBuffer, number>();
  for (const buffer of graph.shared.toSorted((a, b) => b.align - a.align)) {
    const offset = alignUp(end, buffer.align);
    offsets.set(buffer, offset);
    end = offset + buffer.bytes;
  }
  if (end > graph.target.limits.sharedBytes) refuse(graph, end);
  return { ...graph, shared: graph.shared.map((b) => ({ ...b, offset: offsets.get(b) ?? 0 })) };
}

/** Shared memory of a block, in bytes, once every buffer has its place. */
export const sharedBytes = (graph: Graph): number =>
  graph.shared.reduce((end, b) => Math.max(end, (b.offset ?? 0) + b.bytes), graph.dynamicShared);
