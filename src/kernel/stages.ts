import { printOnce, type Remark } from "../base/diag/index.ts";
import { readEnvironment } from "../base/env.ts";
import type { Target } from "../base/target.ts";
import { type Artifact, compile, type GraphStage, type Tracing } from "../compile.ts";
import type { TraceInput, TraceParam } from "../dsl/index.ts";
import { localAccesses } from "../inspect/cubin/index.ts";
import { assemblerRemarks } from "../inspect/report/index.ts";
import { printGraphWithPlaces, watchCompilation } from "../inspect/stages/index.ts";
import { fail } from "./errors.ts";
import { assemble } from "./toolkit.ts";
import type { Stage } from "./types.ts";

/** A kernel with its arguments, in words. */
export function titleOf({ name, params }: Pick<TraceInput, "name" | "params">): string {
  const typeOf = (param: TraceParam): string =>
    param.kind === "tensor" ? `${param.spec.dtype}[${param.spec.shape}]` : param.kind === "tma" ? "TMA" : param.type;
  return `${name}(${params.map((param) => `${param.name}: ${typeOf(param)}`).join(", ")})`;
}

/** What ptxas has to say of a kernel that costs something, where there is one. */
function toolkitRemarks({ ptx, graph, entry }: Artifact, target: Target): readonly Remark[] {
  const made = assemble(ptx, target);
  return made ? assemblerRemarks(made.log, localAccesses(made.cubin, entry), graph) : [];
}

/**
 * Compiles, and shows what comes of each pass where `WARPSMITH_STAGES` asks for it; also where a pass fails. What tracing has to remark is
 * printed at once, unless all remarks or a report will be.
 */
export function compileShown(input: TraceInput, trace?: Tracing): Artifact {
  const asked = readEnvironment().values;
  const verify = asked?.verify === "each";
  const stages = asked?.stages;
  const said = stages?.remarks || stages?.explain ? {} : { onRemark: printOnce };
  const given = { ...said, ...(trace ? { trace } : {}) };
  if (!stages) return compile(input, { verify, ...given });
  const watcher = watchCompilation(stages, { title: titleOf(input), place: input.span });
  try {
    const artifact = compile(input, { verify, onStage: watcher.stage, ...given });
    const { target } = input.options;
    watcher.done(artifact.ptx, () => [...artifact.remarks(), ...toolkitRemarks(artifact, target)]);
    return artifact;
  } catch (error) {
    watcher.failed(error);
    throw error;
  }
}

/** A stage whose text is made when somebody reads it. */
function stageOf({ name, level, graph }: GraphStage): Stage {
  let text: string | undefined;
  return {
    name,
    level,
    get text() {
      text ??= printGraphWithPlaces(graph);
      return text;
    },
  };
}

/** What a kernel was compiled into before is not what it is compiled into now. W7529. */
export const refuseOther = ({ name, span }: Pick<TraceInput, "name" | "span">): never =>
  fail("W7529", { kernel: name }, span && [span]);

/**
 * Compiles once more, and keeps every stage. The PTX must be what was compiled at first: tracing runs the author's function again, which
 * may depend on what has changed in between. W7529.
 */
export function stagesOf(input: TraceInput, compiled: string): readonly Stage[] {
  const stages: Stage[] = [];
  const { ptx } = compile(input, { verify: false, onStage: (stage) => stages.push(stageOf(stage)) });
  if (ptx !== compiled) refuseOther(input);
  return [...stages, { name: "ptx", level: "ptx", text: ptx }];
}
