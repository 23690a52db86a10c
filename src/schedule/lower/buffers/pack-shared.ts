/**
 * Requires: buffers in their last shapes, and a program whose annotation `packShared` asks for it. Ensures: buffers in shared memory have a
 * place in bytes that they share, and those whose lives meet lie apart. Copies that threads have begun into the bytes of another buffer are
 * complete before that is written; that threads meet between is left to insert-barriers.
 */

import { accessesIn } from "../../facts/accesses.ts";
import { touches } from "../../facts/depends.ts";
import { isBlockTag, isThreadTag } from "../../facts/launch.ts";
import { isSpecialized } from "../../facts/specialization.ts";
import { seq, zero } from "../../ir/build.ts";
import type { Buffer, Effect, Program, Stmt } from "../../ir/types.ts";
import { loopsOf, mapExpr, mapStmt } from "../../ir/walk.ts";
import type { Lowering } from "../pass.ts";
import { type LiveRange, LiveRanges, meet, type Placed, placed } from "./live-ranges.ts";
import { packedAlign, shareBytes, sharedBytesOf } from "./shared-bytes.ts";

const alignUp = (n: number, to: number): number => Math.ceil(n / to) * to;

/** The large ones first, each as low as those that it meets let it. */
function offsetsOf(lives: ReadonlyMap<Buffer, readonly LiveRange[]>): ReadonlyMap<Buffer, number> {
  const placedAt = new Map<Buffer, number>();
  const apart = (a: Buffer, b: Buffer): boolean => (lives.get(a) ?? []).some((x) => (lives.get(b) ?? []).some((y) => meet(x, y)));
  for (const buffer of [...lives.keys()].toSorted((a, b) => sharedBytesOf(b) - sharedBytesOf(a))) {
    const [bytes, align] = [sharedBytesOf(buffer), packedAlign(buffer)];
    const taken = [...placedAt]
      .filter(([other]) => apart(buffer, other))
      .map(([other, at]) => ({ at, end: at + sharedBytesOf(other) }))
      .toSorted((a, b) => a.at - b.at);
    const at = taken.reduce((from, t) => (from + bytes <= t.at ? from : Math.max(from, alignUp(t.end, align))), 0);
    placedAt.set(buffer, at);
  }
  return placedAt;
}

/** The tree with another buffer for each that has a new one. */
function withBuffers(body: Stmt, by: ReadonlyMap<Buffer, Buffer>): Stmt {
  const buffer = (b: Buffer): Buffer => by.get(b) ?? b;
  return mapStmt(body, {
    buffer,
    expr: (e) => mapExpr(e, (x) => (x.kind === "load" && by.has(x.buffer) ? { ...x, buffer: buffer(x.buffer) } : x)),
  });
}

/** The way to a place, from the outside in. */
function wayTo(at: Placed, place: number): readonly Placed[] {
  const inside = at.children.find((c) => c.start <= place && place <= c.end);
  return [at, ...(inside ? wayTo(inside, place) : [])];
}

/** Where copies that may be on their way into the bytes of a buffer have to be complete: before the statements found. */
function waitsFor(root: Placed, lives: ReadonlyMap<Buffer, readonly LiveRange[]>): ReadonlySet<Placed> {
  const copied = new Set([...accessesIn(root.stmt)].filter((a) => a.async && a.writes).map((a) => a.buffer));
  const found = new Set<Placed>();
  for (const [buffer, ranges] of lives) {
    const others = [...lives.keys()].filter((b) => b !== buffer && copied.has(b) && shareBytes(b, buffer));
    for (const range of ranges) {
      const way = wayTo(root, range.start);
      const first = way.findIndex(({ stmt }) => !others.some((b) => touches(stmt, b)));
      const place = way[first];
      const repeated = way
        .slice(0, first)
        .some(({ stmt }) => stmt.kind === "for" && !isThreadTag(stmt.loop) && !isBlockTag(stmt.loop));
      const earlier = others.some((b) => lives.get(b)?.some((r) => r.start < range.start));
      if (place && others.length > 0 && (repeated || earlier)) found.add(place);
    }
  }
  return found;
}

const complete: Effect = { kind: "effect", op: "asyncWait", args: [zero] };

function withWaits(at: Placed, waits: ReadonlySet<Placed>): Stmt {
  const [first, second] = at.children.map((c) => withWaits(c, waits));
  const { stmt } = at;
  const inside = ((): Stmt => {
    switch (stmt.kind) {
      case "seq":
        return seq(...at.children.map((c) => withWaits(c, waits)));
      case "for":
      case "block":
        return { ...stmt, body: first ?? stmt.body };
      case "if":
        return { ...stmt, yes: first ?? stmt.yes, no: second };
      default:
        return stmt;
    }
  })();
  return waits.has(at) ? seq(complete, inside) : inside;
}

/** Lets buffers in shared memory whose lives do not meet lie in the same bytes. */
export function packShared(program: Program, { launch, remark }: Lowering): Program {
  const shared = program.buffers.filter((b) => b.scope === "shared");
  if (program.annotations?.packShared !== true || shared.length < 2) return program;
  // A warpgroup that only copies fills stages of what comes next while the last of what was before is still read.
  if (loopsOf(program).some((l) => isSpecialized(l))) {
    remark("shared memory is not packed: a warpgroup of its own copies into it at any time");
    return program;
  }
  const ranges = new LiveRanges(placed(program.body), launch);
  const offsets = offsetsOf(new Map(shared.map((b) => [b, ranges.of(b)])));
  const by = new Map(shared.map((b) => [b, { ...b, at: offsets.get(b) ?? 0 }]));
  const packed = [...by.values()];
  if (!packed.some((a, i) => packed.slice(i + 1).some((b) => shareBytes(a, b)))) return program;
  const root = placed(withBuffers(program.body, by));
  const lives = new Map(shared.map((b) => [by.get(b) ?? b, ranges.of(b)]));
  const body = withWaits(root, waitsFor(root, lives));
  return { ...program, buffers: program.buffers.map((b) => by.get(b) ?? b), body };
}
