/** THE line from a program to what is traced: pass after pass over the tree. */
import type { TensorSpec } from "../../base/types.ts";
import { launchOf, launchOfTurn } from "../facts/launch.ts";
import { flattenBlocks } from "../flat/flatten-blocks.ts";
import { hoistConditions } from "../flat/hoist-conditions.ts";
import { lowerInit } from "../flat/lower-init.ts";
import { simplifyIndices } from "../flat/simplify-indices.ts";
import { checkVisible } from "../flat/visible.ts";
import type { Program } from "../ir/types.ts";
import { assignRoles, onConsumers } from "../roles/assign-roles.ts";
import { insertBarriers } from "./barriers/insert-barriers.ts";
import { allocate } from "./buffers/allocate.ts";
import { compactBuffers } from "./buffers/compact-buffers.ts";
import { packShared } from "./buffers/pack-shared.ts";
import { placeRegisters } from "./buffers/place-registers.ts";
import { bindThreads } from "./loops/bind-threads.ts";
import { mergeConditions } from "./loops/merge-conditions.ts";
import { unrollLoops } from "./loops/unroll.ts";
import { vectorizeLoops } from "./loops/vectorize.ts";
import type { Lowered, Lowering, LoweringPass } from "./pass.ts";
import { registerMaps } from "./register-maps/register-maps.ts";

/** The passes of the program as it is, of which one warpgroup runs an iteration where several take turns. */
const beforeRoles: readonly LoweringPass[] = [
  { name: "lower-init", run: lowerInit },
  { name: "flatten-blocks", run: flattenBlocks },
  { name: "simplify-indices", run: simplifyIndices },
  { name: "hoist-conditions", run: hoistConditions },
  { name: "compact-buffers", run: (program, { launch }) => compactBuffers(program, launch) },
  { name: "register-maps", run: registerMaps },
  { name: "place-registers", run: (program, { launch }) => simplifyIndices(placeRegisters(program, launch)) },
  { name: "merge-conditions", run: mergeConditions },
  { name: "unroll", run: (program, { remark }) => unrollLoops(program, remark) },
  { name: "vectorize", run: vectorizeLoops },
  { name: "pack-shared", run: packShared },
  { name: "assign-roles", run: (program, { launch }) => assignRoles(program, launch) },
];

/** Those of what all threads run. */
const withRoles: readonly LoweringPass[] = [
  { name: "insert-barriers", run: (program, { launch }) => onConsumers((part) => insertBarriers(part, launch))(program) },
  { name: "bind-threads", run: (program, { launch }) => onConsumers((part) => bindThreads(part, launch))(program) },
  { name: "allocate", run: (program, { launch }) => allocate(program, launch) },
];

/** The passes, in order. */
export const loweringPasses: readonly LoweringPass[] = [...beforeRoles, ...withRoles];

/** Runs the passes; `onPass` sees the program after each. */
export function lowerProgram(
  program: Program,
  specs: readonly TensorSpec[],
  onPass?: (name: string, program: Program) => void,
): Lowered {
  const launch = launchOf(program);
  checkVisible(program);
  const remarks: string[] = [];
  const remark = (text: string): void => void remarks.push(text);
  const run = (passes: readonly LoweringPass[], on: Lowering, from: Program): Program =>
    passes.reduce((p, pass) => {
      const next = pass.run(p, on);
      onPass?.(pass.name, next);
      return next;
    }, from);
  const inRoles = run(beforeRoles, { specs, launch: launchOfTurn(program), remark }, program);
  return { program: run(withRoles, { specs, launch, remark }, inRoles), launch, remarks };
}
