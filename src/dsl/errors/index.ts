/** Errors of dsl, by what they are about. */
import { type Fail, type MakeError, raising } from "../../base/diag/index.ts";
import { baseErrors } from "../../base/errors.ts";
import { irErrors } from "../../ir/errors.ts";
import { collectivesErrors } from "./collectives.ts";
import { languageErrors } from "./language.ts";
import { mathErrors } from "./math.ts";
import { mbarrierErrors } from "./mbarrier.ts";
import { memoryErrors } from "./memory.ts";
import { profileErrors } from "./profile.ts";
import { ptxErrors } from "./ptx.ts";
import { tileSchedulerErrors } from "./tile-scheduler.ts";
import { tilesErrors } from "./tiles.ts";
import { tmaErrors } from "./tma.ts";
import { wgmmaErrors } from "./wgmma.ts";
import { wmmaErrors } from "./wmma.ts";

export const dslErrors = {
  ...collectivesErrors,
  ...languageErrors,
  ...mathErrors,
  ...mbarrierErrors,
  ...memoryErrors,
  ...profileErrors,
  ...ptxErrors,
  ...tileSchedulerErrors,
  ...tilesErrors,
  ...tmaErrors,
  ...wgmmaErrors,
  ...wmmaErrors,
};

/** What this room raises: its own, and of rooms below. */
export const raised = { ...baseErrors, ...irErrors, ...dslErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
