/** The instructions that each lane does by itself: every form of arithmetic, logic, conversion and move with all its modifiers. */
import { readArithmetic } from "../../src/ptx/isa/read/arithmetic.ts";
import { readData } from "../../src/ptx/isa/read/data.ts";
import { accepted, candidates } from "../unit/emulator/program/every-instruction.ts";

/** What these give is no function of their operands' bits alone. */
const others = /^(cvta|isspacep|mapa|getctarank|createpolicy|prefetch|prefetchu|applypriority|discard|cp\.)/;

type Form = keyof typeof readArithmetic | keyof typeof readData;
const forms = [...Object.keys(readArithmetic), ...Object.keys(readData)].filter((form) => !others.test(form)) as Form[];

const tables = [0x01, 0x80, 0x96, 0xca, 0xe8, 0xfe, 0x3b];
/** More immediates than one. */
const variants = (instruction: string): readonly string[] =>
  instruction.startsWith("lop3")
    ? tables.map((lut) => instruction.replace(/, 1(,|$)/, `, 0x${lut.toString(16)}$1`))
    : [instruction];

/** All of them, by asking ptxas which there are. */
export const listInstructions = (): readonly string[] => forms.flatMap((form) => accepted(candidates(form)).flatMap(variants));
