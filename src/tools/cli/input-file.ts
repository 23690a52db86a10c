import { readFileSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { Refusal } from "./refusal.ts";

/** What Node can load, TypeScript among it. */
const programs = new Set([".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs", ""]);

/** The whole path of a file that is there. `what` it is meant to be: "file", "PTX file". */
export function existingFile(path: string): string {
  if (path === "")
    throw new Refusal('the name of the file is empty: "" was given, as a variable of the shell that is not set gives it');
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Refusal(`there is no file ${path}`);
  if (found.isDirectory()) throw new Refusal(`${path} is a folder; give the file of a program in it`);
  return resolve(path);
}

/** The whole path of a program. */
export function programFile(path: string): string {
  const file = existingFile(path);
  const ending = extname(path);
  if (ending === ".ptx") throw new Refusal(`${path} is PTX and no program; launch it with warpsmith emulate ${path} …`);
  if (!programs.has(ending)) throw new Refusal(`${path} is no program of TypeScript or JavaScript`);
  return file;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  EISDIR: "it is a folder",
  EACCES: "it may not be read",
};

/** A file's bytes, and its text. */
export function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new Refusal(`${path} cannot be read: ${reasons[code] ?? code}`);
  }
}
export const readText = (path: string): string => new TextDecoder().decode(readBytes(path));
