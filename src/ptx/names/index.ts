/** Names of C++ in PTX. */
export { cppName, findNamed, shortened, shortName } from "./cpp-name.ts";
export { type CppName, demangle } from "./demangle.ts";
