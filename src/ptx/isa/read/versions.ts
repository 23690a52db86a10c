/** Which version of the PTX ISA brought what 8.0 has not, of the instructions of sm_90a that can be read. */

/** Parts of opcodes: all of a rule's are there, of a list one. The first part is the mnemonic. */
type Rule = readonly [version: string, ...parts: readonly (string | readonly string[])[]];

const small = ["f16", "f16x2", "bf16", "bf16x2"] as const;
const extremes = ["min", "max"] as const;
const atomics = ["atom", "red"] as const;
const fp8 = ["e4m3", "e5m2"] as const;

/** PTX ISA, chapter 13, as far as ptxas of CUDA 13.0 tells: a test holds them against it. */
const rules: readonly Rule[] = [
  ["8.1", atomics, ["v2", "v4", "v8"]],
  ["8.1", atomics, extremes, small],
  ["8.1", ["red", "st"], "async"],
  ["8.1", "cvt", "satfinite", [...small, "tf32"], "f32"],
  ["8.1", "fma", "oob"],
  ["8.1", "sured", "p", "b64"],
  ["8.1", "sured", extremes, ["u64", "s64"]],
  ["8.2", "lop3", ["or", "and"]],
  ["8.2", "wgmma", "sp"],
  ["8.3", ["ld", "ldu", "st", "mov", "atom"], "b128"],
  ["8.3", ["ld", "st", "cvta", "isspacep"], ["param::entry", "param::func"]],
  ["8.3", "tensormap"],
  ["8.3", "fence", "tensormap::generic"],
  ["8.4", "atom", "b128", "sys"],
  ["8.4", "mma", fp8],
  ["8.4", "wgmma", "s8", "u8"],
  ["8.7", "mma", fp8, ["m16n8k16", "f16"]],
  ["8.6", "fence", ["sync_restrict::shared::cta", "sync_restrict::shared::cluster"]],
  ["8.6", "mbarrier", ["arrive", "arrive_drop", "test_wait", "try_wait"], "relaxed"],
];

/** A copy to the block's own memory names that first. */
const copiesToOwn = /^cp\.async\.bulk\..*\bshared::cta\.global\b/;

/** The version that an opcode needs, 8.0 at least. */
export function versionOf(opcode: string): string {
  const parts = opcode.split(".");
  const has = (part: string | readonly string[]): boolean =>
    typeof part === "string" ? parts.includes(part) : part.some((one) => parts.includes(one));
  const isOf = (part: string | readonly string[] | undefined): boolean =>
    typeof part === "string" ? parts[0] === part : part?.includes(parts[0] ?? "") === true;
  const found = rules.filter(([, mnemonic, ...more]) => isOf(mnemonic) && more.every(has)).map(([version]) => version);
  if (copiesToOwn.test(opcode)) found.push("8.6");
  // All of them are 8 and one digit.
  return found.toSorted().at(-1) ?? "8.0";
}
