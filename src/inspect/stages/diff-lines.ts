/** So many lines that both texts have, or that only the first or only the second has. In order, a removal before what is put in its place. */
export interface Edit {
  readonly kind: "keep" | "remove" | "add";
  readonly count: number;
}

/** Lines of two texts, as ranges of their indices: `[a0, a1)` of the first, `[b0, b1)` of the second. */
interface Window {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}
type Pair = readonly [a: number, b: number];

/** Cells of a table of common lengths: some milliseconds. Windows beyond that, in which no line is unique, are replaced as a whole. */
const largestTable = 1 << 22;

/** The indices of lines that stand once in the range. */
function unique(lines: readonly string[], from: number, to: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const twice = new Set<string>();
  for (let i = from; i < to; i++) {
    const line = lines[i] ?? "";
    if (found.has(line)) twice.add(line);
    found.set(line, i);
  }
  for (const line of twice) found.delete(line);
  return found;
}

/** The longest run of pairs, given in the order of `a`, whose `b` rise, too. Patience sorting. */
function rising(pairs: readonly Pair[]): readonly Pair[] {
  const piles: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, b], i) => {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[piles[middle] ?? 0]?.[1] ?? 0) < b) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : (piles[low - 1] ?? -1);
    piles[low] = i;
  });
  const run: Pair[] = [];
  for (let i = piles.at(-1) ?? -1; i >= 0; i = before[i] ?? -1) {
    const pair = pairs[i];
    if (pair) run.push(pair);
  }
  return run.reverse();
}

/** The longest common subsequence by a table, for windows in which no line is unique. */
function common(a: readonly string[], b: readonly string[], { a0, a1, b0, b1 }: Window): readonly Pair[] {
  const [rows, columns] = [a1 - a0, b1 - b0];
  if (rows * columns > largestTable) return [];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] = a[a0 + i] === b[b0 + j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (a[a0 + i] === b[b0 + j]) pairs.push([a0 + i++, b0 + j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** The pairs of lines that a window keeps, between its equal beginning and its equal end. */
function keptInside(a: readonly string[], b: readonly string[], window: Window): readonly Pair[] {
  const { a0, a1, b0, b1 } = window;
  const inB = unique(b, b0, b1);
  const pairs = [...unique(a, a0, a1)].flatMap(([line, i]): readonly Pair[] => {
    const j = inB.get(line);
    return j === undefined ? [] : [[i, j]];
  });
  // In the order of `a`: a map is in the order in which its lines were met.
  const anchors = rising(pairs);
  if (anchors.length === 0) return common(a, b, window);
  const found: Pair[] = [];
  let [i, j] = [a0, b0];
  for (const [nextA, nextB] of [...anchors, [a1, b1] as const]) {
    for (const pair of kept(a, b, { a0: i, a1: nextA, b0: j, b1: nextB })) found.push(pair);
    if (nextA < a1) found.push([nextA, nextB]);
    [i, j] = [nextA + 1, nextB + 1];
  }
  return found;
}

function kept(a: readonly string[], b: readonly string[], { a0, a1, b0, b1 }: Window): readonly Pair[] {
  const [front, back]: [Pair[], Pair[]] = [[], []];
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) front.push([a0++, b0++]);
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) back.push([--a1, --b1]);
  if (a0 === a1 || b0 === b1) return [...front, ...back.reverse()];
  return [...front, ...keptInside(a, b, { a0, a1, b0, b1 }), ...back.reverse()];
}

/**
 * What makes the second list of lines of the first: a patience diff, as `git diff --patience`. Lines that both have once are anchors, which
 * suits graphs, as a value is defined once; between them the longest common subsequence.
 */
export function diffLines(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const edits: { kind: Edit["kind"]; count: number }[] = [];
  const put = (kind: Edit["kind"], count: number): void => {
    const last = edits.at(-1);
    if (last?.kind === kind) last.count += count;
    else if (count > 0) edits.push({ kind, count });
  };
  let [i, j] = [0, 0];
  const end: Pair = [before.length, after.length];
  for (const [nextA, nextB] of [...kept(before, after, { a0: 0, a1: end[0], b0: 0, b1: end[1] }), end]) {
    put("remove", nextA - i);
    put("add", nextB - j);
    if (nextA < end[0]) put("keep", 1);
    [i, j] = [nextA + 1, nextB + 1];
  }
  return edits;
}
