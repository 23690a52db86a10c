/** What a head of a counting loop says, in the language's words. */
export interface RangeText {
  readonly variable: string;
  /** What `range` and `staticRange` take: `1, n, 2`. */
  readonly bounds: string;
}

const head =
  /^for\s*\(\s*let\s+([\w$]+)\s*(?::\s*\w+\s*)?=\s*([^;]+?)\s*;\s*([\w$]+)\s*(<=?|>=?)\s*([^;]+?)\s*;\s*([^;]+?)\s*\)$/;
const update = /^(?:([\w$]+)\s*(\+\+|--)|(\+\+|--)\s*([\w$]+)|([\w$]+)\s*([+-])=\s*(.+))$/;
const atom = /^[\w$.]+(?:\[\w+\])?$/;

/** The text with all that stands in brackets left out. */
function outside(text: string): string {
  const inner = /[([{][^()[\]{}]*[)\]}]/g;
  let rest = text;
  for (let next = rest.replace(inner, ""); next !== rest; next = rest.replace(inner, "")) rest = next;
  return rest;
}

/** Is it one expression that binds no weaker than `+`, without the variable? */
const isBound = (text: string, variable: string): boolean =>
  !/[,?<>=&|^]/.test(outside(text)) && !text.split(/[^\w$]+/).includes(variable);

/** One more, or one less. */
function beside(text: string, by: 1 | -1): string {
  if (/^-?\d+$/.test(text)) return String(Number(text) + by);
  return `${text} ${by > 0 ? "+" : "-"} 1`;
}

const negative = (text: string): string =>
  /^-[\w$.]+$/.test(text) ? text.slice(1) : atom.test(text) ? `-${text}` : `-(${text})`;

/** The step that the update takes, as text. */
function stepOf(text: string, variable: string): string | undefined {
  const [, a, after, before, b, c, sign, by] = update.exec(text) ?? [];
  if ((a ?? b ?? c) !== variable) return undefined;
  const counts = after ?? before;
  if (counts) return counts === "++" ? "1" : "-1";
  if (by === undefined || !isBound(by, variable)) return undefined;
  return sign === "+" ? by : negative(by);
}

/** `for (let k = 0; k < n; k++)` as `range` says it; undefined where the head is no such one. */
export function rangeText(text: string): RangeText | undefined {
  const [, variable = "", start = "", compared, symbol = "", limit = "", changes = ""] = head.exec(text) ?? [];
  const step = compared === variable ? stepOf(changes, variable) : undefined;
  if (variable === "" || step === undefined || !isBound(start, variable) || !isBound(limit, variable)) return undefined;
  const up = symbol.startsWith("<");
  if (/^-?\d/.test(step) && step.startsWith("-") === up) return undefined;
  const stop = symbol.endsWith("=") ? beside(limit, up ? 1 : -1) : limit;
  if (step !== "1") return { variable, bounds: `${start}, ${stop}, ${step}` };
  return { variable, bounds: start === "0" ? stop : `${start}, ${stop}` };
}
