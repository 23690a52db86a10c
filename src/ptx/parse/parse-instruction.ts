import {
  accept,
  type Cursor,
  columnAt,
  expectMark,
  expectWord,
  failExpected,
  failMissing,
  kindAt,
  lineAt,
  P,
  spansAt,
} from "./cursor.ts";
import { failOperands, failUnknownOpcode } from "./form-errors.ts";
import { DIRECTIVE, END, WORD } from "./lex.ts";
import { type Candidate, candidatesFor, fitOperands, type Misfit } from "./match-form.ts";
import { type OperandContext, parseOperand, predicate } from "./parse-operand.ts";
import { failUndeclared, nameOfLabel } from "./scopes.ts";
import type { Guard, Instruction, Loc, Operand, UnknownInstruction } from "./tree.ts";

/** Opcodes met before; the same few hundred make up every module. */
const met = new Map<string, readonly Candidate[]>();

/** None where the opcode is not known. */
function knownForms(text: string): readonly Candidate[] {
  const known = met.get(text);
  if (known) return known;
  const found = candidatesFor(text);
  if (found.length > 0) met.set(text, found);
  return found;
}

/** All of an instruction whose opcode, the token before, is not known. Operands may be anything but a semicolon. `from`: its first token. */
function skipUnknown(c: Cursor, opcode: string, from: number): UnknownInstruction {
  const place = spansAt(c, c.at - 1);
  for (let open = 0; kindAt(c) !== P.semicolon; c.at++) {
    const kind = kindAt(c);
    if (kind === P.open) open += 1;
    if (kind === P.close) open -= 1;
    if (kind === END || kind === DIRECTIVE || open < 0) failExpected(c, "';'");
  }
  const text = c.tokens.text.slice(c.tokens.starts[from], c.tokens.ends[c.at - 1]);
  expectMark(c, P.semicolon);
  return { kind: "unknown", text, refuse: () => failUnknownOpcode(opcode, place) };
}

/** A name that nobody declared was taken for a label: say so, rather than that a label does not fit. */
function failMisfit(
  x: OperandContext,
  candidate: Candidate,
  misfit: Misfit,
  at: number,
  given: readonly Operand[],
  places: readonly number[],
): never {
  const operand = given[misfit.at];
  const open = operand?.kind === "label" ? nameOfLabel(x.scope, operand) : undefined;
  if (open && misfit.why === "kind") failUndeclared(x.c, x.scope, open.name, open.at);
  return failOperands(x.c, candidate, misfit, at, places);
}

const isLaid = (found: ReturnType<typeof fitOperands>): found is readonly (Operand | undefined)[] => Array.isArray(found);

function guard(x: OperandContext): Guard | undefined {
  if (!accept(x.c, P.at)) return undefined;
  const negate = accept(x.c, P.not);
  return { register: predicate(x), negate };
}

const none: readonly Operand[] = [];

/** Reads the operands, and notes their places. What is given back has room for no more: modules have millions. */
function operands(x: OperandContext, call: boolean): readonly Operand[] {
  const { c, given, places } = x;
  if (accept(c, P.semicolon)) return none;
  for (let n = 0; ; ) {
    places[n] = c.at;
    given[n++] = parseOperand(x, call);
    if (accept(c, P.semicolon)) return given.slice(0, n);
    if (kindAt(c) !== P.comma) failMissing(c, "',' or ';'");
    expectMark(c, P.comma);
  }
}

/** Reads `@p opcode operands;`. */
export function parseInstruction(x: OperandContext, loc: Loc | undefined, index: number): Instruction | UnknownInstruction {
  const { c } = x;
  const from = c.at;
  const guarded = guard(x);
  const at = c.at;
  if (kindAt(c) !== WORD) failExpected(c, "an instruction");
  const text = expectWord(c, "an instruction");
  const candidates = knownForms(text);
  if (candidates.length === 0) return skipUnknown(c, text, from);
  const given = operands(x, text === "call" || text === "call.uni");
  let misfit: Misfit | undefined;
  let near: Candidate | undefined;
  for (const candidate of candidates) {
    const laid = fitOperands(candidate, given);
    if (isLaid(laid)) {
      const line = lineAt(c, at);
      return {
        kind: "instruction",
        opcode: candidate.opcode,
        operands: laid,
        guard: guarded,
        line,
        column: columnAt(c, at),
        loc,
        index,
      };
    }
    if (!misfit || laid.at > misfit.at) {
      misfit = laid;
      near = candidate;
    }
  }
  return misfit && near
    ? failMisfit(x, near, misfit, at, given, x.places.slice(0, given.length))
    : failUnknownOpcode(text, spansAt(c, at));
}
