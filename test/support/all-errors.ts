/** Errors of all rooms, by code: what docs/errors.md is written from. */
import { type MakeError, raising } from "../../src/base/diag/index.ts";
import { baseErrors } from "../../src/base/errors.ts";
import { cudaErrors } from "../../src/cuda/errors.ts";
import { dslErrors } from "../../src/dsl/errors/index.ts";
import { emulatorErrors } from "../../src/emulator/errors/index.ts";
import { entriesErrors } from "../../src/entries/shared/errors.ts";
import { irErrors } from "../../src/ir/errors.ts";
import { kernelErrors } from "../../src/kernel/errors.ts";
import { kernelsErrors } from "../../src/kernels/errors.ts";
import { lowerErrors } from "../../src/lower/errors.ts";
import { passesErrors } from "../../src/passes/errors.ts";
import { ptxErrors } from "../../src/ptx/errors.ts";
import { runtimeErrors } from "../../src/runtime/errors/index.ts";
import { scheduleErrors } from "../../src/schedule/errors/index.ts";
import { arraysErrors } from "../../src/tools/arrays/errors.ts";
import { buildErrors } from "../../src/tools/build/errors.ts";
import { builtErrors } from "../../src/tools/built/errors.ts";
import { cliErrors } from "../../src/tools/cli/errors.ts";
import { launchPtxErrors } from "../../src/tools/launch-ptx/errors.ts";
import { loadPtxErrors } from "../../src/tools/load-ptx/errors.ts";
import { testingErrors } from "../../src/tools/testing/errors.ts";
import { transformErrors } from "../../src/transform/errors.ts";

/** The table of each room, from the ground up. */
export const errorsByRoom = {
  base: baseErrors,
  transform: transformErrors,
  ir: irErrors,
  dsl: dslErrors,
  passes: passesErrors,
  lower: lowerErrors,
  ptx: ptxErrors,
  runtime: runtimeErrors,
  cuda: cudaErrors,
  emulator: emulatorErrors,
  kernel: kernelErrors,
  schedule: scheduleErrors,
  kernels: kernelsErrors,
  arrays: arraysErrors,
  build: buildErrors,
  built: builtErrors,
  loadPtx: loadPtxErrors,
  launchPtx: launchPtxErrors,
  testing: testingErrors,
  cli: cliErrors,
  entries: entriesErrors,
};

export const allErrors = {
  ...baseErrors,
  ...transformErrors,
  ...irErrors,
  ...dslErrors,
  ...passesErrors,
  ...lowerErrors,
  ...ptxErrors,
  ...runtimeErrors,
  ...cudaErrors,
  ...emulatorErrors,
  ...kernelErrors,
  ...scheduleErrors,
  ...kernelsErrors,
  ...arraysErrors,
  ...buildErrors,
  ...builtErrors,
  ...loadPtxErrors,
  ...launchPtxErrors,
  ...testingErrors,
  ...cliErrors,
  ...entriesErrors,
};

export type ErrorCode = keyof typeof allErrors;
export const makeError: MakeError<typeof allErrors> = raising(allErrors).makeError;
