import { demangle } from "./demangle.ts";

/** As much of a name as a sentence can hold. */
const longest = 80;

/** A text that is too long without its middle. */
export function shortened(text: string, most: number = longest): string {
  if (text.length <= most) return text;
  const half = (most - 1) / 2;
  return `${text.slice(0, Math.ceil(half))}…${text.slice(text.length - Math.floor(half))}`;
}

/** What messages call a function of PTX: as C++ has it, without its parameters, and never long. */
export const shortName = (mangled: string): string => shortened(demangle(mangled).name);
