/** Which functions a kernel may come to. */
import type { Operand, PtxFunction } from "../../../ptx/parse/index.ts";
import type { Image } from "../image.ts";

function functionsIn(o: Operand | undefined, found: string[]): void {
  if (o?.kind === "function") found.push(o.name);
  else if (o?.kind === "vector" || o?.kind === "list") for (const item of o.items) functionsIn(item, found);
  else if (o?.kind === "label" && o.label.kind === "calltargets") for (const f of o.label.functions) found.push(f.name);
}

/** What an instruction of the function names: callees, and functions whose addresses it takes. */
function namesIn(fn: PtxFunction): readonly string[] {
  const found: string[] = [];
  for (const i of fn.body?.instructions ?? []) for (const o of i.operands) functionsIn(o, found);
  return found;
}

const callsPointers = (fn: PtxFunction): boolean =>
  fn.body?.instructions.some((i) => i.opcode.form === "call" && i.operands[1]?.kind !== "function") ?? false;

/** Functions in the first values of variables, and those whose addresses any function takes. */
function pointedAt({ tree }: Image): readonly string[] {
  const variables = [...tree.variables, ...tree.functions.flatMap((f) => f.body?.variables ?? [])];
  const initial = variables.flatMap((v) => v.initial ?? []).flatMap((value) => (value.kind === "address" ? [value.name] : []));
  const taken = tree.functions.flatMap((f) =>
    (f.body?.instructions ?? []).flatMap((i) =>
      i.opcode.form === "call" ? [] : i.operands.flatMap((o) => (o?.kind === "function" ? [o.name] : [])),
    ),
  );
  return [...initial, ...taken];
}

/**
 * The kernel, and every function that it may call: by name, or, where anything calls through a pointer, every function of the module
 * that a pointer can lead to, since another kernel may have stored it. Declarations are among them.
 */
export function reachable(image: Image, kernel: PtxFunction): readonly PtxFunction[] {
  const found = new Set([kernel]);
  const add = (names: readonly string[]): void => {
    for (const name of names) {
      const fn = image.functionNamed(name);
      if (fn) found.add(fn);
    }
  };
  let pointers = false;
  // The set grows while it is walked.
  for (const fn of found) {
    add(namesIn(fn));
    if (pointers || !callsPointers(fn)) continue;
    pointers = true;
    add(pointedAt(image));
  }
  return [...found];
}
