import type { DeviceTensor, Stream } from "warpsmith";
import { display, fail } from "../../diag/index.ts";
import { KnownLaunches } from "../common/known-launches.ts";
import { knownOperand } from "../common/same-memory.ts";
import { areSame, noTensors, type Tensors } from "../common/tensors.ts";
import type { Asked, Ready, Result } from "./asked.ts";
import { checkOperands, resultTypes } from "./check.ts";
import type { Epilogue } from "./epilogue.ts";
import { type MatmulOutputs, outputsOf, sameOutputs } from "./outputs.ts";
import type { Plan } from "./plan.ts";
import { prepare } from "./prepare.ts";
import type { HalfType, ResultType } from "./problem.ts";

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

/** Launches made before into memory of the author's, by `b`, and then by `a`. */
const known = new WeakMap<object, KnownLaunches<Asked, Ready>>();
/** How many are kept of one pair of operands. */
const kept = 8;

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

export const isScaled = ({ alpha, beta }: Options): boolean => alpha !== undefined || beta !== undefined;
/** What is multiplied with 0 is not read. */
const adds = ({ beta = 0 }: Options): boolean => beta !== 0;

/** Whether the options ask for the same, the operands aside. Nothing is allocated here: it runs at every call. */
const isAsked = (asked: Asked, options: Options): boolean =>
  asked.second === options.second &&
  asked.out === options.out &&
  asked.dtype === options.dtype &&
  asked.scaled === isScaled(options) &&
  asked.adds === adds(options) &&
  asked.epilogue === options.epilogue &&
  asked.plan === options.plan &&
  asked.dynamicM === (options.dynamicM ?? false) &&
  asked.invariant === (options.invariant ?? false) &&
  asked.overlaps === (options.overlapPrevious ?? false) &&
  areSame(asked.inputs, options.inputs ?? noTensors) &&
  sameOutputs(asked.outputs, options.outputs);

const recall = (a: Operand, b: Operand, options: Options): Ready | undefined =>
  known.get(b)?.recall(a, (asked) => isAsked(asked, options));

function remember(a: Operand, b: Operand, asked: Asked, ready: Ready): void {
  const ofB = known.get(b) ?? new KnownLaunches<Asked, Ready>(kept);
  known.set(b, ofB);
  ofB.remember(a, asked, ready);
}

function make(a: Operand, b: Operand, options: Options): Ready {
  const {
    second,
    out,
    dtype,
    epilogue,
    inputs,
    plan,
    dynamicM = false,
    invariant = false,
    overlapPrevious: overlaps = false,
  } = options;
  // A copy of the inputs: theirs is an object that the author may change.
  const asked: Asked = {
    ...{ second, out, dtype, scaled: isScaled(options), adds: adds(options) },
    ...{
      epilogue,
      inputs: inputs ? { ...inputs } : noTensors,
      outputs: outputsOf(options.outputs),
      plan,
      dynamicM,
      invariant,
      overlaps,
    },
  };
  const ready = prepare(a, b, asked);
  // Memory that is made here is new each time: nobody asks for it again.
  if (out) remember(a, b, asked, ready);
  return ready;
}

/** The launch that is asked for: one made before for these tensors, or for the same views of the same operands, or a new one. W7012, W76xx. */
export function readyFor(a: Operand, b: Operand, options: Options): Ready {
  const found = recall(a, b, options);
  if (found) return found;
  const { second } = options;
  checkOperands(a, b, second);
  const [firstA, firstB] = [knownOperand(a), knownOperand(b)];
  const asked = second ? { ...options, second: knownOperand(second) } : options;
  return recall(firstA, firstB, asked) ?? make(firstA, firstB, asked);
}
