/** What a program was after each step of a schedule, for people: its text, what each step changed, and a page that goes through them. */
import type { Span, Spans } from "../base/diag/index.ts";
import { diffLines, type GraphLine, printDiff, stagesPage } from "../inspect/stages/index.ts";
import { printProgram } from "./ir/print.ts";
import type { Program } from "./ir/types.ts";

/** A program at one point of a schedule. */
export interface ScheduleStage {
  /** The step as it was called, such as `split(i, [null, 16])`; of the first stage "program". */
  readonly step: string;
  /** Where the author wrote the step; the program itself, of the first stage. */
  readonly place: Span | undefined;
  /** The program as TypeScript that makes it. */
  readonly text: string;
}

/** A step that changed a program. */
export interface StepTaken {
  readonly call: string;
  readonly at: Spans;
  readonly program: Program;
}

export function stagesOf(original: Program, taken: readonly StepTaken[]): readonly ScheduleStage[] {
  return [
    { step: "program", place: original.span, text: printProgram(original) },
    ...taken.map(({ call, at, program }) => ({ step: call, place: at[0], text: printProgram(program) })),
  ];
}

const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n");

/** The lines of each stage. A line belongs to the step that made it. */
function linesWithSteps(stages: readonly ScheduleStage[]): readonly (readonly GraphLine[])[] {
  let before: readonly GraphLine[] = [];
  return stages.map(({ text, place }) => {
    const own = place ? [place] : [];
    const lines = linesOf(text);
    const out: GraphLine[] = [];
    let [i, j] = [0, 0];
    for (const { kind, count } of diffLines(
      before.map((l) => l.text),
      lines,
    )) {
      if (kind === "remove") i += count;
      else {
        lines.slice(j, j + count).forEach((line, at) => {
          out.push({ text: line, spans: kind === "keep" ? (before[i + at]?.spans ?? own) : own });
        });
        j += count;
        if (kind === "keep") i += count;
      }
    }
    before = out;
    return out;
  });
}

const placeText = (place: Span | undefined): string => (place ? ` // ${place.file}:${place.line}` : "");

/** The first program whole, and what each step changed in it. */
export function diffOf(stages: readonly ScheduleStage[]): string {
  const plain = stages.map(({ text }) => linesOf(text).map((line): GraphLine => ({ text: line, spans: [] })));
  const parts = stages.map(({ step, place, text }, i) => {
    const [before, after] = [plain[i - 1], plain[i]];
    const body = before && after ? (printDiff(before, after) ?? "no change") : text.trimEnd();
    return `==== ${step}${placeText(place)} ====\n${body}\n`;
  });
  return parts.join("\n");
}

/** One page that steps through the program, with a picture of each. It needs no network: style, script and data are in it. */
export function pageOf(name: string, stages: readonly ScheduleStage[], pictures: readonly (string | undefined)[]): string {
  const lines = linesWithSteps(stages);
  const seen = stages.map(({ step }, i) => ({
    name: step,
    level: i === 0 ? "" : "steps",
    lines: lines[i] ?? [],
    picture: pictures[i],
  }));
  const place = stages[0]?.place;
  return stagesPage([{ title: name, place, stages: seen }], undefined, `Steps of ${name}`);
}
