import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildSegments, isLaneInstruction, writeSegment } from "../../../../src/emulator/program/codegen/index.ts";
import { layoutRegisters } from "../../../../src/emulator/program/codegen/layout.ts";
import { specialValue } from "../../../../src/emulator/program/codegen/specials.ts";
import type { Symbols } from "../../../../src/emulator/program/codegen/writer.ts";
import type { Operating } from "../../../../src/emulator/program/operands.ts";
import { operationStep } from "../../../../src/emulator/program/operations/index.ts";
import { type ReadFormName, readFormNames } from "../../../../src/ptx/isa/read/index.ts";
import { specialTypes } from "../../../../src/ptx/isa/read/special-registers.ts";
import { type Instruction, parsePtx } from "../../../../src/ptx/parse/index.ts";
import { candidatesFor } from "../../../../src/ptx/parse/match-form.ts";
import { noPtxas } from "../../../support/ptxas.ts";
import { accepted, candidates, moduleAround } from "./every-instruction.ts";

/** Forms that are not instructions of one lane or operations, and where they are tested. */
const elsewhere: Partial<Readonly<Record<ReadFormName, string>>> = {
  bra: "a branch: machine.test.ts",
  "brx.idx": "a branch by a table",
  call: "a call",
  ret: "the end of a call",
  exit: "the end of a thread: machine.test.ts",
};
/** Instructions for sm_90a that the emulator refuses with W9002, and why. */
const refused: readonly (readonly [opcode: RegExp, why: string])[] = [
  [/^tex\..*2dms/, "CUDA makes no textures of several samples"],
  [/^(txq|suq)\.channel/, "what the numbers mean is a matter of the source language, and CUDA has none"],
  [/^txq\.force_unnormalized_coords/, "of samplers apart from their textures"],
  [/^istypep\.samplerref/, "of samplers apart from their textures"],
];
const isRefused = (text: string): boolean => refused.some(([opcode]) => opcode.test(text));

const file = join(import.meta.dirname, "every-instruction.txt");

function withoutRule(instructions: readonly Instruction[], c: Operating): string[] {
  return instructions.flatMap((i) => {
    try {
      if (!isLaneInstruction(i)) operationStep(c, i);
      else buildSegments([writeSegment([i], c, (_, write) => write()).finish("s0", () => true)], ["s0"]);
      return [];
    } catch (error) {
      return isRefused(i.opcode.text) ? [] : [`${i.opcode.text}: ${error instanceof Error ? error.message : error}`];
    }
  });
}

function check(lines: readonly string[]): string[] {
  const body = parsePtx(moduleAround(lines), "every.ptx").functions[0]?.body;
  if (!body) return ["no body"];
  const symbols: Symbols = { address: () => "1024", paramSpace: () => "global", functionAddress: () => 0 };
  const c = { layout: layoutRegisters(body.registers), symbols, watched: false } as Operating;
  return withoutRule(body.instructions, c);
}

/** Every value of every slot of a form in at least one line. */
function covering(form: ReadFormName, lines: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    const found = candidatesFor(line.split(" ")[0] ?? "").find((c) => c.opcode.form === form);
    const values = ["", ...Object.entries(found?.opcode.modifiers ?? {}).map(([slot, value]) => `${slot}=${value}`)];
    const news = values.filter((value) => !seen.has(value));
    for (const value of news) seen.add(value);
    return news.length > 0;
  });
}

/** With UPDATE, ptxas picks the instructions anew, and all of them are checked. */
function update(): string[] {
  const wrong: string[] = [];
  const text = readFormNames
    .filter((form) => !(form in elsewhere))
    .map((form) => {
      const lines = accepted(candidates(form));
      wrong.push(...check(lines));
      return [`// ${form}`, ...covering(form, lines)].join("\n");
    });
  writeFileSync(file, `${text.join("\n")}\n`);
  return wrong;
}

describe("every instruction that can be read and that ptxas takes for sm_90a", () => {
  const renew = process.env.UPDATE !== undefined && noPtxas === undefined;
  it.runIf(renew)("has a rule, in all combinations", { timeout: 600_000 }, () => expect(update()).toEqual([]));

  const sections = readFileSync(file, "utf8")
    .split(/^\/\/ /m)
    .slice(1);
  const examples = new Map(sections.map((section) => [section.split("\n")[0] ?? "", section.trim().split("\n").slice(1)]));
  it("is of a form with examples, or tested elsewhere", () => {
    const missing = readFormNames.filter((form) => !(form in elsewhere) && !examples.get(form)?.length);
    expect(missing).toEqual([]);
  });
  it("has a rule", () => expect(check([...examples.values()].flat())).toEqual([]));
  it("is not listed as refused where it is not", () => {
    const lines = [...examples.values()].flat();
    expect(refused.filter(([opcode]) => !lines.some((line) => opcode.test(line)))).toEqual([]);
  });
});

it("every special register has a value", () => {
  const without = [...specialTypes.keys()].filter((name) => {
    try {
      specialValue(name);
      return false;
    } catch {
      return true;
    }
  });
  expect(without).toEqual([]);
});
