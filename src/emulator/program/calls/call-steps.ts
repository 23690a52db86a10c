/** Steps for `call`, `ret` in a function, and `brx.idx` (PTX ISA 9.7.12). */
import type { FunctionRef, Instruction, LabelRef, Operand, PtxFunction } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { forEachLane, lowestLane } from "../../machine/lanes.ts";
import { partOf, type Split, type Warp } from "../../machine/warp.ts";
import type { Builtin } from "../builtins/index.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { guardMask, type Operating, readLong, readWord } from "../operands.ts";
import type { JumpStep } from "../step.ts";
import { type Actuals, type Call, type Callee, enter, giveBack, makeCall } from "./call.ts";
import { actualLocation, type Party, readLocation, type ValueLocation, writeLocation } from "./value-location.ts";

/** The functions of a program: those that run as steps, and those that the device has built in. */
export interface Functions {
  /** W9005 where nobody has that function. */
  named(name: string): Callee | BuiltinFunction;
  /** By what a pointer to it holds; there is none to what is built in. */
  at(address: number): Callee | undefined;
}
export interface BuiltinFunction {
  readonly fn: PtxFunction;
  readonly builtin: Builtin;
}
const isBuiltin = (f: Callee | BuiltinFunction): f is BuiltinFunction => "builtin" in f;

/** What a step of a body needs to know besides its operands. */
export interface Calling {
  readonly operating: Operating;
  readonly party: Party;
  readonly functions: Functions;
  /** The step of a label, once all are made. */
  readonly stepAt: (instruction: number) => number;
}

/** Goes on elsewhere with all lanes of the split, or does what a builtin does and goes on behind it. Whether others can notice. */
type Target = (warp: Warp, split: Split) => boolean;

/** Each lane goes where its key says; lanes with one key go together. */
function dispatch(warp: Warp, split: Split, keyOf: (lane: number) => number, go: (key: number, part: Split) => boolean): boolean {
  let effect = false;
  for (let rest = split.mask; rest !== 0; ) {
    const key = keyOf(lowestLane(rest));
    let same = 0;
    forEachLane(rest, (lane) => {
      if (keyOf(lane) === key) same |= 1 << lane;
    });
    rest &= ~same;
    if (go(key, partOf(warp, split, same))) effect = true;
  }
  return effect;
}

function builtinTarget({ fn, builtin }: BuiltinFunction, a: Actuals): Target {
  const items = (o: Operand | undefined) => (o?.kind === "list" ? o.items : []);
  const place = (o: Operand | undefined, formals: PtxFunction["params"]): readonly (ValueLocation | undefined)[] =>
    items(o).map((item, i) => actualLocation(a.caller, item, formals[i]?.type ?? "b64"));
  const [args, results] = [place(a.args, fn.params), place(a.results, fn.returns)];
  if (args.length !== builtin.params.length || results.length > 1) throw new Unsupported(`this way to call ${fn.name}`);
  const [result] = results;
  return (warp, split) => {
    const { base } = warp.stack;
    forEachLane(split.mask, (lane) => {
      const at = base[lane] ?? 0;
      const values = args.map((arg) => {
        const [low, high] = arg ? readLocation(warp, lane, arg, at) : [0, 0];
        return high * 2 ** 32 + (low >>> 0);
      });
      const value = builtin.run(warp, lane, values);
      if (result) writeLocation(warp, lane, result, at, (value % 2 ** 32) | 0, Math.floor(value / 2 ** 32));
    });
    split.pc += 1;
    return true;
  };
}

function calleeTarget(callee: Callee, a: Actuals, returnTo: number): Target {
  const call: Call = makeCall(a, callee, returnTo);
  return (warp, split) => {
    enter(warp, split, call);
    return false;
  };
}

function directCall(c: Calling, i: Instruction, callee: FunctionRef, actuals: Actuals): JumpStep {
  const found = c.functions.named(callee.name);
  // Where the call stands among the steps is known when it runs; what does not fit is told when the module is loaded.
  let known = isBuiltin(found) ? builtinTarget(found, actuals) : undefined;
  if (!isBuiltin(found)) makeCall(actuals, found, 0);
  const run: JumpStep["run"] = (warp, split) => {
    if (!known && !isBuiltin(found)) known = calleeTarget(found, actuals, split.pc + 1);
    return known?.(warp, split) ?? false;
  };
  return { kind: "jump", instruction: i, guard: guardMask(c.operating, i), run };
}

function indirectCall(
  c: Calling,
  i: Instruction,
  pointer: Operand | undefined,
  list: LabelRef | undefined,
  a: Actuals,
): JumpStep {
  const read = readLong(c.operating, pointer);
  const listed = list?.label.kind === "calltargets" ? list.label.functions.map((f) => c.functions.named(f.name)) : undefined;
  const known = new Map<number, Target>();
  const find = (address: number, returnTo: number): Target => {
    const found = c.functions.at(address);
    if (!found) throw new KernelFault(`it called the function at 0x${address.toString(16)}, where there is none`);
    if (listed && !listed.includes(found)) throw new KernelFault(`it called ${found.fn.name}, which the call does not list`);
    try {
      return calleeTarget(found, a, returnTo);
    } catch (error) {
      throw error instanceof Unsupported ? new KernelFault(`it made ${error.message}`) : error;
    }
  };
  const run: JumpStep["run"] = (warp, split) => {
    const returnTo = split.pc + 1;
    return dispatch(
      warp,
      split,
      (lane) => read(warp, lane),
      (address, part) => {
        const go = known.get(address) ?? find(address, returnTo);
        known.set(address, go);
        return go(warp, part);
      },
    );
  };
  return { kind: "jump", instruction: i, guard: guardMask(c.operating, i), run };
}

export function callStep(c: Calling, i: Instruction): JumpStep {
  const [results, callee, args, list] = i.operands;
  const actuals: Actuals = { caller: c.party, results, args };
  if (callee?.kind === "function") return directCall(c, i, callee, actuals);
  return indirectCall(c, i, callee, list?.kind === "label" ? list : undefined, actuals);
}

export const returnStep = (c: Calling, i: Instruction): JumpStep => ({
  kind: "jump",
  instruction: i,
  guard: guardMask(c.operating, i),
  run: (warp, split) => {
    giveBack(warp, split);
    return false;
  },
});

/** `brx.idx`: to one of the labels of a list. */
export function tableStep(c: Calling, i: Instruction): JumpStep {
  const [index, table] = i.operands;
  if (table?.kind !== "label" || table.label.kind !== "branchtargets") throw new Unsupported("a branch without its targets");
  const targets = table.label.targets.map(({ label }) => {
    if (label.kind !== "label") throw new Unsupported("a branch to something that is no place");
    return label.target;
  });
  const read = readWord(c.operating, index);
  const run: JumpStep["run"] = (warp, split) =>
    dispatch(
      warp,
      split,
      (lane) => read(warp, lane) >>> 0,
      (key, part) => {
        const to = targets[key];
        if (to === undefined) throw new KernelFault(`it branched to target ${key} of ${targets.length}, counted from 0`);
        part.pc = c.stepAt(to);
        return false;
      },
    );
  return { kind: "jump", instruction: i, guard: guardMask(c.operating, i), run };
}
