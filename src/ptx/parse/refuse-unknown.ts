import { registerSource } from "../../diag/index.ts";
import type { PtxFunction, PtxTree } from "./tree.ts";

/** Refuses functions that have an instruction which is not known. W9801. */
export function refuseUnknown({ name, text }: PtxTree, functions: readonly PtxFunction[]): void {
  for (const { body } of functions)
    for (const unknown of body?.unknown ?? []) {
      registerSource(name, text);
      unknown.refuse();
    }
}
