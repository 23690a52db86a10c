/** Errors of schedule, by what they are about. */
import { type Fail, type MakeError, raising } from "../../base/diag/index.ts";
import { baseErrors } from "../../base/errors.ts";
import { raised as dslErrors } from "../../dsl/errors/index.ts";
import { kernelErrors } from "../../kernel/errors.ts";
import { lowerErrors } from "./lower.ts";
import { pipelineErrors } from "./pipeline.ts";
import { programsErrors } from "./programs.ts";
import { rewritesErrors } from "./rewrites.ts";
import { stepsErrors } from "./steps.ts";
import { tuneErrors } from "./tune.ts";

export const scheduleErrors = {
  ...lowerErrors,
  ...pipelineErrors,
  ...programsErrors,
  ...rewritesErrors,
  ...stepsErrors,
  ...tuneErrors,
};

/** What this room raises: its own, and of rooms below. */
export const raised = { ...baseErrors, ...dslErrors, ...kernelErrors, ...scheduleErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
