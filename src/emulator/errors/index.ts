/** Errors of emulator, by what they are about. */
import { type Fail, type MakeError, raising } from "../../base/diag/index.ts";
import { runtimeErrors } from "../../runtime/errors/index.ts";
import { checkErrors } from "./check.ts";
import { runErrors } from "./run.ts";
import { unitsErrors } from "./units.ts";

export const emulatorErrors = { ...checkErrors, ...runErrors, ...unitsErrors };

/** What this room raises: its own, and of rooms below. */
export const raised = { ...runtimeErrors, ...emulatorErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
