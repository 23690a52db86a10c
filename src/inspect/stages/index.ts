/** What a kernel is after each pass, for people: lines with the places of the author, differences, a page. */
export { diffLines } from "./diff-lines.ts";
export { type GraphLine, printGraphWithPlaces } from "./graph-lines.ts";
export { stagesPage } from "./page.ts";
export { printDiff } from "./print-stages.ts";
export type { StageSeen } from "./types.ts";
export { watchCompilation } from "./watch.ts";
