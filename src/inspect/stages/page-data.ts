import type { Span, Spans } from "../../base/diag/index.ts";
import { getOrMake } from "../../base/get-or-make.ts";
import { diffLines } from "./diff-lines.ts";
import type { KernelRecord } from "./types.ts";

/** A place as indices and numbers: file, line, column, length. */
type SourceLocation = readonly [file: number, line: number, column: number, length: number];

/** A source file of the program, whole; undefined where it could not be read. */
interface SourceFile {
  readonly name: string;
  readonly text?: string;
}

/** A stage of a kernel. Lines are numbers: places in the kernel's list of lines, as most are the same from stage to stage. */
interface PageStage {
  readonly name: string;
  readonly level: string;
  readonly lines: readonly number[];
  /** Against the stage before: how many lines are kept, removed and added, in turns of three. */
  readonly diff: readonly number[];
  /** Which of the kernel's pictures. */
  readonly picture?: number;
}

interface PageKernel {
  readonly title: string;
  readonly place?: SourceLocation;
  /** Text, and the index of its places in `PageData.places`. */
  readonly lines: readonly (readonly [text: string, places: number])[];
  readonly stages: readonly PageStage[];
  /** Drawings as SVG, each once. */
  readonly pictures?: readonly string[];
  /** PTX by lines, each with the index of its `.loc` in `PageData.places`, or -1. */
  readonly ptx: readonly (readonly [text: string, places: number])[];
  readonly error?: string;
}

/** What the page shows: src/inspect/stages/page/page.js reads it. */
export interface PageData {
  readonly files: readonly SourceFile[];
  /** Lists of places, innermost first. The first one is empty. */
  readonly places: readonly (readonly SourceLocation[])[];
  readonly kernels: readonly PageKernel[];
}

/** Gives each text a number, in the order in which they are met. */
class Numbered<T> {
  readonly list: T[] = [];
  readonly #known = new Map<string, number>();

  of(key: string, make: () => T): number {
    return getOrMake(this.#known, key, () => this.list.push(make()) - 1);
  }
}

class Writer {
  readonly files = new Numbered<SourceFile>();
  readonly places = new Numbered<readonly SourceLocation[]>();
  readonly #sourceText: (file: string) => string | undefined;

  constructor(sourceText: (file: string) => string | undefined) {
    this.#sourceText = sourceText;
    this.placesOf([]);
  }

  #file(name: string): number {
    return this.files.of(name, () => {
      const text = this.#sourceText(name);
      return { name, ...(text === undefined ? {} : { text }) };
    });
  }

  place({ file, line, column, length }: Pick<Span, "file" | "line" | "column" | "length">): SourceLocation {
    return [this.#file(file), line, column, length];
  }

  placesOf(spans: Spans): number {
    const list = spans.map((span) => this.place(span));
    return this.places.of(JSON.stringify(list), () => list);
  }

  /** PTX, with the place that the last `.loc` before each line says. */
  ptx(text: string): PageKernel["ptx"] {
    const lines = text.trimEnd().split("\n");
    const files = new Map(
      lines.flatMap((line): [number, string][] => {
        const [, index, name] = /^\.file (\d+) "(.*)"$/.exec(line) ?? [];
        return name === undefined ? [] : [[Number(index), name.replace(/\\(.)/g, "$1")]];
      }),
    );
    let at = -1;
    return lines.map((line) => {
      const [, file, row, column] = /^\s*\.loc (\d+) (\d+) (\d+)$/.exec(line) ?? [];
      const name = files.get(Number(file));
      if (name !== undefined) at = this.placesOf([{ file: name, line: Number(row), column: Number(column), length: 1 }]);
      else if (/^[}.]/.test(line)) at = -1;
      return [line, at];
    });
  }

  kernel({ title, place, stages, ptx, error }: KernelRecord): PageKernel {
    const lines = new Numbered<readonly [string, number]>();
    const pictures = new Numbered<string>();
    let before: readonly string[] = [];
    const numbered = stages.map((stage): PageStage => {
      const texts = stage.lines.map((line) => line.text);
      const diff = diffTriples(before, texts);
      before = texts;
      return {
        name: stage.name,
        level: stage.level,
        lines: stage.lines.map(({ text, spans }) => {
          const at = this.placesOf(spans);
          return lines.of(`${at} ${text}`, () => [text, at]);
        }),
        diff,
        ...(stage.picture === undefined ? {} : { picture: pictures.of(stage.picture, () => stage.picture ?? "") }),
      };
    });
    return {
      title,
      ...(place ? { place: this.place(place) } : {}),
      lines: lines.list,
      stages: numbered,
      ...(pictures.list.length > 0 ? { pictures: pictures.list } : {}),
      ptx: ptx === undefined ? [] : this.ptx(ptx),
      ...(error === undefined ? {} : { error }),
    };
  }
}

const column = { keep: 0, remove: 1, add: 2 } as const;

/** Edits as keep, remove, add, keep, remove, add, … */
function diffTriples(before: readonly string[], after: readonly string[]): readonly number[] {
  const flat: number[] = [];
  for (const { kind, count } of diffLines(before, after)) {
    while (flat.length % 3 !== column[kind]) flat.push(0);
    flat.push(count);
  }
  return flat;
}

/** The data of the page. `sourceText` gives a file of the author's, where it can be read. */
export function pageData(kernels: readonly KernelRecord[], sourceText: (file: string) => string | undefined): PageData {
  const writer = new Writer(sourceText);
  const told = kernels.map((kernel) => writer.kernel(kernel));
  return { files: writer.files.list, places: writer.places.list, kernels: told };
}
