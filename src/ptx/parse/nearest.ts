/** How many letters must be changed, added or left out to make one word of the other. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
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
