/**
 * A loop whose copies another warpgroup is to make: which of its statements are copies by TMA, and whether they may be made ahead of time by a
 * thread that runs nothing else. `warpSpecialize` asks it of a schedule's program, and lowering once more.
 */
import { elementBytes } from "../../base/element-types.ts";
import { knownOf } from "../facts/accesses.ts";
import { readsOnlyFresh, touches } from "../facts/depends.ts";
import { isThreadTag } from "../facts/launch.ts";
import { type Specialization, specializationOf } from "../facts/specialization.ts";
import { reads, writes } from "../facts/touches.ts";
import { intrinsicOf } from "../intrinsics/registry.ts";
import { intOf } from "../ir/build.ts";
import type { Buffer, Expr, For, Intrinsic, Program, Stmt, Var } from "../ir/types.ts";
import { expressionsOf, pathTo, statements, within } from "../ir/walk.ts";
import { countIn, leaves, productsOf } from "./products.ts";
import { Refusal } from "./refusal.ts";
import { turnsOver } from "./turns.ts";

/** A loop taken apart. */
export interface SpecializedLoop extends Specialization {
  readonly loop: For;
  /** What stands around it, the outermost first. */
  readonly around: readonly Stmt[];
  readonly copies: readonly Stmt[];
  readonly others: readonly Stmt[];
  /** What the copies fill. */
  readonly buffers: readonly Buffer[];
  /** Bytes that the copies of one iteration bring. */
  readonly bytes: number;
  /** The loop around whose iterations warpgroups take turns at, where they do. */
  readonly tiles: For | undefined;
}

/** A copy by TMA from global to shared memory. */
function isCopy(s: Stmt): s is Intrinsic {
  if (s.kind !== "intrinsic") return false;
  const [from, to] = s.args;
  const maps = intrinsicOf(s.name, s.span ? [s.span] : undefined).maps;
  return maps !== undefined && from?.buffer.scope === "global" && to?.buffer.scope === "shared" && s.args.length === 2;
}

/** Bytes of its boxes: of what it fills, and of what they bring behind each row. */
function bytesOf(copy: Intrinsic): number {
  const { buffer, ranges } = copy.args[1] ?? { buffer: undefined, ranges: [] };
  const [request] = Object.values(intrinsicOf(copy.name).maps ?? {});
  const behind = (d: number): number => (d === ranges.length - 1 ? (request?.padding ?? 0) : 0);
  return ranges.reduce((n, r, d) => n * ((intOf(r.extent) ?? 0) + behind(d)), buffer ? elementBytes[buffer.dtype] : 0);
}

const dependsOn = (e: Expr, variables: ReadonlySet<Var>): boolean =>
  [...within(e)].some((x) => (x.kind === "var" && variables.has(x)) || x.kind === "load");

/** Why what decides where and whether the copies run is not the same for all threads. */
function unevenness(copies: readonly Stmt[], around: readonly Stmt[], loop: For): Refusal | undefined {
  const threads = new Set(around.flatMap((s) => (s.kind === "for" && isThreadTag(s.loop) ? [s.variable] : [])));
  for (const s of [...around, loop]) {
    const decides = s.kind === "for" ? s.extent : s.kind === "if" ? s.condition : undefined;
    if (decides && dependsOn(decides, threads))
      return new Refusal(
        `${s.kind === "if" ? "a condition around it" : `the extent of '${s.kind === "for" ? s.variable.name : ""}'`} depends on the thread or on memory, and the thread that copies is another one`,
        "span" in s ? s : loop,
      );
  }
  for (const copy of copies)
    for (const s of statements(copy)) {
      if (s.kind === "for" && isThreadTag(s.loop)) return new Refusal(`a copy stands under a loop bound to ${s.loop}`, s);
      if (expressionsOf(s).some((e) => dependsOn(e, threads)))
        return new Refusal(
          "where a copy begins depends on the thread or on memory, and one thread copies for all",
          s as Intrinsic,
        );
    }
  return undefined;
}

/** Why the buffers that copies fill cannot be given stages. */
function misuse(program: Program, found: SpecializedLoop): Refusal | undefined {
  const { loop, around, copies, others, buffers } = found;
  const loops = [...around, loop].filter((s): s is For => s.kind === "for");
  for (const buffer of buffers) {
    const outside = leaves(program.body).find((s) => touches(s, buffer) && ![...statements(loop)].includes(s));
    if (outside) return new Refusal(`${buffer.name} is used outside of the loop, too`, outside as Intrinsic);
    const writer = others.find((s) => writes(s, buffer));
    if (writer) return new Refusal(`${buffer.name} is written by more than copies`, leaves(writer)[0] as Intrinsic);
    const body = loop.body.kind === "seq" ? loop.body.body : [loop.body];
    const lastCopy = body.findLastIndex((s) => copies.includes(s) && writes(s, buffer));
    const early = body.findIndex((s) => !copies.includes(s) && reads(s, buffer));
    if (early >= 0 && early < lastCopy) return new Refusal(`${buffer.name} is read before it is copied`, loop);
    if (!readsOnlyFresh(loop.body, buffer, knownOf(loops)))
      return new Refusal(`an iteration reads more of ${buffer.name} than its copies surely fill`, buffer);
  }
  for (const copy of copies)
    for (const s of statements(copy)) {
      const source = isCopy(s) ? s.args[0]?.buffer : undefined;
      const writer = source && leaves(program.body).find((x) => writes(x, source));
      if (source && writer)
        return new Refusal(`the kernel writes ${source.name}, and copies of it would be made ahead of that`, writer as Intrinsic);
    }
  return undefined;
}

/** The loop taken apart, or why it cannot be. Of a program whose blocks have no axes. */
export function takenApart(program: Program, loop: For): SpecializedLoop | Refusal {
  const specialization = specializationOf(loop);
  const { wait } = specialization;
  const around = (pathTo(program.body, (s) => s === loop) ?? []).slice(0, -1);
  const body = loop.body.kind === "seq" ? loop.body.body : [loop.body];
  const copies = body.filter((s) => leaves(s).length > 0 && leaves(s).every(isCopy));
  const others = body.filter((s) => !copies.includes(s));
  if (loop.loop !== "serial") return new Refusal(`'${loop.variable.name}' is not serial`, loop);
  const mixed = others.find((s) => leaves(s).some(isCopy));
  if (mixed) return new Refusal("a copy by TMA stands in one loop or condition with something else", leaves(mixed).find(isCopy));
  const apart = leaves(program.body).find((s) => isCopy(s) && ![...statements(loop)].includes(s));
  if (apart)
    return new Refusal(
      "a copy by TMA stands outside of the loop, and the threads that copy run that loop alone",
      apart as Intrinsic,
    );
  if (copies.length === 0)
    return new Refusal(`no statement of '${loop.variable.name}' is a copy by TMA, such as tma_load_f16_128x64_128B`, loop);
  if (others.length === 0) return new Refusal(`'${loop.variable.name}' does nothing but copy`, loop);
  const sizes = copies.flatMap((c) =>
    leaves(c)
      .filter(isCopy)
      .map((s) => ({ s, times: countIn(c, s) })),
  );
  const open = sizes.find(({ times }) => times === undefined);
  if (open) return new Refusal("how often a copy runs in an iteration is not known while compiling", open.s);
  const bytes = sizes.reduce((n, { s, times }) => n + bytesOf(s) * (times ?? 0), 0);
  const buffers = [...new Set(sizes.flatMap(({ s }) => s.args[1]?.buffer ?? []))];
  const tiles = turnsOver(program, around, loop, buffers);
  if (tiles instanceof Refusal) return tiles;
  const found: SpecializedLoop = { ...specialization, loop, around, copies, others, buffers, bytes, tiles };
  const problem = unevenness(copies, around, loop) ?? misuse(program, found);
  if (problem) return problem;
  if (wait === 1 && productsOf(others) === undefined)
    return new Refusal(
      "`wait: 1` leaves products running, and the loop does something besides products, which would not wait for them",
      loop,
    );
  return found;
}
