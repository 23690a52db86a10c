/**
 * Warpgroups that take turns at the iterations of the loop around a specialized one, tiles of a block: of n, number w has the iterations w, w + n, w + 2n, …
 * While one multiplies, the others store. The thread that copies runs all iterations in order, so that a warpgroup skips the stages of the others.
 *
 * A turn lasts until all products of an iteration have begun, and so until all of its stages have been full: whoever comes after that and waits for a
 * stage, a round of the pipeline later, cannot take the phase before for its own. So a warpgroup whose iteration is not there passes the turn on all the same.
 */

import { knownOf } from "../facts/accesses.ts";
import { readsOnlyFresh, touchedBuffers, touches } from "../facts/depends.ts";
import { isThreadTag } from "../facts/launch.ts";
import { isIndependent } from "../facts/marks.ts";
import { specializationOf } from "../facts/specialization.ts";
import { add, floorDiv, int, intOf, isInt, less, loop as loopOf, mul, seq, unary, variable, zero } from "../ir/build.ts";
import type { Buffer, Effect, Expr, For, If, Stmt, Var } from "../ir/types.ts";
import { mapStmt, pathTo, statements, substitute } from "../ir/walk.ts";
import { leaves } from "./products.ts";
import { Refusal } from "./refusal.ts";

/** Where the condition is what has to hold on the way to a statement in one of its branches. */
export function conditionTo({ condition, yes }: If, s: Stmt): Expr {
  return [...statements(yes)].includes(s) ? condition : unary("!", condition);
}

const instead =
  "let `persist` make a block's tiles a loop, right around the one over K, and each of them fill and store registers of its own; or leave `pingpong` out";

const isSerial = (s: Stmt): s is For => s.kind === "for" && !isThreadTag(s.loop);

/** The loop whose iterations warpgroups take turns at; undefined where they do not; or why they cannot. */
export function turnsOver(
  program: { readonly body: Stmt },
  around: readonly Stmt[],
  loop: For,
  staged: readonly Buffer[],
): For | Refusal | undefined {
  const { pingpong } = specializationOf(loop);
  if (pingpong === 1) return undefined;
  const no = (why: string, at: { readonly span?: For["span"] } = loop): Refusal =>
    new Refusal(`${pingpong} warpgroups cannot take turns: ${why}`, at, instead);
  const tiles = around.findLast(isSerial);
  const { name } = loop.variable;
  if (!tiles) return no(`'${name}' stands in no loop, as \`persist\` makes one of a block's tiles`);
  if (tiles.loop !== "serial" || !isIndependent(tiles))
    return no(
      `the iterations of '${tiles.variable.name}', the loop around '${name}', are not a block's as \`persist\` makes them`,
      tiles,
    );
  const inside = leaves(tiles.body);
  const effect = inside.find((s) => s.kind === "effect");
  if (effect)
    return no(
      `an effect stands in '${tiles.variable.name}', and it may be that all threads have to come to it`,
      effect as Effect,
    );
  const known = knownOf([...around.filter((s): s is For => s.kind === "for")]);
  for (const buffer of touchedBuffers(tiles.body)) {
    if (buffer.scope === "global" || staged.includes(buffer)) continue;
    if (buffer.scope === "shared") return no(`they would all use ${buffer.name}, which lies in shared memory`, buffer);
    const outside = leaves(program.body).some((s) => touches(s, buffer) && !inside.includes(s));
    if (outside || !readsOnlyFresh(tiles.body, buffer, known))
      return no(`${buffer.name} lies in registers, and what is read of it may be another iteration's`, buffer);
  }
  return tiles;
}

/** The statements of those that compute, in turns. */
export interface Turns {
  readonly tiles: For;
  readonly loop: For;
  /** Warpgroups. */
  readonly count: number;
}

const say = (op: string, { span }: For, ...args: readonly Expr[]): Effect => ({ kind: "effect", op, args, span });

/** Statements between the beginning of a turn and its end. */
export const inTurn = (loop: For, ...body: readonly Stmt[]): readonly Stmt[] => [
  say("awaitTurn", loop),
  ...body,
  say("passTurn", loop),
];

/** A condition on the way to the loop, after what stands in its branches has been put in their place: where it keeps a warpgroup from the loop, the turn is passed on. */
export function orPass(before: If, after: If, loop: For): If {
  const pass = (other: Stmt | undefined): Stmt => seq(...inTurn(loop), ...(other ? [other] : []));
  const leads = (s: Stmt | undefined): boolean => s !== undefined && [...statements(s)].includes(loop);
  if (leads(before.yes)) return { ...after, no: pass(after.no) };
  return leads(before.no) ? { ...after, yes: pass(after.yes) } : after;
}

/**
 * The loop over tiles, each warpgroup with its own. `body`: what one iteration does, with the turn where the specialized loop was.
 */
export function takeTurns({ tiles, loop, count }: Turns, body: Stmt): For {
  const [round, mine] = [variable(tiles.variable.name), variable("turn")];
  const extent = intOf(tiles.extent);
  const number = (turn: Expr): Expr => add(mul(round, int(count)), turn);
  const at = (turn: Expr): Map<Var, Expr> => new Map([[tiles.variable, number(turn)]]);
  const isThere = (turn: Expr, yes: Stmt, no?: Stmt): Stmt =>
    extent !== undefined && extent % count === 0 ? yes : { kind: "if", condition: less(number(turn), tiles.extent), yes, no };
  const way = pathTo(tiles.body, (s) => s === loop) ?? [];
  const skip = (turn: number): Stmt => {
    const skipped = way.reduceRight<Stmt>(
      (inner, s) => (s.kind === "if" ? { kind: "if", condition: conditionTo(s, loop), yes: inner, no: undefined } : inner),
      say("skipStages", loop, loop.extent),
    );
    return isThere(int(turn), substitute(skipped, at(int(turn))));
  };
  const others = (isBefore: boolean): readonly Stmt[] =>
    Array.from({ length: count }, (_, turn) => turn)
      .slice(isBefore ? 0 : 1, isBefore ? -1 : count)
      .map((turn) => ({
        kind: "if",
        condition: isBefore ? less(int(turn), mine) : less(mine, int(turn)),
        yes: skip(turn),
        no: undefined,
      }));
  const own = isThere(mine, substitute(body, at(mine)), seq(...inTurn(loop)));
  const turns = loopOf(mine, int(count), seq(...others(true), own, ...others(false)), { loop: "threadIdx.y", span: tiles.span });
  const rounds = extent === undefined ? floorDiv(add(tiles.extent, int(count - 1)), int(count)) : int(Math.ceil(extent / count));
  return { ...tiles, variable: round, extent: rounds, body: turns };
}

/** Without loops of one thread: the index that they are bound to may be that of the turns. */
export const withoutSingleThreads = (s: Stmt): Stmt =>
  mapStmt(s, {
    stmt: (x) =>
      x.kind === "for" && isThreadTag(x.loop) && isInt(x.extent, 1) ? substitute(x.body, new Map([[x.variable, zero]])) : x,
  });
