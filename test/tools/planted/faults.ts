import type { Fault } from "./fault.ts";
import { inCompiler } from "./in-compiler.ts";
import { inLanguage } from "./in-language.ts";
import { inTheRest } from "./in-the-rest.ts";

export type { Fault } from "./fault.ts";

/** Two faults in each of twenty rooms, chosen without a look at the tests: about as many on main roads as on side roads and in details. */
export const faults: readonly Fault[] = [...inLanguage, ...inCompiler, ...inTheRest];
