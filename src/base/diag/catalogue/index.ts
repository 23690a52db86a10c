import { arrayErrors } from "./arrays.ts";
import { buildErrors } from "./build.ts";
import { collectiveErrors } from "./collectives.ts";
import { deviceErrors } from "./device.ts";
import { emulatorErrors } from "./emulator.ts";
import { emulatorCheckErrors } from "./emulator-check.ts";
import { emulatorUnitErrors } from "./emulator-units.ts";
import { faultErrors } from "./fault.ts";
import { hangErrors } from "./hang.ts";
import { hostErrors } from "./host.ts";
import { inlinePtxErrors } from "./inline-ptx.ts";
import { kernelErrors } from "./kernel.ts";
import { kernelsErrors } from "./kernels.ts";
import { languageErrors } from "./language.ts";
import { launchPtxErrors } from "./launch-ptx.ts";
import { mathErrors } from "./math.ts";
import { mbarrierErrors } from "./mbarrier.ts";
import { memoryErrors } from "./memory.ts";
import { optionsErrors } from "./options.ts";
import { profileErrors } from "./profile.ts";
import { ptxErrors } from "./ptx.ts";
import { scheduleLowerErrors } from "./schedule-lower.ts";
import { schedulePipelineErrors } from "./schedule-pipeline.ts";
import { scheduleProgramErrors } from "./schedule-programs.ts";
import { scheduleRewriteErrors } from "./schedule-rewrites.ts";
import { scheduleStepErrors } from "./schedule-steps.ts";
import { syntaxErrors } from "./syntax.ts";
import { tileSchedulerErrors } from "./tile-scheduler.ts";
import { tileErrors } from "./tiles.ts";
import { tmaErrors } from "./tma.ts";
import { wgmmaErrors } from "./wgmma.ts";
import { wmmaErrors } from "./wmma.ts";

/** Every error of the package, by code. */
export const catalogue = {
  ...syntaxErrors,
  ...languageErrors,
  ...optionsErrors,
  ...inlinePtxErrors,
  ...mathErrors,
  ...memoryErrors,
  ...tmaErrors,
  ...mbarrierErrors,
  ...wgmmaErrors,
  ...tileErrors,
  ...wmmaErrors,
  ...collectiveErrors,
  ...tileSchedulerErrors,
  ...hostErrors,
  ...arrayErrors,
  ...kernelErrors,
  ...kernelsErrors,
  ...buildErrors,
  ...scheduleLowerErrors,
  ...launchPtxErrors,
  ...scheduleStepErrors,
  ...scheduleRewriteErrors,
  ...scheduleProgramErrors,
  ...schedulePipelineErrors,
  ...profileErrors,
  ...hangErrors,
  ...faultErrors,
  ...deviceErrors,
  ...ptxErrors,
  ...emulatorErrors,
  ...emulatorCheckErrors,
  ...emulatorUnitErrors,
};
