import { type CppName, demangle } from "./demangle.ts";

const names = new WeakMap<object, CppName>();

/** The C++ name of something that has a name in PTX. */
export function cppName(item: { readonly name: string }): CppName {
  const known = names.get(item) ?? demangle(item.name);
  names.set(item, known);
  return known;
}

/** Without the arguments of templates: `ns::scale`. */
function bare(name: string): string {
  let depth = 0;
  let text = "";
  for (const c of name) {
    if (c === "<") depth += 1;
    if (depth === 0) text += c;
    if (c === ">") depth -= 1;
  }
  return text;
}

/** Without what it belongs to: `scale<float>`. */
function last(name: string): string {
  let [depth, from] = [0, 0];
  for (let i = 0; i < name.length; i++) {
    if ("<({".includes(name[i] ?? "")) depth += 1;
    if (">)}".includes(name[i] ?? "")) depth -= 1;
    if (depth === 0 && name.startsWith("::", i)) from = i + 2;
  }
  return name.slice(from);
}

const packed = (text: string): string => text.replace(/^void /, "").replaceAll(" ", "");

/** From the most to the least that a name can say: of a kernel `_ZN2ns5scaleIfEEvPT_i`. */
const spellings: readonly ((item: { readonly name: string }) => string)[] = [
  (item) => item.name,
  (item) => cppName(item).text,
  (item) => cppName(item).name,
  (item) => cppName(item).text.replace(cppName(item).name, last),
  (item) => last(cppName(item).name),
  (item) => bare(cppName(item).name),
  (item) => bare(last(cppName(item).name)),
];

/**
 * What is meant by a name: as PTX has it, or as C++ has it, with or without parameters, arguments of templates and namespaces. Several
 * where it does not say enough, none where nothing is called so.
 */
export function findNamed<T extends { readonly name: string }>(items: readonly T[], wanted: string): readonly T[] {
  const like = packed(wanted);
  for (const spell of spellings) {
    const found = items.filter((item) => packed(spell(item)) === like);
    if (found.length > 0) return found;
  }
  return [];
}

/** As much of a name as a sentence can hold. */
const longest = 80;

/** A text that is too long without its middle. */
export function shortened(text: string, most: number = longest): string {
  if (text.length <= most) return text;
  const half = (most - 1) / 2;
  return `${text.slice(0, Math.ceil(half))}…${text.slice(text.length - Math.floor(half))}`;
}

/** What messages call a function of PTX: as C++ has it, without its parameters, and never long. */
export const shortName = (mangled: string): string => shortened(demangle(mangled).name);
