/**
 * TypeScript's compiler, parser and printer, as ts-morph carries it: users may have any TypeScript beside it, or the native one, which has no such interface.
 * Of ts-morph nothing else is used, and no other file names it.
 */
export { ts } from "ts-morph";
