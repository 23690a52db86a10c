/** Errors of runtime, by what they are about. */
import { type Fail, type MakeError, raising } from "../../base/diag/index.ts";
import { baseErrors } from "../../base/errors.ts";
import { deviceErrors } from "./device.ts";
import { hostErrors } from "./host.ts";
import { launchErrors } from "./launch.ts";

export const runtimeErrors = { ...deviceErrors, ...hostErrors, ...launchErrors };

/** What this room raises: its own, and of rooms below. */
const raised = { ...baseErrors, ...runtimeErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
