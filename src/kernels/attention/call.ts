/** How a function of this family comes to its call: it checks what it is given, and asks for each call once. */
import type { DeviceTensor } from "warpsmith";
import { checkOptions, type optionsOf } from "../../base/diag/index.ts";
import type { Ready } from "../common/launches.ts";
import { Call, recall, remember, type Same } from "../common/ready.ts";

/** Options of any of them: where the result goes, and tensors by name. */
interface Given {
  readonly out?: DeviceTensor;
  readonly data?: Readonly<Record<string, DeviceTensor>>;
}

/** Options, with keys and values. */
export type WithKeys<O, T extends DeviceTensor> = O & { readonly k: T; readonly v: T };

/** A function: q, k and v, and options. */
export interface AttentionFunction<Q extends DeviceTensor, T extends DeviceTensor, O extends Given, R extends Ready> {
  /** Whether two calls with the same operands are one. Nothing is allocated there: it runs at every call. */
  readonly same: Same<O>;
  /** Refuses options that are no tensors; `of` is the function's name. It runs at every call. */
  checkChoices(options: O, of: string): void;
  /** Refuses tensors. */
  check(q: Q, asked: WithKeys<O, T>): void;
  /** The launch. */
  prepare(q: Q, asked: WithKeys<O, T>): R;
}

/** A copy, of the tensors' names too: theirs are objects that the author may change. */
const ownOptions = <O extends Given>(options: O): O => ({
  ...options,
  ...(options.data ? { data: Object.freeze({ ...options.data }) } : {}),
});

/** The call that is asked for: one made before, where the result goes to memory of the author's. W2601, W2602, and what the function refuses. */
export function callOf<Q extends DeviceTensor, T extends DeviceTensor, O extends Given, R extends Ready>(
  fn: AttentionFunction<Q, T, O, R>,
  operands: readonly [q: object, k: object, v: object],
  given: object,
  names: ReturnType<typeof optionsOf>,
): Call<R> {
  checkOptions(given, names);
  const options = given as O;
  fn.checkChoices(options, names.of);
  const [q, k, v] = operands as readonly [Q, T, T];
  const found = recall<O, R>([q, k, v], options, fn.same);
  if (found) return found;
  const own = ownOptions(options);
  const asked = { ...own, k, v };
  fn.check(q, asked);
  const call = new Call(fn.prepare(q, asked));
  if (own.out) remember([q, k, v], own, fn.same, call);
  return call;
}
