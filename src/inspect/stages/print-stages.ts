import { diffLines, type Edit } from "./diff-lines.ts";
import { type GraphLine, printLine } from "./graph-lines.ts";
import type { Ending, KernelTold, StagePrint, StageSeen } from "./types.ts";

/** Lines around a change that a diff shows. */
const context = 3;

/** The lines of a diff that are shown: those with changes nearby; the others are told by their number. */
function printEdits(edits: readonly Edit[], before: readonly GraphLine[], after: readonly GraphLine[]): string {
  const out: string[] = [];
  let [i, j] = [0, 0];
  edits.forEach(({ kind, count }, nth) => {
    if (kind === "remove") for (const line of before.slice(i, i + count)) out.push(`- ${printLine(line)}`);
    else if (kind === "add") for (const line of after.slice(j, j + count)) out.push(`+ ${printLine(line)}`);
    else {
      const [first, last] = [nth === 0 ? 0 : context, nth === edits.length - 1 ? 0 : context];
      const hidden = count - first - last;
      after.slice(j, j + count).forEach((line, at) => {
        if (hidden <= 1 || at < first || at >= count - last) out.push(`  ${printLine(line)}`);
        else if (at === first) out.push(`; … ${hidden} lines`);
      });
    }
    if (kind !== "add") i += count;
    if (kind !== "remove") j += count;
  });
  return out.join("\n");
}

/** What differs between two texts, as text, with a few lines around each change; undefined where nothing does. */
export function printDiff(before: readonly GraphLine[], after: readonly GraphLine[]): string | undefined {
  const [was, is] = [before.map((line) => line.text), after.map((line) => line.text)];
  const edits = diffLines(was, is);
  return edits.some(({ kind }) => kind !== "keep") ? printEdits(edits, before, after) : undefined;
}

/** Prints what is asked for of one compilation, stage by stage. */
export class StagePrinter {
  readonly #print: StagePrint;
  readonly #write: (text: string) => void;
  readonly #kernel: string;
  #before: readonly GraphLine[] | undefined;

  constructor(print: StagePrint, { title, place }: KernelTold, write: (text: string) => void) {
    this.#print = print;
    this.#write = write;
    this.#kernel = title;
    write(`; ======== kernel ${title}${place === undefined ? "" : `, ${place.file}:${place.line}`} ========`);
  }

  #section(what: string, text: string): void {
    this.#write(`; -------- ${this.#kernel}: ${what} --------${text === "" ? "" : `\n${text.trimEnd()}\n`}`);
  }

  stage({ name, level, lines }: StageSeen): void {
    const before = this.#before;
    this.#before = lines;
    const { only } = this.#print;
    if (only !== undefined && only !== name) return;
    const what = `after ${name} (${level})`;
    if (!this.#print.diff || before === undefined) {
      this.#section(what, lines.map(printLine).join("\n"));
      return;
    }
    const changed = printDiff(before, lines);
    this.#section(changed === undefined ? `${what}: no change` : what, changed ?? "");
  }

  end({ ptx, error }: Ending): void {
    const { only } = this.#print;
    if (error !== undefined) this.#section("error", error.replace(/^/gm, "; "));
    else if (only === undefined || only === "ptx") this.#section("ptx", ptx ?? "");
  }
}
