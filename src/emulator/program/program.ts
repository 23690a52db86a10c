/** A kernel made ready to run: steps, and what they need to know of memory. */

import { expressionLength, noSpans, type Span, type Spans } from "../../base/diag/index.ts";
import {
  type Instruction,
  linesBehind,
  outsideNote,
  type PtxFunction,
  refuseUnknown,
  shortName,
  spansOf,
} from "../../ptx/parse/index.ts";
import { fail } from "../errors/index.ts";
import { lanes } from "../machine/lanes.ts";
import type { Kernel } from "../machine/launch.ts";
import { builtins } from "./builtins/index.ts";
import type { Callee } from "./calls/call.ts";
import type { Functions } from "./calls/call-steps.ts";
import { reachable } from "./calls/reachable.ts";
import type { Party } from "./calls/value-location.ts";
import { laneWords, layoutRegisters } from "./codegen/layout.ts";
import { readsReserved } from "./communicates.ts";
import type { Image } from "./image.ts";
import { makeSteps, type Routine } from "./make-steps.ts";
import { type ProgramOptions, type Read, readGlobal } from "./operands.ts";
import { type Reach, reachOf } from "./reach.ts";
import type { Step } from "./step.ts";
import { type Parameter, placeVariables, type Variables } from "./variables.ts";

export interface Program extends Kernel {
  readonly steps: readonly Step[];
  /** Of the kernel, then of each function that it may call. */
  readonly instructions: readonly Instruction[];
  readonly parameters: readonly Parameter[];
  readonly parameterBytes: number;
  /** Registers of 32 bits that a thread has. */
  readonly registers: number;
  /** Where an instruction accesses memory, as the register that it names says now; undefined where it names none. */
  addressOf(index: number): Read | undefined;
  /** Whether the author says of a copy by TMA that its box may lie outside of the tensor. */
  mayBeOutside(index: number): boolean;
  /** Which memory it may use. Found out when somebody asks. */
  reach(): Reach;
}

/** Prepares one kernel of a module. W8006, W9002, W9005, and W9801 where it may come to an instruction that is not known. */
export function loadProgram(image: Image, entry: string, kernel: string, options: ProgramOptions): Program {
  const found = image.functionNamed(entry);
  if (!found?.entry || !found.body) return fail("W8006", { kernel, reason: `it has no entry ${entry}`, log: "" });
  const all = reachable(image, found);
  const missing = all.find((fn) => !fn.body && !builtins.has(fn.name));
  if (missing) return fail("W9005", { kernel, name: shortName(missing.name) });
  refuseUnknown(image.tree, all);
  const variables = placeVariables(image, all);
  const callees = makeCallees(all, variables);
  const functions = findFunctions(image, callees, kernel);
  const routines = makeRoutines(callees, options);
  const instructions = routines.flatMap((r) => r.instructions);
  let reach: Reach | undefined;
  const registerWords = callees.reduce((n, callee) => n + callee.words, 0);
  const { parameters, parameterBytes, staticSharedBytes, dynamicSharedOffset } = variables;
  return {
    name: kernel,
    foreign: image.foreign,
    ofLoops: options.ofLoops ?? false,
    steps: makeSteps(routines, functions, kernel),
    instructions,
    registerWords,
    parameters,
    parameterBytes,
    localBytes: variables.frame(found).bytes,
    staticSharedBytes,
    dynamicSharedOffset,
    registers: registerWords / lanes,
    directives: found.directives,
    usesReserved: instructions.some(readsReserved),
    placeOf: (index) => placesOf(image, kernel, instructions[index]),
    addressOf: (index) => {
      const routine = routines.find((r) => index <= (r.instructions.at(-1)?.index ?? -1));
      const address = instructions[index]?.operands.find((o) => o?.kind === "address");
      return routine && address && readGlobal(routine.operating, address);
    },
    mayBeOutside: isNoted(image.ptx, instructions),
    reach: () => {
      reach ??= reachOf(all);
      return reach;
    },
  };
}

/** Read when somebody asks. */
function isNoted(ptx: string, instructions: readonly Instruction[]): Program["mayBeOutside"] {
  let lines: ReadonlySet<number> | undefined;
  return (index) => {
    lines ??= linesBehind(outsideNote, ptx);
    return lines.has(instructions[index]?.line ?? 0);
  };
}

/** The author's line. Of another compiler's module all places that lead there, that in the PTX last. */
function placesOf({ tree, foreign }: Image, kernel: string, i: Instruction | undefined): Spans {
  if (foreign && i) return spansOf(tree, i);
  const loc = i?.loc;
  const path = tree.files.find((file) => file.number === loc?.file)?.path;
  if (!i) return noSpans;
  if (!loc || path === undefined) return [{ file: `${kernel}.ptx`, line: i.line, column: 1, length: 1 }];
  const span: Span = { file: path, line: loc.line, column: loc.column, length: expressionLength(path, loc.line, loc.column) };
  return [span];
}

/** Those with bodies, each with its registers behind those of the one before it. */
function makeCallees(functions: readonly PtxFunction[], variables: Variables): readonly Callee[] {
  let firstWord = 0;
  return functions
    .filter((fn) => fn.body)
    .map((fn): Callee => {
      const registers = fn.body?.registers ?? [];
      const layout = layoutRegisters(registers, firstWord);
      const rows = registers.map((r) => ({ at: layout.place(r) - firstWord, width: laneWords(r.type) }));
      const callee = { fn, name: fn.name, layout, frame: variables.frame(fn), entry: 0, firstWord, words: layout.words, rows };
      firstWord += layout.words;
      return callee;
    });
}

function findFunctions(image: Image, callees: readonly Callee[], kernel: string): Functions {
  const byFunction = new Map(callees.map((callee) => [callee.fn, callee]));
  const byAddress = new Map(callees.map((callee) => [image.addressOf(callee.fn), callee]));
  return {
    named(name) {
      const fn = image.functionNamed(name);
      const builtin = builtins.get(name);
      return (fn && byFunction.get(fn)) ?? (fn && builtin && { fn, builtin }) ?? fail("W9005", { kernel, name: shortName(name) });
    },
    at(address) {
      const callee = byAddress.get(address);
      return callee?.fn.entry ? undefined : callee;
    },
  };
}

/** What a function that comes to its end does. */
const implicitReturn = (fn: PtxFunction, index: number): Instruction => ({
  kind: "instruction",
  opcode: { text: "ret", form: "ret", modifiers: {}, types: {} },
  operands: [],
  guard: undefined,
  line: fn.line,
  column: 1,
  loc: undefined,
  index,
});

function makeRoutines(callees: readonly Callee[], options: ProgramOptions): readonly Routine[] {
  let origin = 0;
  return callees.map((callee) => {
    const { fn, layout, frame } = callee;
    const party: Party = callee;
    const own = fn.body?.instructions ?? [];
    const numbered = origin === 0 ? own : own.map((i) => ({ ...i, index: origin + i.index }));
    const instructions = callees.length === 1 ? own : [...numbered, implicitReturn(fn, origin + own.length)];
    origin += instructions.length;
    return {
      party,
      operating: { layout, symbols: frame.symbols, ...options },
      instructions,
      begins: (step) => {
        callee.entry = step;
      },
    };
  });
}
