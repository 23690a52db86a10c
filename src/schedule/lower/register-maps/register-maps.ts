/**
 * Requires: compacted buffers. Ensures: a nest that goes over registers of a warpgroup element by element, such as a relu on what products
 * have summed, is an intrinsic that the warpgroup runs in its registers. One that is none stays as it is, and a remark says why.
 */

import { isThreadTag } from "../../facts/launch.ts";
import { groupsOf } from "../../facts/participants.ts";
import { intOf, seq, zero } from "../../ir/build.ts";
import type { Known } from "../../ir/simplify.ts";
import { bounded } from "../../ir/simplify.ts";
import type { Buffer, For, Program, Stmt, ThreadTag } from "../../ir/types.ts";
import { isFor, statements } from "../../ir/walk.ts";
import type { Lowering } from "../pass.ts";
import { asIntrinsics } from "./as-intrinsic.ts";
import { type Access, inRegisters, nestOf, type RegisterNest, recognise, touchesRegisters } from "./recognise.ts";

type Shape = readonly [number, number];

/** What intrinsics take at a time of each buffer in registers: the most that one of them takes. */
function tilesIn(body: Stmt): Map<Buffer, Shape> {
  const tiles = new Map<Buffer, Shape>();
  for (const s of statements(body)) {
    if (s.kind !== "intrinsic") continue;
    for (const { buffer, ranges } of s.args) {
      if (!inRegisters(buffer)) continue;
      const [rows = 1, columns = 1] = ranges.slice(-2).map((r) => intOf(r.extent) ?? 1);
      const before = tiles.get(buffer);
      if (!before || rows * columns > before[0] * before[1]) tiles.set(buffer, [rows, columns]);
    }
  }
  return tiles;
}

class Maps {
  readonly #tiles: Map<Buffer, Shape>;
  readonly #on: Lowering;
  /** Indices that tell the threads of a warpgroup apart; undefined where the block is not made of warpgroups. */
  readonly #inner: readonly ThreadTag[] | undefined;

  constructor(program: Program, on: Lowering) {
    this.#tiles = tilesIn(program.body);
    this.#on = on;
    const groups = groupsOf(128, on.launch);
    this.#inner = groups?.first ? undefined : groups?.inner;
  }

  run(s: Stmt, around: readonly For[]): Stmt {
    switch (s.kind) {
      case "for":
        return this.#nest(s, around) ?? { ...s, body: this.run(s.body, [...around, s]) };
      case "block":
        return { ...s, body: this.run(s.body, around) };
      case "seq":
        return seq(...s.body.map((x) => this.run(x, around)));
      case "if":
        return { ...s, yes: this.run(s.yes, around), no: s.no && this.run(s.no, around) };
      default:
        return s;
    }
  }

  /** The intrinsics that a nest is; of its outer loops as many as possible. */
  #nest(s: For, around: readonly For[]): Stmt | undefined {
    const found = nestOf(s);
    if (!found || found.loops.length < 2 || !touchesRegisters(found.store)) return undefined;
    const apart = around.find((l) => isThreadTag(l.loop) && this.#inner?.includes(l.loop));
    const known: Known = new Map(around.map((l) => [l.variable, bounded(l.extent)] as const));
    const nest =
      this.#inner === undefined || apart
        ? "the threads of a warpgroup do not run it together"
        : recognise(found.loops, found.store, known);
    const shape = typeof nest === "string" ? nest : this.#shape(nest);
    if (typeof nest !== "string" && typeof shape !== "string") {
      for (const buffer of registersOf(nest)) if (!this.#tiles.has(buffer)) this.#tiles.set(buffer, shape);
      return seq(...asIntrinsics(nest, shape));
    }
    const inner = isFor(s.body) ? this.#nest(s.body, [...around, s]) : undefined;
    if (inner) return { ...s, body: inner };
    this.#on.remark(`what is stored to \`${found.store.buffer.name}\` goes through shared memory: ${shape}`);
    return undefined;
  }

  /** How much of the nest is done at a time: what the other intrinsics take of its registers. */
  #shape(nest: RegisterNest): Shape | string {
    const { target, rows, columns } = nest;
    const tiles = registersOf(nest).map((buffer) => ({ buffer, tile: this.#tiles.get(buffer) }));
    const own = tiles.find((t) => t.buffer === target.buffer)?.tile;
    const least = tiles.flatMap(({ tile }) => (tile ? [tile] : [])).toSorted((a, b) => a[0] * a[1] - b[0] * b[1])[0];
    const shape = own ?? least ?? [rows, columns];
    if (rows % shape[0] !== 0 || columns % shape[1] !== 0)
      return `it goes over ${rows} × ${columns} elements, and intrinsics take ${shape.join(" × ")} of them at a time`;
    if (shape[1] > 256) return `${shape[1]} columns are more than the 256 that a warpgroup holds`;
    const other = tiles.find(({ tile }) => tile && (tile[0] !== shape[0] || tile[1] % shape[1] !== 0));
    if (other)
      return `intrinsics take ${other.tile?.join(" × ")} of \`${other.buffer.name}\` at a time, and ${shape.join(" × ")} here`;
    const across = [target, ...nest.loads.values()].find((a) => this.#isAcross(a, shape));
    if (across) return `its part of \`${across.buffer.name}\` begins in the middle of what intrinsics take`;
    return shape;
  }

  /** Do the columns of a part surely lie in two of the tiles? */
  #isAcross({ buffer, mins }: Access, shape: Shape): boolean {
    const columns = this.#tiles.get(buffer)?.[1];
    const begin = intOf(mins.at(-1) ?? zero);
    return columns !== undefined && begin !== undefined && (begin % columns) + shape[1] > columns;
  }
}

const registersOf = ({ target, loads }: RegisterNest): readonly Buffer[] => [
  ...new Set([target, ...loads.values()].map((a) => a.buffer).filter(inRegisters)),
];

/** Nests over registers of a warpgroup become intrinsics. */
export const registerMaps = (program: Program, on: Lowering): Program => ({
  ...program,
  body: new Maps(program, on).run(program.body, []),
});
