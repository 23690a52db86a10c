/** Calls and returns: what happens to the lanes, their registers and their stacks. */

import type { ArgumentList, Operand, Variable } from "../../../ptx/parse/index.ts";
import { activate, type CallSite, copyRegisters, release } from "../../machine/activation.ts";
import { KernelFault } from "../../machine/fault.ts";
import { forEachLane, lanes } from "../../machine/lanes.ts";
import type { Split, Warp } from "../../machine/warp.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { actualLocation, formalLocation, makeTransfer, type Party, type Transfer } from "./value-location.ts";

type Rows = CallSite["callee"];
/** A function with a body, as calls need it. */
export interface Callee extends Party, Rows {
  readonly name: string;
  /** Its first step; known when all functions have theirs. */
  entry: number;
}

/** One function called at one place. */
export interface Call extends CallSite {
  readonly callee: Callee;
  /** The step after the call. */
  readonly returnTo: number;
  readonly passIn: readonly Transfer[];
  readonly passBack: readonly Transfer[];
}

/** What a call instruction gives and takes. */
export interface Actuals {
  readonly caller: Party;
  readonly results: Operand | undefined;
  readonly args: Operand | undefined;
}

const itemsOf = (o: Operand | undefined): ArgumentList["items"] => (o?.kind === "list" ? o.items : []);

function transfers(
  { caller }: Actuals,
  callee: Callee,
  given: Operand | undefined,
  formals: readonly Variable[],
  way: "in" | "back",
): readonly Transfer[] {
  const items = itemsOf(given);
  const what = way === "in" ? "parameters" : "results";
  if (items.length !== formals.length)
    throw new Unsupported(`a call of ${callee.name} with ${items.length} ${what} instead of ${formals.length}`);
  return formals.flatMap((formal, i) => {
    const item = items[i];
    const actual = item && actualLocation(caller, item, formal.type);
    if (!actual) return [];
    const own = formalLocation(callee, formal);
    return [way === "in" ? makeTransfer(actual, own) : makeTransfer(own, actual)];
  });
}

export const makeCall = (a: Actuals, callee: Callee, returnTo: number): Call => ({
  callee,
  returnTo,
  passIn: transfers(a, callee, a.args, callee.fn.params, "in"),
  passBack: transfers(a, callee, a.results, callee.fn.returns, "back"),
});

const roundUp = (x: number, to: number): number => Math.ceil(x / to) * to;

/** The lanes of a split go into a function. */
export function enter(warp: Warp, split: Split, call: Call): void {
  const { mask } = split;
  const { stack } = warp;
  const { callee, passIn } = call;
  for (const t of passIn) t.take(warp, mask, stack.base);
  const inner = activate(split.activation, call, mask);
  copyRegisters(inner, warp.i32, mask, "save");
  let highest = 0;
  forEachLane(mask, (lane) => {
    inner.base[lane] = stack.base[lane] ?? 0;
    inner.top[lane] = stack.top[lane] ?? 0;
    const base = roundUp(stack.top[lane] ?? 0, callee.frame.align);
    stack.base[lane] = base;
    stack.top[lane] = base + callee.frame.bytes;
    highest = Math.max(highest, base + callee.frame.bytes);
  });
  if (highest + inner.savedBytes > stack.limit) stack.overflow(`${inner.depth} calls deep in ${callee.name}`);
  stack.reserve(highest);
  for (const t of passIn) t.put(warp, mask, inner.base, stack.base);
  split.activation = inner;
  split.pc = callee.entry;
}

/** Frames of the functions that lanes return from. */
const left = new Int32Array(lanes);

/** The lanes of a split return to whoever called them. */
export function giveBack(warp: Warp, split: Split): void {
  const { mask, activation } = split;
  const { outer } = activation;
  // `enter` alone makes activations with a call.
  const call = activation.call as Call | undefined;
  if (!call || !outer) throw new KernelFault("it returned to nobody");
  const { stack } = warp;
  if (call.callee.fn.directives.noreturn)
    throw new KernelFault(`it returned from ${call.callee.name}, which is declared never to return`);
  for (const t of call.passBack) t.take(warp, mask, stack.base);
  copyRegisters(activation, warp.i32, mask, "restore");
  left.set(stack.base);
  forEachLane(mask, (lane) => {
    stack.base[lane] = activation.base[lane] ?? 0;
    stack.top[lane] = activation.top[lane] ?? 0;
  });
  for (const t of call.passBack) t.put(warp, mask, left, stack.base);
  release(activation, mask);
  split.activation = outer;
  split.pc = call.returnTo;
}
