import { accept, type Cursor, kindAt, P, textAt } from "./cursor.ts";
import { DIRECTIVE } from "./lex.ts";
import { parsePragma } from "./parse-body.ts";
import { directiveNumber } from "./parse-operand.ts";
import type { FunctionDirectives } from "./tree.ts";

type Numbered = "reqntid" | "maxntid" | "reqnctapercluster";
type Single = "maxnreg" | "minnctapersm" | "maxnctapersm" | "maxclusterrank";
const numbered = new Set<string>(["reqntid", "maxntid", "reqnctapercluster"] satisfies Numbered[]);
const single = new Set<string>(["maxnreg", "minnctapersm", "maxnctapersm", "maxclusterrank"] satisfies Single[]);

/** The directives between a function's parameters and its body (PTX ISA 11.4, 11.7); others are left for the caller to refuse. */
export function parseDirectives(c: Cursor): FunctionDirectives {
  const found: { -readonly [K in keyof FunctionDirectives]: FunctionDirectives[K] } = {};
  while (kindAt(c) === DIRECTIVE) {
    const name = textAt(c, c.at).slice(1);
    if (name === "pragma") {
      found.pragmas = [...(found.pragmas ?? []), ...parsePragma(c).texts];
      continue;
    }
    c.at++;
    if (numbered.has(name)) found[name as Numbered] = numbers(c);
    else if (single.has(name)) found[name as Single] = directiveNumber(c, "a number", 0);
    else if (name === "explicitcluster") found.explicitcluster = true;
    else if (name === "noreturn") found.noreturn = true;
    else {
      c.at--;
      break;
    }
  }
  return found;
}

function numbers(c: Cursor): number[] {
  const found: number[] = [];
  do found.push(directiveNumber(c, "a number", 1));
  while (accept(c, P.comma));
  return found;
}
