/**
 * What a specialized loop does besides copying: products, which run while their threads go on, and what fills the registers that these take A
 * from. A product reads such registers until it is complete, so nothing may write them before that.
 */
import { intrinsicAccess } from "../intrinsics/access.ts";
import { intrinsicOf } from "../intrinsics/registry.ts";
import { intOf } from "../ir/build.ts";
import type { Buffer, Intrinsic, Stmt } from "../ir/types.ts";
import { expressionsOf, pathTo, statements, within } from "../ir/walk.ts";

/** The statements that do something. */
export const leaves = (s: Stmt): readonly Stmt[] =>
  [...statements(s)].filter((x) => x.kind === "store" || x.kind === "intrinsic" || x.kind === "effect");

/** A product that runs while its threads go on: it adds to registers of a warpgroup. */
export const isProduct = (s: Stmt): s is Intrinsic =>
  s.kind === "intrinsic" &&
  intrinsicOf(s.name).proxy === "async" &&
  s.args.some((r, n) => r.buffer.scope === "wgmma.accumulator" && intrinsicAccess(s)[n]?.writes);

/** How often a statement of the loop's body runs in an iteration; undefined where only the GPU knows. */
export function countIn(body: Stmt, s: Stmt): number | undefined {
  return (pathTo(body, (x) => x === s) ?? []).reduce<number | undefined>((n, x) => {
    if (x.kind === "if" || n === undefined) return undefined;
    const extent = x.kind === "for" ? intOf(x.extent) : 1;
    return extent === undefined ? undefined : n * extent;
  }, 1);
}

const isLeft = ({ scope }: Buffer): boolean => scope === "wgmma.matrix_a";

interface Touched {
  readonly read: readonly Buffer[];
  readonly written: readonly Buffer[];
}

function touchedBy(leaf: Stmt): Touched {
  const read = expressionsOf(leaf).flatMap((e) => [...within(e)].flatMap((x) => (x.kind === "load" ? [x.buffer] : [])));
  if (leaf.kind === "store") return { read, written: [leaf.buffer] };
  if (leaf.kind !== "intrinsic") return { read, written: [] };
  const how = intrinsicAccess(leaf);
  const taken = (way: "reads" | "writes"): readonly Buffer[] =>
    leaf.args.flatMap(({ buffer }, n) => (how[n]?.[way] === false ? [] : [buffer]));
  return { read: [...read, ...taken("reads")], written: taken("writes") };
}

/** A statement that fills registers which products take A from, and touches nothing that a product may be writing. */
export function fillsOperand(s: Stmt): boolean {
  const all = leaves(s).map(touchedBy);
  const fills = ({ read, written }: Touched): boolean =>
    written.length > 0 && written.every(isLeft) && read.every(({ scope }) => scope !== "wgmma.accumulator");
  return all.length > 0 && all.every(fills);
}

/** Products of one iteration, where it does nothing else but copy and fill registers that these take; undefined where there is more. */
export function productsOf(others: readonly Stmt[]): number | undefined {
  let count = 0;
  for (const s of others) {
    if (fillsOperand(s)) continue;
    for (const leaf of leaves(s)) {
      const times = isProduct(leaf) ? countIn(s, leaf) : undefined;
      if (times === undefined) return undefined;
      count += times;
    }
  }
  return count;
}
