/** A mistake of one line that a developer could make, and what somebody who uses the package would then see. */
export interface Fault {
  readonly name: string;
  readonly room: string;
  /** Under `src`. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly seen: string;
}

/** The text with the fault in it. */
export function planted(text: string, { name, file, find, replace }: Fault): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${name}: what it replaces stands ${text.split(find).length - 1} times in src/${file}, not once: ${find}`);
  return before + replace + after;
}
