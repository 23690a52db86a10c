import { display } from "../../base/diag/index.ts";
import { fail } from "./errors.ts";

/** Words of TypeScript, C++ and Python, and names that launchers need themselves. */
const reserved = new Set(
  (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const constexpr const_cast continue decltype default delete do double " +
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public " +
    "register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using " +
    "virtual void volatile wchar_t while xor xor_eq " +
    "False None True as assert async await def del elif except finally from global import in is lambda nonlocal pass raise with yield " +
    "arguments debugger eval function implements instanceof interface let null package super typeof undefined var " +
    "self load launch stream grid overlap_previous manifest how detail run std"
  ).split(" "),
);
/** What launchers call themselves, and what lies in their files. */
const own = new Set("kernels built loadBuilt Kernels Tensor Launch Error DType BuildError".split(" "));

/** Why a word cannot be a name in all three languages, as a clause. */
function problem(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return "that is no name in every language";
  if (name.includes("__")) return "C++ keeps names with two underscores for itself";
  return reserved.has(name) ? "that is a word of a language, or of the launchers" : undefined;
}

/** Of a kernel. W7724. */
export function checkName(what: string, name: string): void {
  const why = problem(name) ?? (own.has(name) ? "launchers have that name themselves" : undefined);
  if (why !== undefined) fail("W7724", { what, name, why });
}

/** Of a build. W7724. */
export function checkBuildName(name: unknown): void {
  const why = typeof name === "string" ? problem(name) : "a name is a text";
  if (why !== undefined) fail("W7724", { what: "A build", name: typeof name === "string" ? name : display(name), why });
}

/** What a path into an argument ends with, `weight` of `more.weight`, where no other parameter is called that; else the path. */
function shortNames(given: readonly string[]): readonly string[] {
  const last = given.map((name) => /(?<=\.)[A-Za-z]\w*$/.exec(name)?.[0] ?? name);
  return given.map((name, i) => (last.filter((other) => other === last[i]).length > 1 ? name : (last[i] ?? name)));
}

/** Names of parameters that launchers can have: the author's, as far as they can. */
export function parameterNames(given: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return shortNames(given).map((name) => {
    const plain = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
    const begun = /^[A-Za-z]/.test(plain) ? plain : `p_${plain}`.replace(/_$/, "");
    const base = reserved.has(begun) ? `${begun}_` : begun;
    let free = base;
    for (let i = 2; taken.has(free); i++) free = `${base}_${i}`.replace(/__/g, "_");
    taken.add(free);
    return free;
  });
}
