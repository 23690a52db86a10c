/** Copies of statements: with loops, axes and block names of their own, so that both may stand in one program. */

import { variable } from "./build.ts";
import { freshName } from "./fresh-names.ts";
import type { Expr, Stmt, Var } from "./types.ts";
import { mapStmt, statements, substituteIn } from "./walk.ts";

/** Names of blocks that are taken; a copy takes another one of each. */
export type Names = Set<string>;

/** A name that is not taken, and is from now on. */
function takeName(names: Names, name: string): string {
  const fresh = freshName(name, names);
  names.add(fresh);
  return fresh;
}

/** The statement again. `by`: what its free variables become. `suffix` goes behind the names of its blocks. */
export function copied(s: Stmt, names: Names, suffix: string, by: ReadonlyMap<Var, Expr> = new Map()): Stmt {
  const own = new Map<Var, Var>();
  for (const x of statements(s)) {
    if (x.kind === "for") own.set(x.variable, variable(x.variable.name));
    if (x.kind === "block") for (const a of x.axes) own.set(a.variable, variable(a.variable.name));
  }
  const all = new Map<Var, Expr>([...by, ...own]);
  return mapStmt(s, {
    expr: (e) => substituteIn(e, all),
    stmt: (x) => {
      if (x.kind === "for") return { ...x, variable: own.get(x.variable) ?? x.variable };
      if (x.kind !== "block") return x;
      const axes = x.axes.map((a) => ({ ...a, variable: own.get(a.variable) ?? a.variable }));
      return { ...x, axes, name: takeName(names, `${x.name}${suffix}`) };
    },
  });
}
