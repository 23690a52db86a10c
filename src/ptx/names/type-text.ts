/** Types as C++ writes them. */

/** A type as C++ writes it around a name: `void (*` and `)(int)`. */
export interface TypeText {
  readonly left: string;
  readonly right: string;
}

/** One that stands before a name. */
export const plain = (left: string): TypeText => ({ left, right: "" });
export const spelled = ({ left, right }: TypeText): string => left + right;

/** Several, those that are empty left out. */
export const joined = (types: readonly TypeText[]): string =>
  types
    .map(spelled)
    .filter((text) => text !== "")
    .join(", ");

/** Arguments of a template. */
export const bracketed = (args: readonly TypeText[]): string => {
  const text = joined(args);
  return `<${text}${text.endsWith(">") ? " " : ""}>`;
};

const qualifierNames: Readonly<Record<string, string>> = { K: " const", V: " volatile", r: " __restrict" };
/** Text with qualifiers behind it, as letters of a mangled name. */
export const qualified = (text: string, letters: string): string =>
  text +
  [...letters]
    .map((letter) => qualifierNames[letter] ?? "")
    .reverse()
    .join("");

/** A type with qualifiers: those of a function stand behind its parameters. */
export const qualifiedType = ({ left, right }: TypeText, letters: string): TypeText =>
  right.startsWith("(") ? { left, right: qualified(right, letters) } : { left: qualified(left, letters), right };

/** `*`, `&`, `&&` of a type: inside of brackets where it is a function or an array. */
export function pointerTo({ left, right }: TypeText, sign: string): TypeText {
  const inside = right.startsWith("(") || right.startsWith(" [");
  if (inside) return { left: `${left.trimEnd()} (${sign}`, right: `)${right}` };
  // A reference to a reference is the weaker one.
  if (sign.startsWith("&") && left.endsWith("&")) return { left: sign === "&" ? left.replace(/&+$/, "&") : left, right };
  return { left: left + sign, right };
}

/** Parameters of a function; `void` alone is none. */
export const joinedParameters = (types: readonly TypeText[]): string =>
  types.length === 1 && types[0]?.left === "void" && types[0].right === "" ? "" : joined(types);

export const functionOf = (result: TypeText, parameters: readonly TypeText[], reference: string): TypeText => ({
  left: `${result.left} `,
  right: `(${joinedParameters(parameters)})${reference}${result.right}`,
});

export const arrayOf = ({ left, right }: TypeText, extent: string): TypeText => ({
  left,
  right: ` [${extent}]${right.trimStart()}`,
});

/** A pointer to a member of a class. */
export const memberOf = ({ left, right }: TypeText, of: string): TypeText =>
  right.startsWith("(") ? { left: `${left.trimEnd()} (${of}::*`, right: `)${right}` } : { left: `${left} ${of}::*`, right };
