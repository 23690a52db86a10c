import type { DeviceTensor, Stream } from "warpsmith";
import { display } from "../../../base/diag/index.ts";
import type { ReadyKernel } from "../../common/launches.ts";
import { Call, describeCall, launch, recall, remember, type Same } from "../../common/ready.ts";
import { knownOperand } from "../../common/same-memory.ts";
import { areSame, noTensors, type Tensors } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import type { Epilogue } from "../epilogue/epilogue.ts";
import { asOptions, type MatmulOutputs, outputsOf, sameOutputs } from "../options/outputs.ts";
import type { Plan } from "../plan/plan.ts";
import { checkOperands, resultTypes } from "../problem/check.ts";
import type { HalfType, ResultType } from "../problem/problem.ts";
import type { Asked, GemmArgs, Ready, Result } from "./asked.ts";
import { prepare } from "./prepare.ts";

/** A matrix, or a batch of them. */
type Operand = DeviceTensor<HalfType, 2 | 3>;

/** What the author asks for, whatever names the inputs have. */
export interface Options {
  /** The other matrix B of a pair. */
  readonly second?: Operand;
  readonly out?: Result;
  readonly dtype?: ResultType;
  readonly alpha?: number;
  readonly beta?: number;
  readonly epilogue?: Epilogue;
  readonly inputs?: Tensors;
  readonly outputs?: MatmulOutputs;
  readonly plan?: Plan;
  readonly dynamicM?: boolean;
  readonly invariant?: boolean;
  readonly stream?: Stream;
  readonly overlapPrevious?: boolean;
}

/** Those that are one of a few values. W7046. */
export function checkChoices(options: Options, of: string): void {
  const { dtype } = options;
  if (dtype !== undefined && !resultTypes.includes(dtype)) {
    const expected = resultTypes.map((type) => display(type)).join(" or ");
    fail("W7046", { of, option: "dtype", given: display(dtype), expected });
  }
  for (const option of ["overlapPrevious", "dynamicM", "invariant"] as const) {
    const given: unknown = options[option];
    if (given !== undefined && typeof given !== "boolean")
      fail("W7046", { of, option, given: display(given), expected: "true or false" });
  }
}

/** A product, for who looks at it. */
export type Described = Pick<Ready, "kernel" | "args" | "out" | "settled"> & Pick<ReadyKernel, "before" | "after">;

const isScaled = ({ alpha, beta }: Options): boolean => alpha !== undefined || beta !== undefined;
/** What is multiplied with 0 is not read. */
const adds = ({ beta = 0 }: Options): boolean => beta !== 0;

/** Whether two calls with the same operands are one. Alpha and beta are numbers of each call. */
const sameProduct: Same<Options> = (before, options) =>
  before.second === options.second &&
  before.out === options.out &&
  before.dtype === options.dtype &&
  isScaled(before) === isScaled(options) &&
  adds(before) === adds(options) &&
  before.epilogue === options.epilogue &&
  before.plan === options.plan &&
  before.dynamicM === options.dynamicM &&
  before.invariant === options.invariant &&
  before.overlapPrevious === options.overlapPrevious &&
  areSame(before.inputs ?? noTensors, options.inputs ?? noTensors) &&
  sameOutputs(before.outputs, options.outputs);

function make(a: Operand, b: Operand, options: Options): Call<Ready> {
  const { second, out, dtype, epilogue, plan, dynamicM = false, invariant = false, overlapPrevious: overlaps = false } = options;
  // Copies: theirs are objects that the author may change.
  const inputs = options.inputs ? { ...options.inputs } : noTensors;
  const outputs = outputsOf(options.outputs);
  const asked: Asked = {
    ...{ second, out, dtype, scaled: isScaled(options), adds: adds(options), epilogue, plan, dynamicM, invariant, overlaps },
    ...{ inputs, outputs },
  };
  const call = new Call(prepare(a, b, asked));
  // Memory that is made here is new each time: nobody asks for it again.
  if (out) remember([b, a], { ...options, inputs, outputs: asOptions(outputs) }, sameProduct, call);
  return call;
}

/** The call that is asked for: one made before for these tensors, or for the same views of the same operands, or a new one. W7012, W76xx. */
function readyFor(a: Operand, b: Operand, options: Options): Call<Ready> {
  const found = recall<Options, Ready>([b, a], options, sameProduct);
  if (found) return found;
  const { second } = options;
  checkOperands(a, b, second);
  const [firstA, firstB] = [knownOperand(a), knownOperand(b)];
  const asked = second ? { ...options, second: knownOperand(second) } : options;
  return recall<Options, Ready>([firstB, firstA], asked, sameProduct) ?? make(firstA, firstB, asked);
}

/** Alpha and beta, which come last where the sum is scaled. */
const numbersOf = (options: Options): readonly [alpha: number, beta: number] | undefined =>
  isScaled(options) ? [options.alpha ?? 1, options.beta ?? 0] : undefined;

/** Launches what is asked for, and gives the result. W7012, W76xx. */
export const run = (a: Operand, b: Operand, options: Options): Result =>
  launch(readyFor(a, b, options), options, options.out, numbersOf(options)).out;

/** What would be launched. W7012, W76xx. */
export function look(a: Operand, b: Operand, options: Options): Described {
  const call = readyFor(a, b, options);
  const numbers = numbersOf(options);
  // Alpha and beta are the kernel's last parameters, which its type leaves open, and `call.ready.args` ends before them.
  const args = numbers ? ([...call.ready.args, ...numbers] as unknown as GemmArgs) : call.ready.args;
  return { ...describeCall(call), args, settled: call.ready.settled };
}
