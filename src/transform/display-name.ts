import { isAbsolute, relative, sep } from "node:path";

/** A file's name in errors: relative to the working directory where it lies below it, else in full; with `/` everywhere. */
export function displayName(path: string, directory: string = process.cwd()): string {
  const below = relative(directory, path);
  const name = below === "" || below.startsWith("..") || isAbsolute(below) ? path : below;
  return name.split(sep).join("/");
}
