import { accept, columnAt, expectMark, expectWord, failExpected, failMissing, kindAt, lineAt, P } from "./cursor.ts";
import { failOperands, failUnknownOpcode } from "./form-errors.ts";
import { WORD } from "./lex.ts";
import { type Candidate, candidatesFor, fitOperands, type Misfit } from "./match-form.ts";
import { type OperandContext, parseOperand, predicate } from "./parse-operand.ts";
import { failUndeclared, nameOfLabel } from "./scopes.ts";
import type { Guard, Instruction, Loc, Operand } from "./tree.ts";

/** Opcodes met before; the same few hundred make up every module. */
const met = new Map<string, readonly Candidate[]>();

function knownForms(x: OperandContext, text: string, at: number): readonly Candidate[] {
  const known = met.get(text);
  if (known) return known;
  const found = candidatesFor(text);
  if (found.length === 0) failUnknownOpcode(x.c, text, at);
  met.set(text, found);
  return found;
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
export function parseInstruction(x: OperandContext, loc: Loc | undefined, index: number): Instruction {
  const { c } = x;
  const guarded = guard(x);
  const at = c.at;
  if (kindAt(c) !== WORD) failExpected(c, "an instruction");
  const text = expectWord(c, "an instruction");
  const candidates = knownForms(x, text, at);
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
    : failUnknownOpcode(c, text, at);
}
