/** How many letters must be changed, added, left out or swapped with the next to make one word of the other. */
export function editDistance(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/** The word that is most like `name`, if any is: at most a third of its letters differ. */
export function nearest(name: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const word of words) {
    if (Math.abs(word.length - name.length) >= least) continue;
    const distance = editDistance(name, word);
    if (distance < least && distance > 0) {
      best = word;
      least = distance;
    }
  }
  return best;
}

const shared = (a: string, b: string): number => {
  let n = 0;
  while (n < a.length && a[n]?.toLowerCase() === b[n]?.toLowerCase()) n++;
  return n;
};

/** The parts of a name in camel case, or with `_`, `-`, `.` or `:` between them, in small letters. */
const partsOf = (name: string): readonly string[] =>
  name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());

/** A name without what divides its parts, in small letters: the same for `l2Promotion`, `l2_promotion` and `L2_PROMOTION`. */
export const joined = (name: string): string => partsOf(name).join("");

/** The least letters of an abbreviation. */
const short = 3;

/** Whether one stands for the other: `vec` for `vector`, `predicate` for `pred`, `numStages` and `tx_count` for what some of their parts spell. */
function standsFor(name: string, word: string): boolean {
  const [all, wanted] = [joined(name), joined(word)];
  if (all.length >= short && wanted.startsWith(all)) return true;
  if (wanted.length >= short && all.startsWith(wanted)) return true;
  const parts = partsOf(name);
  return parts.some((_, from) => parts.some((_, to) => parts.slice(from, to + 1).join("") === wanted));
}

/** The word of the same letters, however its parts are divided. */
export const sameLetters = (name: string, words: readonly string[]): string | undefined =>
  words.find((word) => word !== name && joined(word) === joined(name));

/**
 * The word that was most likely meant: one of the same letters, the nearest one, the longest that abbreviates the name or is abbreviated by it, else the
 * shortest that begins like it, with four letters or more.
 */
export function likely(name: string, words: Iterable<string>): string | undefined {
  const all = [...words];
  const found = sameLetters(name, all) ?? nearest(name, all);
  if (found !== undefined) return found;
  const [longest] = all.filter((word) => standsFor(name, word)).toSorted((a, b) => b.length - a.length);
  const like = all.filter((word) => shared(name, word) >= Math.min(4, word.length) && shared(name, word) * 2 >= word.length);
  return longest ?? like.toSorted((a, b) => shared(name, b) - shared(name, a) || a.length - b.length)[0];
}
