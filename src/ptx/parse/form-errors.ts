import { editDistance, nearest, type Spans } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import { readForm } from "../isa/read/index.ts";
import { type Cursor, spansAt } from "./cursor.ts";
import { assign, type Candidate, formsOf, type Misfit, mnemonics, type OperandSlot } from "./match-form.ts";

/** Every value that a slot of the mnemonic's forms can have. */
const closest = (part: string, values: readonly string[]): string | undefined =>
  values.filter((v) => v !== "").sort((a, b) => editDistance(part, a) - editDistance(part, b))[0];

interface Suggestion {
  readonly text: string;
  readonly why: string;
  readonly cost: number;
}

/** The opcode as that form would have it: what it does not know is replaced or dropped, what it lacks is added. */
function suggestion(name: Parameters<typeof readForm>[0], parts: readonly string[]): Suggestion {
  const form = readForm(name);
  const { modifiers, left, missing } = assign(form, parts);
  const filled: Record<string, string | undefined> = { ...modifiers };
  let cost = 0;
  for (const part of left) {
    const free = Object.entries(form.modifiers ?? {}).filter(([slot]) => filled[slot] === undefined);
    const value = closest(
      part,
      free.flatMap(([, values]) => values),
    );
    const slot = free.find(([, values]) => value !== undefined && values.includes(value))?.[0];
    const distance = value === undefined ? part.length : editDistance(part, value);
    cost += 1 + Math.min(distance, part.length) / Math.max(part.length, 1);
    if (slot !== undefined && distance <= Math.max(2, part.length / 2)) filled[slot] = value;
  }
  for (const [slot, values] of Object.entries(form.modifiers ?? {})) {
    if (filled[slot] !== undefined || values.includes("")) continue;
    filled[slot] = values[0];
    cost += 1;
  }
  cost += missing.filter((part) => !(part in (form.modifiers ?? {}))).length * 1.5;
  const spelled = [form.text, ...Object.values(filled).filter((v) => v !== undefined)].join(".");
  const first = left[0];
  const absent = missing[0];
  const values = absent === undefined ? undefined : form.modifiers?.[absent];
  const why =
    first !== undefined
      ? `.${first} does not belong to ${form.text}`
      : `it lacks ${values ? `one of ${list(values)}` : `.${absent ?? ""}`}`;
  return { text: spelled, why, cost };
}

const most = 6;
const list = (values: readonly string[]): string =>
  values
    .slice(0, most)
    .map((v) => `.${v}`)
    .join(" ") + (values.length > most ? " …" : "");

/** The table has no form of that opcode. */
export function failUnknownOpcode(text: string, place: Spans): never {
  const parts = text.split(".");
  const mnemonic = parts[0] ?? "";
  const known = formsOf(mnemonic).length > 0 ? mnemonic : nearest(mnemonic, mnemonics);
  const suggestions = (known === undefined ? [] : formsOf(known)).map((name) =>
    suggestion(name, [known ?? "", ...parts.slice(1)]),
  );
  const best = suggestions.sort((a, b) => a.cost - b.cost)[0];
  const why = known !== mnemonic || !best ? `there is no instruction ${mnemonic}` : best.why;
  return fail("W9801", { opcode: text, why, nearest: best?.text }, place);
}

const words: Readonly<Record<OperandSlot["kind"], string>> = {
  d: "d",
  s: "a",
  v: "{d, …}",
  w: "{a, …}",
  vec: "{a, …}",
  vec2: "{a, …}|p",
  p: "p",
  dp: "p",
  dp2: "p|q",
  d2: "d|p",
  pair: "d|p",
  addr: "[a]",
  tensor: "[map, {c, …}]",
  label: "label",
  list: "(a, …)",
  imm: "number",
};
const spelledSlots = (slots: readonly OperandSlot[]): string =>
  slots
    .filter((slot) => slot.presence !== "absent")
    .map((slot) => (slot.presence === "may" ? `{${words[slot.kind]}}` : words[slot.kind]))
    .join(", ");

const kindNames: Readonly<Record<OperandSlot["kind"], string>> = {
  d: "a register",
  s: "a register or a number",
  v: "a register or { }",
  w: "a register, a number or { }",
  vec: "{ }",
  vec2: "{ } or { }|p",
  p: "a predicate",
  dp: "a predicate",
  dp2: "a predicate or p|q",
  d2: "a register or d|p",
  pair: "d|p",
  addr: "an address in [ ]",
  tensor: "[map, {coordinates}]",
  label: "a label",
  list: "( )",
  imm: "an integer",
};

/** The opcode is known, the operands are not its. `places`: the token where each operand begins. */
export function failOperands(c: Cursor, candidate: Candidate, misfit: Misfit, at: number, places: readonly number[]): never {
  const opcode = candidate.opcode.text;
  const place = spansAt(c, places[misfit.at] ?? at);
  if (misfit.why === "type") {
    return fail("W9806", { opcode, register: misfit.register, type: misfit.type, wanted: misfit.wanted }, place);
  }
  const count = candidate.slots.filter((slot) => slot.presence === "must").length;
  const problem =
    misfit.why === "kind"
      ? `operand ${misfit.at + 1} is not ${kindNames[misfit.slot.kind]}`
      : `it takes ${count} operand${count === 1 ? "" : "s"}, and ${places.length} ${places.length === 1 ? "is" : "are"} given`;
  return fail("W9802", { opcode, problem, expected: spelledSlots(candidate.slots) }, place);
}
