/** As much of a text, or of a list, as a sentence can hold. */
const longest = 40;
const most = 8;

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

function named(value: object): string {
  if ("dtype" in value && "shape" in value) return "a tensor";
  const name: unknown = value.constructor?.name;
  if (typeof name !== "string" || name === "" || name === "Object") return "an object";
  return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;
}

function displayed(value: unknown, inside: boolean): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(cut(value));
    case "bigint":
      return `${cut(String(value))}n`;
    case "function":
      return typeof value.name === "string" && value.name ? `the function ${value.name}` : "a function";
    case "object": {
      if (value === null) return "null";
      if (!Array.isArray(value)) return named(value);
      if (inside || value.length > most) return `an array of ${value.length}`;
      return `[${value.map((element) => displayed(element, true)).join(", ")}]`;
    }
    default:
      return Object.is(value, -0) ? "-0" : String(value);
  }
}

/** A value in an error, whatever it is: "3", "\"f33\"", "[0, 3, 2]", "a Map". Never throws, and is never long. */
export function display(value: unknown): string {
  try {
    return displayed(value, false);
  } catch {
    return "an object that cannot be looked at";
  }
}

/** Whether JavaScript makes text of it when a message asks: neither a symbol nor an object without a way to do so. */
function isSayable(value: unknown): boolean {
  if (typeof value === "symbol") return false;
  if (Array.isArray(value)) return value.every(isSayable);
  return typeof value !== "object" || value === null || typeof value.toString === "function";
}

/** What a message is told, with text in place of what it could not say: whoever reports a wrong value must not fail at it. */
export function sayable<A>(args: A): A {
  if (typeof args !== "object" || args === null) return args;
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (isSayable(value)) made[name] = value;
    else
      made[name] = Array.isArray(value)
        ? value.map((element) => (isSayable(element) ? element : display(element)))
        : display(value);
  }
  return made as A;
}

/** Whether a function is a class, which cannot be called: a value of the author's in the place of a function. */
export const isClass = (value: unknown): boolean =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
