/**
 * What a broken kernel must be told, as comments at the end of its lines:
 *
 *   `// reported: W9204`            under every check mode
 *   `// reported in strict: W9203`  in `strict` alone
 *   `// refused: W6001`             before anything runs
 *   `// or: W9102`                  what may be reported instead, where it depends on who comes first
 *   `// the other side`             the second place of the same report
 *
 * A line may name several codes: `// reported: W9204 or W9215`.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** A report that is right. */
export interface Mark {
  readonly codes: readonly string[];
  readonly line: number;
}

export interface Marks {
  /** Its last part; the text of hand-written PTX has a name without a folder. */
  readonly file: string;
  readonly main: Mark;
  /** What may be reported instead. */
  readonly instead: readonly Mark[];
  readonly other: number | undefined;
  readonly strictOnly: boolean;
  readonly refused: boolean;
}

const report = /\/\/ (reported|reported in strict|refused|or): (W\d{4}(?: or W\d{4})*)$/;

/** The marks of some lines of a file. `first`: the number of the first of them. */
export function marksOf(file: string, lines: readonly string[], first: number, what: string): Marks {
  const all = lines.flatMap((text, i) => {
    const [, kind, codes] = report.exec(text.trimEnd()) ?? [];
    return kind && codes ? [{ kind, codes: codes.split(" or "), line: first + i }] : [];
  });
  const reports = all.filter((mark) => mark.kind !== "or");
  const others = lines.flatMap((text, i) => (text.trimEnd().endsWith("// the other side") ? [first + i] : []));
  const [main] = reports;
  if (!main || reports.length > 1 || others.length > 1) throw new Error(`${what} does not say which one report it expects`);
  return {
    file: basename(file),
    main,
    instead: all.filter((mark) => mark.kind === "or"),
    other: others[0],
    strictOnly: main.kind === "reported in strict",
    refused: main.kind === "refused",
  };
}

/** The marks of one function of a file: from the line that names it to the first line that closes something in column 1. */
export function marksOfFunction(file: string, name: string): Marks {
  const lines = readFileSync(file, "utf8").split("\n");
  const begin = lines.findIndex((line) => line.includes(`function ${name}(`));
  const length = lines.slice(begin).findIndex((line) => /^[})]/.test(line));
  if (begin < 0 || length < 0) throw new Error(`${basename(file)} has no function ${name}`);
  return marksOf(file, lines.slice(begin, begin + length), begin + 1, name);
}
