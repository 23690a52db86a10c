/**
 * What a text must have, line by line: `; check: …` stands in a line after that of the check before, `; check-not: …` in none between its
 * neighbours. `%name` is any value, the same one in all checks of a text; `%1` is that one; `...` is anything.
 */
interface Check {
  readonly has: boolean;
  readonly text: string;
}

const line = /^; check(-not)?: (.*)$/;

/** The checks that a text is made of; undefined where it has other lines. */
export function checksOf(text: string): readonly Check[] | undefined {
  const found = text.split("\n").filter((l) => l.trim() !== "");
  const checks = found.flatMap((l): Check[] => {
    const [, not, what = ""] = line.exec(l) ?? [];
    return what === "" ? [] : [{ has: not === undefined, text: what.trim() }];
  });
  return checks.length > 0 && checks.length === found.length ? checks : undefined;
}

/** The line as a pattern, where these values have names. */
function patternOf(text: string, names: ReadonlyMap<string, string>): RegExp {
  const seen = new Set<string>();
  const parts = text.split(/(%[a-z]\w*|\.\.\.)/).map((part) => {
    if (part === "...") return ".*?";
    if (!/^%[a-z]/.test(part)) return part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/%\d+/g, "$&(?![\\w.])");
    const name = part.slice(1);
    const known = names.get(name);
    if (known !== undefined) return `${known.replaceAll(".", "\\.")}(?![\\w.])`;
    if (seen.has(name)) return `\\k<${name}>(?![\\w.])`;
    seen.add(name);
    return `(?<${name}>%[\\w.]*\\d)(?![\\w.])`;
  });
  return new RegExp(parts.join(""));
}

/** The first check that does not hold of a text; undefined where all of them do. */
export function failingCheck(text: string, checks: readonly Check[]): string | undefined {
  const lines = text.split("\n");
  const names = new Map<string, string>();
  let from = 0;
  let absent: string[] = [];
  const strayIn = (to: number): string | undefined =>
    absent.find((not) => lines.slice(from, to).some((l) => patternOf(not, names).test(l)));
  for (const check of checks) {
    if (!check.has) {
      absent.push(check.text);
      continue;
    }
    const pattern = patternOf(check.text, names);
    const at = lines.findIndex((l, i) => i >= from && pattern.test(l));
    if (at < 0) return `; check: ${check.text}`;
    const stray = strayIn(at);
    if (stray !== undefined) return `; check-not: ${stray}`;
    for (const [name, value] of Object.entries(pattern.exec(lines[at] ?? "")?.groups ?? {})) names.set(name, value);
    from = at + 1;
    absent = [];
  }
  const stray = strayIn(lines.length);
  return stray === undefined ? undefined : `; check-not: ${stray}`;
}
