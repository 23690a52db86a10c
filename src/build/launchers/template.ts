import { readFileSync } from "node:fs";

/** A launcher as it lies beside this file, its places filled. */
export function template(file: string, places: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text.replace(/@([A-Z]+)@/g, (whole, name: string) => places[name] ?? whole);
}
