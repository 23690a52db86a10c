/** Errors of entries: opening a device. */
import { bundleFirst, defineErrors, type Fail, type MakeError, raising } from "../../base/diag/index.ts";

export const entriesErrors = defineErrors({
  W7026: {
    message: (a: { file: string; reason: string }) => `The file ${a.file} holds no choices to replay: ${a.reason}.`,
    fix: () => "give WARPSMITH_SEED=replay: a file that WARPSMITH_RECORD or `warpsmith check` wrote",
  },
  W7028: {
    message: (a: { variable: string; file: string }) => `The file ${a.file} of ${a.variable} cannot be written.`,
    fix: () => "name a file in a folder that is there and may be written to",
  },
  W7049: {
    message: (a: { runtime: string }) =>
      `warpsmith/register hooks into Node's loader, and this is ${a.runtime}, which has none: kernels would not be transformed.`,
    fix: (a) => bundleFirst(a.runtime),
  },
});

export type ErrorCode = keyof typeof entriesErrors;
export const makeError: MakeError<typeof entriesErrors> = raising(entriesErrors).makeError;
export const fail: Fail<typeof entriesErrors> = raising(entriesErrors).fail;
