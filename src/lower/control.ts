import { endsThread, isAcc, isSigned, type Literal, type Op, type Region, type Value, yielded } from "../ir/index.ts";
import { type Imm, int, type Reg } from "../ptx/index.ts";
import {
  bind,
  bindAll,
  branch,
  type Context,
  classOf,
  emit,
  fresh,
  type Lowered,
  lowered,
  nextLabel,
  operand,
  placeLabel,
  type RuleOf,
  register,
  unless,
  when,
} from "./context.ts";
import { moveAll, slotFor } from "./moves.ts";
import { integerType } from "./ptx-types.ts";

/** Lowers a region up to its terminator and gives what that yields; undefined where it ends the thread. */
function lowerRegion(ctx: Context, region: Region): { readonly values: readonly Value[]; readonly go?: Value } | undefined {
  region.ops.forEach(ctx.lowerOp);
  if (endsThread(region)) return undefined;
  const last = region.ops.at(-1);
  const values = yielded(region);
  return last?.name === "condition" ? { values, go: (last as Op<"condition">).operands.go } : { values };
}

const loweredAll = (ctx: Context, values: readonly Value[]): readonly Lowered[] => values.map((v) => lowered(ctx, v));

function bindSlots(ctx: Context, values: readonly Value[]): readonly Lowered[] {
  const slots = values.map((v) => slotFor(ctx, v));
  bindAll(ctx, values, slots);
  return slots;
}

/** The results are the loop's own registers; an accumulator goes to its own where the two could not be shared. */
function bindResults(ctx: Context, results: readonly Value[], slots: readonly Lowered[]): void {
  const own = results.map((v, i) => (isAcc(v.type) ? slotFor(ctx, v) : slots[i]));
  moveAll(
    ctx,
    own.filter((l) => l !== undefined),
    slots,
  );
  bindAll(ctx, results, own);
}

function lowerIf(ctx: Context, op: Op<"if">): void {
  const [yes, no] = op.regions;
  if (!yes || !no) return;
  const slots = op.results.map((v) => slotFor(ctx, v));
  const arm = (region: Region): boolean => {
    const end = lowerRegion(ctx, region);
    if (end) moveAll(ctx, slots, loweredAll(ctx, end.values));
    return end !== undefined;
  };
  const known = ctx.literals.get(op.operands.condition.id);
  if (known !== undefined) arm(known ? yes : no);
  else {
    const name = nextLabel(ctx, "if");
    const empty = no.ops.length <= 1 && op.results.length === 0 && !endsThread(no);
    branch(ctx, empty ? `${name}_end` : `${name}_else`, unless(register(ctx, op.operands.condition)));
    const goesOn = arm(yes);
    if (!empty) {
      if (goesOn) branch(ctx, `${name}_end`);
      placeLabel(ctx, `${name}_else`);
      arm(no);
    }
    if (goesOn || empty) placeLabel(ctx, `${name}_end`);
  }
  bindAll(ctx, op.results, slots);
}

/** Trips of a loop whose bounds are literals: 0, 1, or 2 for more; undefined where they are not. */
function knownTrips(start: Literal | undefined, stop: Literal | undefined, step: Literal | undefined): 0 | 1 | 2 | undefined {
  if (start === undefined || stop === undefined || step === undefined) return undefined;
  const [from, to, by] = [BigInt(start), BigInt(stop), BigInt(step)];
  const inside = (i: bigint) => (by > 0n ? i < to : i > to);
  return !inside(from) ? 0 : inside(from + by) ? 2 : 1;
}

interface Range {
  readonly i: Reg;
  readonly stop: Reg | Imm;
  readonly step: Reg | Imm;
  readonly type: Value["type"];
}

/** Is i still inside the range? */
function insideRange(ctx: Context, { i, stop, step, type }: Range): Reg {
  const compare = (is: "lt" | "gt", a: Reg | Imm, b: Reg | Imm): Reg => {
    const p = fresh(ctx, "pred");
    emit(ctx, "setp", { is, type: integerType(type) }, [p, a, b]);
    return p;
  };
  if (!isSigned(type)) return compare("lt", i, stop);
  if (step.kind === "imm") return compare(step.type === "int" && step.value < 0n ? "gt" : "lt", i, stop);
  const [up, below, above, inside] = [
    compare("gt", step, int(0)),
    compare("lt", i, stop),
    compare("gt", i, stop),
    fresh(ctx, "pred"),
  ];
  // up ? below : above
  emit(ctx, "and", { type: "pred" }, [below, below, up]);
  emit(ctx, "not", { type: "pred" }, [up, up]);
  emit(ctx, "and", { type: "pred" }, [above, above, up]);
  emit(ctx, "or", { type: "pred" }, [inside, below, above]);
  return inside;
}

function lowerFor(ctx: Context, op: Op<"for">): void {
  const [body] = op.regions;
  const index = body?.params[0];
  if (!body || !index || isAcc(index.type)) return;
  const { start, stop, step, carried } = op.operands;
  const trips = knownTrips(...([start, stop, step].map((v) => ctx.literals.get(v.id)) as [Literal?, Literal?, Literal?]));
  const i = fresh(ctx, classOf(index.type));
  const range: Range = { i, stop: operand(ctx, stop), step: operand(ctx, step), type: index.type };
  const indexSlot: Lowered = { kind: "scalar", operand: i };
  const inits = loweredAll(ctx, carried);
  bind(ctx, index, indexSlot);
  const slots = bindSlots(ctx, body.params.slice(1));
  moveAll(ctx, [indexSlot, ...slots], [lowered(ctx, start), ...inits]);
  if (trips !== 0) {
    const name = nextLabel(ctx, "for");
    if (trips === undefined) branch(ctx, `${name}_end`, unless(insideRange(ctx, range)));
    if (trips !== 1) placeLabel(ctx, name);
    const end = lowerRegion(ctx, body);
    if (end) {
      moveAll(ctx, slots, loweredAll(ctx, end.values));
      if (trips !== 1) {
        emit(ctx, "add", { type: integerType(range.type) }, [i, i, range.step]);
        branch(ctx, name, when(insideRange(ctx, range)));
      }
    }
    if (trips === undefined) placeLabel(ctx, `${name}_end`);
  }
  bindResults(ctx, op.results, slots);
}

/** The test stands twice, before the loop and at its bottom, so that the way out of the loop is not the way past it. */
function lowerWhile(ctx: Context, op: Op<"while">): void {
  const [test, body] = op.regions;
  if (!test || !body) return;
  const inits = loweredAll(ctx, op.operands.carried);
  const testSlots = bindSlots(ctx, test.params);
  const bodySlots = body.params.map((v) => slotFor(ctx, v));
  const name = nextLabel(ctx, "while");
  const runTest = (): Reg | undefined => {
    const end = lowerRegion(ctx, test);
    if (!end?.go) return undefined;
    const go = register(ctx, end.go);
    moveAll(ctx, bodySlots, loweredAll(ctx, end.values));
    return go;
  };
  moveAll(ctx, testSlots, inits);
  const first = runTest();
  if (first === undefined) return;
  branch(ctx, `${name}_end`, unless(first));
  placeLabel(ctx, name);
  bindAll(ctx, body.params, bodySlots);
  const end = lowerRegion(ctx, body);
  if (end) {
    moveAll(ctx, testSlots, loweredAll(ctx, end.values));
    const again = runTest();
    if (again) branch(ctx, name, when(again));
  }
  placeLabel(ctx, `${name}_end`);
  bindResults(ctx, op.results, bodySlots);
}

/** What ends a region is read by what lowers the region. */
const terminator = (): void => {};

export const controlRules = {
  if: lowerIf,
  for: lowerFor,
  while: lowerWhile,
  yield: terminator,
  condition: terminator,
  exit: (ctx: Context) => emit(ctx, "exit", {}, []),
} satisfies { [K in "if" | "for" | "while" | "yield" | "condition" | "exit"]: RuleOf<K> };
