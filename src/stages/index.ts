export { printGraphWithPlaces } from "./graph-lines.ts";
export { watchCompilation } from "./watch.ts";
