/** Which version of the package this is. */
import { readFileSync } from "node:fs";
import { ownFile } from "./own-files.ts";

let known: string | undefined;

/** The version of the package, as its `package.json` has it. */
export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(ownFile("../package.json"), "utf8")) as { readonly version: string }).version;
  return known;
}
