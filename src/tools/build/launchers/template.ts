import { readFileSync } from "node:fs";
import { ownFile } from "../../../base/own-files.ts";

/** A launcher as it lies in this folder, its places filled. */
export function template(file: string, places: Readonly<Record<string, string>>): string {
  const text = readFileSync(ownFile(`tools/build/launchers/${file}`), "utf8");
  return text.replace(/@([A-Z]+)@/g, (whole, name: string) => places[name] ?? whole);
}
