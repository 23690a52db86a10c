/**
 * Which sixth of the exhaustive tests a run takes: that of the commit, and of each file those in which it has failed lately.
 * vitest.config.ts chooses and says so by two variables; without them a run takes the first sixth.
 */

/** In how many parts the exhaustive tests are taken. */
export const turns = 6;

/** The sixths in which a file has failed lately, by its path from the project's root. */
export type Failed = Readonly<Record<string, readonly number[]>>;

/** Which sixth a text means. */
export function readTurn(text: string): number {
  const turn = Number(text);
  if (text.trim() === "" || !Number.isInteger(turn) || turn < 0 || turn >= turns)
    throw new Error(`ROTATION=${text}: it is one of 0 to ${turns - 1}`);
  return turn;
}

const chosen = readTurn(process.env.ROTATION || "0");
const failed = JSON.parse(process.env.ROTATIONS_FAILED ?? "{}") as Failed;

let file = "";
let rotates = false;
/** Said before each test file is loaded. */
export function fileIs(path: string): void {
  file = path;
  rotates = false;
}

/** Said before each test runs: whether it is one of those that rotate. */
export function testIs(rotating: boolean): void {
  rotates = rotating;
}

/** Whether the sixth is chosen by tests where a list is asked for now: in a file of exhaustive tests, and while a test runs that rotates. A list that rotated there, too, would leave out what no sixth asks. */
export const testsRotate = (): boolean => rotates || file.endsWith(".long.test.ts");

/** The sixths that the current file takes: the run's own comes first. */
export const rotations = (): readonly number[] => [...new Set([chosen, ...(failed[file] ?? [])])];

/** Whether something of an exhaustive list belongs to this run, by its place in the list. */
export const takes = (place: number): boolean => rotations().includes(place % turns);
