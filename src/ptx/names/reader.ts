/** A mangled name while it is read, and what later parts of it may refer to. */

import type { TypeText } from "./type-text.ts";

/** What this reader does not know: the name stays as it is. */
export class Unreadable extends Error {}

/** References double what is written: longer than this, nobody reads it. */
const longest = 1 << 16;

export interface Reader {
  readonly text: string;
  at: number;
  /** What `S_`, `S0_`, … stand for. */
  readonly substitutions: TypeText[];
  /** What `T_`, `T0_`, … stand for: the arguments of the template whose name was read last. */
  templateArguments: readonly TypeText[];
  depth: number;
}

export const newReader = (text: string, at: number): Reader => ({
  text,
  at,
  substitutions: [],
  templateArguments: [],
  depth: 0,
});

export const unreadable = (): never => {
  throw new Unreadable();
};

export const peek = (r: Reader, text: string): boolean => r.text.startsWith(text, r.at);
export const ended = (r: Reader): boolean => r.at >= r.text.length;

export function accept(r: Reader, text: string): boolean {
  if (!peek(r, text)) return false;
  r.at += text.length;
  return true;
}

export function expect(r: Reader, text: string): void {
  if (!accept(r, text)) unreadable();
}

export function take(r: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = r.at;
  const [found] = pattern.exec(r.text) ?? [];
  if (found !== undefined) r.at += found.length;
  return found;
}

const digits = /\d+/y;
export const number = (r: Reader): number => Number(take(r, digits) ?? unreadable());

const sequence = /[0-9A-Z]*_/y;
/** `_` is 0, `0_` is 1, … of numbers to that base. */
export function sequenceNumber(r: Reader, base: number): number {
  const found = take(r, sequence) ?? unreadable();
  return found === "_" ? 0 : Number.parseInt(found, base) + 1;
}

export function remember(r: Reader, type: TypeText): TypeText {
  if (type.left.length > longest) unreadable();
  r.substitutions.push(type);
  return type;
}

const deepest = 200;
/** Reads something that may hold others of its kind. */
export function nested<T>(r: Reader, read: () => T): T {
  if (++r.depth > deepest) unreadable();
  const result = read();
  r.depth -= 1;
  return result;
}

/** Reads items up to `E`. */
export function untilEnd<T>(r: Reader, read: () => T): T[] {
  const items: T[] = [];
  while (!accept(r, "E")) {
    if (ended(r)) unreadable();
    items.push(read());
  }
  return items;
}
