/**
 * Requires: no block has axes. Ensures: what is asked of a block's index alone, and of serial loops, is asked as far outside as it can be, and once
 * for all that stands under it: a block of a persistent kernel that has no tile left skips the whole of it.
 */

import { isBlockTag, isThreadTag } from "../facts/launch.ts";
import { and, seq, yes } from "../ir/build.ts";
import { sameExpr } from "../ir/linear.ts";
import type { Expr, Program, Stmt, Var } from "../ir/types.ts";
import { mentions, within } from "../ir/walk.ts";

const termsOf = (e: Expr): readonly Expr[] => (e.kind === "binary" && e.op === "&&" ? [...termsOf(e.a), ...termsOf(e.b)] : [e]);

/** Variables of the loops around, by what they are bound to. */
interface Around {
  readonly blocks: ReadonlySet<Var>;
  readonly threads: ReadonlySet<Var>;
}

/** A statement, and what has to hold for it to do anything. */
interface Asked {
  readonly terms: readonly Expr[];
  readonly stmt: Stmt;
}

const asked = (terms: readonly Expr[], stmt: Stmt): Stmt =>
  terms.length === 0 ? stmt : { kind: "if", condition: terms.reduce(and, yes), yes: stmt };

const isOfBlock = (e: Expr, { blocks, threads }: Around): boolean =>
  mentions(e, blocks) && !mentions(e, threads) && ![...within(e)].some((x) => x.kind === "load");

function lifted(s: Stmt, around: Around): Asked {
  switch (s.kind) {
    case "seq": {
      const parts = s.body.map((x) => lifted(x, around));
      const [first, ...rest] = parts;
      const common = (first?.terms ?? []).filter((t) => rest.every((p) => p.terms.some((u) => sameExpr(t, u))));
      const left = parts.map((p) =>
        asked(
          p.terms.filter((t) => !common.some((c) => sameExpr(c, t))),
          p.stmt,
        ),
      );
      return { terms: common, stmt: seq(...left) };
    }
    case "for": {
      const inside: Around = {
        blocks: isBlockTag(s.loop) ? new Set([...around.blocks, s.variable]) : around.blocks,
        threads: isThreadTag(s.loop) ? new Set([...around.threads, s.variable]) : around.threads,
      };
      const { terms, stmt } = lifted(s.body, inside);
      const own = terms.filter((t) => mentions(t, new Set([s.variable])));
      return { terms: terms.filter((t) => !own.includes(t)), stmt: { ...s, body: asked(own, stmt) } };
    }
    case "block": {
      const { terms, stmt } = lifted(s.body, around);
      return { terms, stmt: { ...s, body: stmt } };
    }
    case "if": {
      if (s.no) return { terms: [], stmt: { ...s, yes: whole(s.yes, around), no: whole(s.no, around) } };
      const terms = termsOf(s.condition);
      const up = terms.filter((t) => isOfBlock(t, around));
      const rest = terms.filter((t) => !up.includes(t));
      const inner = lifted(s.yes, around);
      const kept = rest.length === 0 ? inner.stmt : { ...s, condition: rest.reduce(and, yes), yes: inner.stmt };
      return { terms: [...up, ...inner.terms.filter((t) => !up.some((u) => sameExpr(t, u)))], stmt: kept };
    }
    default:
      return { terms: [], stmt: s };
  }
}

function whole(s: Stmt, around: Around): Stmt {
  const { terms, stmt } = lifted(s, around);
  return asked(terms, stmt);
}

/** Conditions of a block's index stand around all that they are asked for. */
export const hoistConditions = (program: Program): Program => ({
  ...program,
  body: whole(program.body, { blocks: new Set(), threads: new Set() }),
});
