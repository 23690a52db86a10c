/** Which code of the package this is. */
import { readFileSync } from "node:fs";
import { ownFile } from "./own-files.ts";

let known: { readonly id: string | undefined } | undefined;

function read(): string | undefined {
  try {
    return readFileSync(ownFile("build-id"), "utf8").trim();
  } catch {
    return undefined;
  }
}

/** A digest of all that was built, written by the build; undefined where the package runs from its sources, which may change at any time. */
export function buildId(): string | undefined {
  known ??= { id: read() };
  return known.id;
}
