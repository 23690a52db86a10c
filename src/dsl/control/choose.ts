import { isTruth as isTruthValue, truth } from "../numbers/compare.ts";
import { elementwise } from "../numbers/elementwise.ts";
import { selectValue } from "../numbers/select.ts";
import { Mixed } from "../numbers/unusable.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";
import { joinSides, type Traced, traceSide, type Variables } from "./branch.ts";
import { failUnlike } from "./joint.ts";
import { emitInto, isHarmless } from "./region.ts";

/** One side of a conditional expression: its value, and its truth where the two sides cannot be one value. */
interface Arm {
  readonly value: unknown;
}

function mixedValue(
  trace: Trace,
  yes: Traced<Arm>,
  no: Traced<Arm>,
  flat: boolean,
  merge: (a: unknown, b: unknown) => unknown,
): Mixed {
  const side = (arm: Traced<Arm>): StagedScalar | boolean =>
    flat ? truth(arm.result.value) : emitInto(trace, arm.region, () => truth(arm.result.value));
  const [a, b] = [side(yes), side(no)];
  return new Mixed(merge(a, b) as boolean | StagedScalar, () => {
    for (const { result } of [yes, no]) if (result.value instanceof Mixed) result.value.refuse();
    return failUnlike({ what: "this expression", spans: [] }, yes.result.value, no.result.value);
  });
}

/** `condition ? yes : no` with a staged condition: where both sides can neither fault nor act, both are computed. */
export function choose(trace: Trace, condition: StagedScalar, yes: () => unknown, no: () => unknown, vars: Variables): unknown {
  const first = traceSide(trace, vars, (keep): Arm => ({ value: keep(yes()) }));
  const second = traceSide(trace, vars, (keep): Arm => ({ value: keep(no()) }));
  const flat =
    isHarmless(first.region) && isHarmless(second.region) && !holdsOther(first.result.value) && !holdsOther(second.result.value);
  const joint = joinSides(trace, condition, first, second, vars, flat);
  const what = { what: "this expression", spans: [] };
  const value = joint.merge(first.result.value, second.result.value, {
    ...what,
    otherwise: () => mixedValue(trace, first, second, flat, (a, b) => joint.merge(a, b, what)),
  });
  joint.close();
  return value;
}

/** Is it a value of the GPU that `select` cannot choose, such as an accumulator? */
const holdsOther = (x: unknown): boolean => typeof x === "object" && x !== null && !isStagedScalar(x) && !(x instanceof Mixed);

/** What `a && b` or `a || b` gives where `a` decides. */
const decidedBy = (a: unknown, truth: boolean): unknown => (isTruthValue(a) ? truth : a);

/** `a && b` and `a || b` as JavaScript has them. */
export function shortCircuit(trace: Trace, op: "&&" | "||", a: unknown, b: () => unknown, vars: Variables): unknown {
  if (isStagedTile(a))
    return elementwise([a, b()], `\`${op}\``, ([x, y]) =>
      op === "&&" ? selectValue(x, y, decidedBy(x, false)) : selectValue(x, decidedBy(x, true), y),
    );
  const asked = truth(a);
  if (typeof asked === "boolean") return asked === (op === "&&") ? b() : a;
  const isTruth = a instanceof Mixed || (isStagedScalar(a) && a.type === "pred");
  // Where the left side decides, its value is known if it is a truth value.
  const decided = isTruth ? op === "||" : a;
  return op === "&&" ? choose(trace, asked, b, () => decided, vars) : choose(trace, asked, () => decided, b, vars);
}
