/** Errors of tools/cli: the command line. */
import { defineErrors, type Fail, type MakeError, raising } from "../../base/diag/index.ts";

export const cliErrors = defineErrors({
  W7726: {
    message: (a: { file: string; exports: readonly string[] }) =>
      a.exports.length === 0
        ? `${a.file} exports nothing that is to be built`
        : `${a.file} exports ${a.exports.join(", ")}, and none of them is to be built`,
    fix: () => 'write export default build({ name: kernel.at(…) }), with build from "warpsmith/build"',
  },
});

export type ErrorCode = keyof typeof cliErrors;
export const makeError: MakeError<typeof cliErrors> = raising(cliErrors).makeError;
export const fail: Fail<typeof cliErrors> = raising(cliErrors).fail;
