/** A program as a kernel. */

import {
  checkOptions,
  optionsOf,
  placeOnStack,
  refuseMore,
  type Spans,
  sameSpan,
  saying,
  WarpsmithError,
} from "../../../base/diag/index.ts";
import { warpgroupSize } from "../../../base/target.ts";
import type { Dim3, TensorSpec } from "../../../base/types.ts";
import type { Tensor, TMA } from "../../../dsl/emit.ts";
import { currentTrace } from "../../../dsl/emit.ts";
import type { Kernel, KernelOptions, LaunchConfig } from "../../../kernel/index.ts";
import { makeKernel } from "../../../kernel/index.ts";
import { fail } from "../../errors/index.ts";
import type { Program } from "../../ir/types.ts";
import { rolesOf, threadsOf } from "../../roles/assign-roles.ts";
import { emitProgram } from "../emit/program.ts";
import { lowerProgram } from "../lower-program.ts";
import type { Lowered } from "../pass.ts";
import type { Given } from "../storage/homes.ts";
import { alignmentOf } from "../tensors/alignment.ts";
import { specialize } from "../tensors/specialize.ts";
import { isTensor, makeMap, mapsOf } from "../tensors/tensor-maps.ts";

/** What `programKernel` takes: of the options of `kernel()` those that a program does not say itself. */
export type ProgramKernelOptions = Pick<KernelOptions, "registers" | "blocksPerSM" | "debug" | "contract">;

const known = optionsOf<ProgramKernelOptions>("programKernel()", {
  registers: true,
  blocksPerSM: true,
  debug: true,
  contract: true,
});

/** Threads of a block: where a warpgroup copies for the others, with that one, and along x alone. */
const blockOf = ({ program, launch }: Lowered): Dim3 =>
  rolesOf(program) ? [threadsOf(launch) + warpgroupSize, 1, 1] : launch.block;

/** Programs lowered for some shapes, and for where their tensors begin, are kept as long as the kernel. */
class Shapes {
  readonly #program: Program;
  readonly #lowered = new Map<string, Lowered>();

  constructor(program: Program) {
    this.#program = program;
  }

  lowered(specs: readonly TensorSpec[]): Lowered {
    const key = specs.map((s) => `${s.shape.join()}|${s.strides.join()}|${alignmentOf(s)}`).join(";");
    const lowered = this.#lowered.get(key) ?? lowerProgram(specialize(this.#program, specs), specs);
    this.#lowered.set(key, lowered);
    return lowered;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever tensors
type AnyKernel = Kernel<any[]>;

/**
 * The kernel that runs a program: its parameters are the tensors of the program's, in their order, and loops that are bound to thread and
 * block indices say how it is launched. It is compiled for each set of shapes, strides and alignments. W2601, W5579, W5590–W5609, W7502, W7504.
 */
export function programKernel(program: Program, options: ProgramKernelOptions = {}): AnyKernel {
  refuseMore(programKernel, arguments);
  checkOptions(options, known);
  const shapes = new Shapes(program);
  const of = (specs: readonly unknown[]): Lowered => shapes.lowered(specs as readonly TensorSpec[]);
  const uses = mapsOf(program);
  const count = program.params.length;
  const given = (bound: readonly unknown[]): Given => ({
    tensors: bound.slice(0, count) as readonly Tensor[],
    maps: bound.slice(count) as readonly TMA[],
    uses,
  });
  const made = makeKernel({
    name: program.name,
    span: program.span,
    body: (...bound: never[]) => emitProgram(currentTrace("a program"), of(bound.slice(0, count)), given(bound)),
    parameters: program.params.map(({ name, dtype, shape }) => ({ kind: "tensor", name, dtype, rank: shape.length })),
    derived: uses.map((use) => ({
      name: `${use.of}_${use.key}`,
      of: use.of,
      make: (args) => makeMap(program.name, use, args),
    })),
    options: {
      ...options,
      block: (...specs: readonly unknown[]) => blockOf(of(specs)),
      grid: (...specs: readonly unknown[]) => of(specs).launch.grid,
    },
  });
  const checked = (config: LaunchConfig): void => {
    if (config?.grid !== undefined) fail("W5606", { program: program.name });
  };
  const { launch, bench, profile, compile } = made;
  const own: Pick<AnyKernel, "launch" | "bench" | "profile" | "compile"> = {
    launch: (config, ...args) => {
      checked(config);
      blaming(args, placeOnStack, () => launch(config, ...args));
    },
    bench: async (config, ...args) => {
      checked(config);
      return bench(config, ...args);
    },
    profile: async (config, ...args) => {
      checked(config);
      return profile(config, ...args);
    },
    compile: (...args) => blaming(args, placeOnStack, () => compile(...args)),
  };
  for (const [name, value] of Object.entries(own)) Object.defineProperty(made, name, { value, enumerable: true });
  return made;
}

/** What is refused of tensors because of where they, or their rows, begin. */
const ofTensors: ReadonlySet<string> = new Set(["W5579", "W6303"]);
const wholeAlign = 32;

/** Does a tensor lie in another way than a new one of its shape does? */
function laidOutOtherwise(x: unknown): boolean {
  if (!isTensor(x)) return false;
  const { shape, strides } = x;
  const dense = shape.map((_, d) => shape.slice(d + 1).reduce((n, extent) => n * extent, 1));
  return alignmentOf(x) < wholeAlign || shape.some((extent, d) => extent > 1 && strides[d] !== dense[d]);
}

const throughShared =
  'Through shared memory tensors of any kind are taken: `promoteC: "shared"` and `promoteOperands: "shared"` of tensorCorePipeline(), or cacheWrite() and cacheRead() to "shared"';

/** Errors of tensors that lie in another way than new ones name the author's call that gave them first, and then the place in the program. */
function blaming<T>(args: readonly unknown[], call: () => Spans, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof WarpsmithError) || !ofTensors.has(error.code) || !args.some(laidOutOtherwise)) throw error;
    const spans = error.spans.filter((span, n, all) => all.findIndex((other) => sameSpan(other, span)) === n);
    const there = error.at([...call(), ...spans]);
    throw error.code === "W6303" ? saying(there, throughShared) : there;
  }
}
