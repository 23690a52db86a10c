/** What is read out of machine programs (cubins): sections, which line an instruction is of, where registers go to local memory. */
export { type Section, sectionsOf } from "./elf.ts";
export type { LineRow } from "./lines.ts";
export { type CodePlace, placeAt } from "./places.ts";
export { type LocalAccess, localAccesses } from "./spills.ts";
