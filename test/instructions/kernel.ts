/** A kernel that applies instructions to all tuples: thread i takes tuple i. */
import { slots, tableOffset, type Width } from "./tuples.ts";

export const blockSize = 128;
/** What an instruction leaves: two words of 64 bits for each tuple. */
export const resultBytes = 16;

export const registerFiles: Readonly<Record<string, { readonly width: Width; readonly type: string }>> = {
  h: { width: 16, type: "b16" },
  r: { width: 32, type: "b32" },
  d: { width: 64, type: "b64" },
  f: { width: 32, type: "f32" },
  g: { width: 64, type: "f64" },
};

export const registersIn = (text: string): readonly string[] => [...new Set(text.match(/%[a-z]+\d+/g) ?? [])];

/** Operands at the top level: `{…}` is one. */
export const operandTexts = (text: string): readonly string[] =>
  text
    .slice(text.indexOf(" "))
    .match(/\{[^}]*\}|[^,{}]+/g)
    ?.map((o) => o.trim())
    .filter(Boolean) ?? [];

const placeOf = (width: Width, slot: number): string => `[%t${width}+${(slot * width) / 8}]`;

/** Gives a register its operand of the tuple. */
function load(register: string, slot: number): string {
  const file = register[1] ?? "";
  if (file === "p")
    return `ld.global.u32 %r150, ${placeOf(32, slot)}; and.b32 %r150, %r150, 1; setp.ne.u32 ${register}, %r150, 0;`;
  if (file === "q") return `ld.global.v2.u64 {%d150, %d151}, ${placeOf(64, 0)}; mov.b128 ${register}, {%d150, %d151};`;
  const { width, type } = registerFiles[file] ?? { width: 32, type: "b32" };
  return `ld.global.${type} ${register}, ${placeOf(width, slot)};`;
}

/** A register's bits in a word of 64. */
function widen(register: string, into: string): string {
  switch (register[1]) {
    case "h":
      return `cvt.u64.u16 ${into}, ${register};`;
    case "r":
      return `cvt.u64.u32 ${into}, ${register};`;
    case "f":
      return `mov.b32 %r151, ${register}; cvt.u64.u32 ${into}, %r151;`;
    case "g":
      return `mov.b64 ${into}, ${register};`;
    case "p":
      return `selp.u64 ${into}, 1, 0, ${register};`;
    default:
      return `mov.u64 ${into}, ${register};`;
  }
}

const zero = (register: string): string => `mov.u64 ${register}, 0;`;

/** The carry comes from the fourth operand, and goes where the second result would. */
function carries(opcode: string): { readonly before: string; readonly after: string } {
  const [name = "", ...rest] = opcode.split(".");
  const subtracts = name.startsWith("sub");
  const reads = /^(addc|subc|madc)$/.test(name);
  const before = !reads
    ? ""
    : `ld.global.u32 %r152, ${placeOf(32, 3)}; and.b32 %r152, %r152, 1; ${subtracts ? "sub.cc.u32 %r153, 0, %r152;" : "add.cc.u32 %r153, %r152, 0xffffffff;"}`;
  const after = rest.includes("cc") ? `${subtracts ? "subc" : "addc"}.u32 %r154, 0, 0; cvt.u64.u32 %d153, %r154;` : "";
  return { before, after };
}

function apply(instruction: string, at: number, count: number): string {
  const opcode = instruction.split(" ")[0] ?? "";
  const [target = "", ...operands] = operandTexts(instruction);
  const results = registersIn(target);
  const { before, after } = carries(opcode);
  const [first = "", second] = results;
  const wide = first[1] === "q";
  return `  // ${instruction}
  ${registersIn(operands.join(" ")).map(load).join(" ")}
  ${before}
  ${instruction};
  ${second || wide ? "" : zero("%d153")} ${after}
  ${wide ? `mov.b128 {%d152, %d153}, ${first};` : widen(first, "%d152")} ${second ? widen(second, "%d153") : ""}
  st.global.v2.u64 [%to+${at * count * resultBytes}], {%d152, %d153};`;
}

/** An entry `k` of the addresses of the tuples and of the results, for the first `count` tuples. */
export const kernelOf = (instructions: readonly string[], count: number): string => `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
  .reg .u64 %from, %to, %t<128>;
  .reg .pred %p<8>;
  .reg .b16 %h<16>;
  .reg .b32 %r<160>;
  .reg .b64 %d<160>;
  .reg .b128 %q<4>;
  .reg .f32 %f<16>;
  .reg .f64 %g<16>;
  ld.param.u64 %from, [a];
  ld.param.u64 %to, [b];
  mov.u32 %r150, %tid.x; mov.u32 %r151, %ctaid.x; mad.lo.u32 %r150, %r151, ${blockSize}, %r150;
${([16, 32, 64] as const).map((w) => `  mad.wide.u32 %t${w}, %r150, ${(slots * w) / 8}, %from; add.u64 %t${w}, %t${w}, ${tableOffset[w]};`).join("\n")}
  mad.wide.u32 %to, %r150, ${resultBytes}, %to;
${instructions.map((instruction, at) => apply(instruction, at, count)).join("\n")}
  exit;
}
`;
