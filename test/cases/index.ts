import type { Case } from "./case.ts";
import { controlCases } from "./control-flow.ts";
import { scalarCases } from "./scalars.ts";

export type { Case } from "./case.ts";

export const allCases: readonly Case[] = [...scalarCases, ...controlCases];
