/** Names of C++ in PTX. */
export { type CppName, demangle } from "./demangle.ts";
export { cppName, findNamed } from "./find-named.ts";
export { shortened, shortName } from "./short-name.ts";
