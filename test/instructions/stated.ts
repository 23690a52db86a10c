/** Where the emulator does not give the bits that the recorded device gave, and why. Which NaN arithmetic gives is `settled` beforehand. */
export interface Stated {
  readonly of: RegExp;
  readonly why: string;
  /** The instruction whose answers the device gave instead, where there is one; those are compared like all others. */
  readonly like?: (instruction: string) => string;
}

const quiets = "The emulator's registers of .f32 hold numbers: a signalling NaN that passes through one comes out quiet.";
const noSuchForm = "The manual has bf16 in .rn alone; ptxas takes other roundings, and makes fma.rn.f16 of them";

const stated: readonly Stated[] = [
  { of: /\.(approx|full)\b/, why: "Approximations: bounds.ts has how far they may be off." },
  {
    of: /^(mov|selp|slct)(\.ftz)?\.f32\b/,
    why: quiets,
    like: (instruction) => instruction.replace(".f32", ".b32").replace(/%f([0-2])/g, "%r$1"),
  },
  { of: /^cvt\.rna\b.*\.tf32\b/, why: quiets },
  {
    of: /^cvt\.r[mp]\.ftz(\.sat)?\.f16\.f32\b/,
    why: "The manual flushes the operand (PTX ISA 9.7.9.21), the device does not.",
    like: (instruction) => instruction.replace(".ftz", ""),
  },
  {
    of: /^fma\.r[zp]\.(oob\.)?(relu\.)?bf16\b/,
    why: `${noSuchForm}.`,
    like: () => "fma.rn.f16 %h0, %h1, %h2, %h3",
  },
  { of: /^fma\.rm\.(oob\.)?(relu\.)?bf16\b/, why: `${noSuchForm}, but for the sign of zeros.` },
];

/** The rule for an instruction; undefined where the results must be equal. */
export const statedFor = (instruction: string): Stated | undefined => stated.find(({ of }) => of.test(instruction));

export const allStated = stated;
