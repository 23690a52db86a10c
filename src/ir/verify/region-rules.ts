import { type Channel, channelsOf, decidingRegion, endsThread, firstIndex, yielded } from "../flow.ts";
import type { Op, Region, Value } from "../graph.ts";
import { opSpec } from "../ops/index.ts";
import { isAcc, sameType, type Type, typeName } from "../types.ts";
import { breaks } from "./invariant-error.ts";

const types = (values: readonly Value[]): readonly Type[] => values.map((v) => v.type);
const listed = (list: readonly Type[]): string => `(${list.map(typeName).join(", ")})`;

function match(op: Op, what: string, found: readonly Type[], wanted: readonly Type[]): void {
  const same = found.length === wanted.length && found.every((t, i) => sameType(t, wanted[i] ?? "pred"));
  if (!same) breaks(op, `has ${what} ${listed(found)}, not ${listed(wanted)}`);
}

/** The terminator of a region: `exit`, or the one that belongs there with values of those types. */
function endsIn(region: Region, name: "yield" | "condition", wanted: readonly Type[]): void {
  const last = region.ops.at(-1);
  if (last === undefined || endsThread(region)) return;
  if (last.name !== name) breaks(last, `ends a region that ends in '${name}' or 'exit'`);
  match(last, "values", types(yielded(region)), wanted);
}

const isTerminator = ({ name }: Op): boolean => opSpec(name).terminator !== undefined;

function checkTerminators(region: Region, owner: Op | undefined): void {
  const last = region.ops.at(-1);
  if (last === undefined || !isTerminator(last)) breaks(last ?? owner, "has a region without a terminator at its end");
  const early = region.ops.find(isTerminator);
  if (early !== last) breaks(early, "stands before the end of its region");
}

function checkParams(op: Op, region: Region, wanted: readonly Type[]): void {
  const at = op.regions.indexOf(region);
  const counted = at === 0 ? firstIndex(op) : undefined;
  const all = counted ? [counted.type, ...wanted] : wanted;
  match(op, `a region '${opSpec(op.name).regions?.[at]}' with parameters`, types(region.params), all);
}

/** What goes along a channel has the types that the op carries in, or, where it carries nothing in, that the first receiver has. */
function checkChannel(op: Op, { senders, receivers }: Channel): void {
  const first = senders.find(({ region }) => region === undefined) ?? receivers[0];
  const wanted = types(first?.values ?? []);
  for (const { region, values } of receivers) {
    if (region) checkParams(op, region, wanted);
    else match(op, "results", types(values), wanted);
  }
  for (const { region } of senders) if (region) endsIn(region, region === decidingRegion(op) ? "condition" : "yield", wanted);
}

/** A region that the op applies. */
function checkFunction(op: Op): void {
  const { body } = opSpec(op.name);
  const [region] = op.regions;
  if (!body || !region) return;
  const { takes, gives } = body(op);
  checkParams(op, region, takes);
  if (endsThread(region)) breaks(op, "has a region that ends the thread");
  endsIn(region, "yield", gives);
}

/** The regions of one op: how many, what comes in, what goes out. */
export function checkRegions(op: Op): void {
  const count = opSpec(op.name).regions?.length ?? 0;
  if (op.regions.length !== count) breaks(op, `has ${count} regions, not ${op.regions.length}`);
  if (count === 0) return;
  for (const region of op.regions) checkTerminators(region, op);
  for (const channel of channelsOf(op)) checkChannel(op, channel);
  checkFunction(op);
}

/** The kernel's own body: it gives nothing. */
export function checkBody(region: Region): void {
  checkTerminators(region, undefined);
  endsIn(region, "yield", []);
  for (const param of region.params) if (isAcc(param.type)) breaks(undefined, "an accumulator cannot be a parameter of a kernel");
}
