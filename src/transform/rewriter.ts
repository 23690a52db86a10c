import { ts } from "ts-morph";
import { discard, expr } from "./expressions.ts";
import { classValue, functionValue, objectMethod } from "./functions.ts";
import type { Rewriters } from "./rewrite-context.ts";
import { leaving, statement } from "./statements.ts";

/** The rewriters, put together: they reach one another through the context, so that their files need not import in circles. */
export const rewriters: Rewriters = {
  expr,
  discard,
  value: (cx, node) => (ts.isClassExpression(node) ? classValue(cx, node) : functionValue(cx, node, "inner")),
  method: (cx, node) => objectMethod(cx, node, "inner"),
  statement,
  leaving,
};
