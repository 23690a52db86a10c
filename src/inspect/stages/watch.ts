/** Who wants to see the stages of what a program compiles: the environment says so, and so do options of `warpsmith run`. */
import { writeFileSync } from "node:fs";
import type { Remark } from "../../base/diag/index.ts";
import type { Graph } from "../../ir/index.ts";
import { graphLines } from "./graph-lines.ts";
import { stagesPage } from "./page.ts";
import { StagePrinter } from "./print-stages.ts";
import type { KernelRecord, KernelTold, StagePrint, StageSeen } from "./types.ts";

/** What is to become of them. */
export interface StagesAsked {
  /** Print them to stderr as they come. */
  readonly print?: StagePrint;
  /** The file that gets the page when the process ends. */
  readonly page?: string;
  /** Print the remarks to stderr. */
  readonly remarks?: true;
}

/** Sees one compilation. */
export interface Watcher {
  stage(stage: { readonly name: string; readonly level: string; readonly graph: Graph }): void;
  done(ptx: string, remarks: () => readonly Remark[]): void;
  failed(error: unknown): void;
}

type Open = { -readonly [K in keyof KernelRecord]: KernelRecord[K] } & { readonly stages: StageSeen[] };

/** The compilations of this process, by the file of their page. */
const pages = new Map<string, Open[]>();

function recordFor(page: string, told: KernelTold): Open {
  let records = pages.get(page);
  if (!records) {
    const list: Open[] = [];
    records = list;
    pages.set(page, list);
    // First: the command looks at the end whether there is a page.
    process.prependListener("exit", () => writeFileSync(page, stagesPage(list)));
  }
  const record: Open = { ...told, stages: [] };
  records.push(record);
  return record;
}

const write = (text: string): void => console.error(text);

/** Begins to watch a compilation. */
export function watchCompilation({ print, page, remarks }: StagesAsked, told: KernelTold): Watcher {
  const printer = print && new StagePrinter(print, told, write);
  const record = page === undefined ? undefined : recordFor(page, told);
  let [last, lines]: [Graph | undefined, StageSeen["lines"]] = [undefined, []];
  return {
    stage: ({ name, level, graph }) => {
      // A pass that changes nothing gives the graph that it got.
      if (graph !== last) [last, lines] = [graph, graphLines(graph)];
      const seen = { name, level, lines };
      printer?.stage(seen);
      record?.stages.push(seen);
    },
    done: (ptx, found) => {
      printer?.end({ ptx });
      if (remarks) for (const remark of found()) write(String(remark));
      if (record) record.ptx = ptx;
    },
    failed: (error) => {
      const text = error instanceof Error ? error.message : String(error);
      printer?.end({ error: text });
      if (record) record.error = text;
    },
  };
}
