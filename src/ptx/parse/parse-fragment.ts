import { type Cursor, cursorOver, P, spanAt } from "./cursor.ts";
import { DIRECTIVE, END, lex, WORD } from "./lex.ts";
import { parseBody } from "./parse-body.ts";
import { type Entity, newScope, type RegisterList } from "./scopes.ts";
import type { Body, Immediate, PtxType, Register } from "./tree.ts";

/** Instructions that stand in no function: some of their names are given. */
export interface Fragment {
  readonly body: Body;
  /** The registers of the names given that occur. */
  readonly given: ReadonlyMap<string, Register>;
}

/** What a name stands for: a register of that type, or a number. */
export type Given = { readonly kind: "register"; readonly type: PtxType } | Immediate;

/** A word of the text, with its place. */
export interface Word {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** The tokens of a text that a test takes, in order: comments are left out. */
function tokensWhere(text: string, takes: (kinds: Uint8Array, at: number, word: string) => boolean): readonly Word[] {
  const c: Cursor = cursorOver(lex(text), "");
  const { kinds, starts, ends } = c.tokens;
  const found: Word[] = [];
  for (let i = 0; kinds[i] !== END; i++) {
    const word = text.slice(starts[i], ends[i]);
    if (!takes(kinds, i, word)) continue;
    const { line, column } = spanAt(c, i);
    found.push({ text: word, line, column });
  }
  return found;
}

/** The words of a text that a test takes: names and opcodes. */
export const wordsOf = (text: string, takes: (word: string) => boolean): readonly Word[] =>
  tokensWhere(text, (kinds, i, word) => kinds[i] === WORD && takes(word));

const begins: ReadonlySet<number | undefined> = new Set([undefined, P.semicolon, P.open, P.close, P.colon]);

/** The directives of statements that are neither instructions, labels nor declarations of registers. */
export const otherStatements = (text: string): readonly Word[] =>
  tokensWhere(text, (kinds, i, word) => begins.has(kinds[i - 1]) && kinds[i] === DIRECTIVE && word !== ".reg");

/**
 * Reads instructions, and declarations of registers. Throws what `parsePtx` does, with places in the text, whose name `file` is. An
 * instruction that is not known is among `body.unknown`.
 */
export function parseFragment(text: string, file: string, names: ReadonlyMap<string, Given>): Fragment {
  const scope = newScope(undefined);
  for (const [name, given] of names) {
    const entity: Entity = given.kind === "register" ? { kind: "register", name, type: given.type, id: -1 } : given;
    scope.names.set(name, entity);
  }
  const registers: RegisterList = [];
  const body = parseBody(cursorOver(lex(text), file), scope, registers, END);
  const given = new Map<string, Register>();
  for (const [name, entity] of scope.names) if (entity.kind === "register" && entity.id >= 0) given.set(name, entity);
  return { body, given };
}
