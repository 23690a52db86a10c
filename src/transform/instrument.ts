import { hooksVersion } from "../base/hook-names.ts";
import { findBindings } from "./bindings.ts";
import { Declarations } from "./declarations.ts";
import { condition, discard, expr } from "./expressions.ts";
import { freeNames } from "./free-names.ts";
import { classValue, functionValue, objectMethod } from "./functions.ts";
import { type Edit, hostEdits } from "./host-edits.ts";
import { findImports } from "./imports.ts";
import { findMarks, prologueLength } from "./marks.ts";
import { checkNesting } from "./nesting.ts";
import { type FileRead, OtherFiles } from "./other-files.ts";
import { parse } from "./parse.ts";
import { type Flattened, flatten, type Piece } from "./pieces.ts";
import { type Context, quote, type Rewriters } from "./rewrite-context.ts";
import { SpanTable } from "./span-table.ts";
import { leaving, statement } from "./statements.ts";
import { ts } from "./typescript.ts";

/** The rewriters, put together: they reach one another through the context, so that their files need not import in circles. */
const rewriters: Rewriters = {
  expr,
  condition,
  discard,
  value: (cx, node) => (ts.isClassExpression(node) ? classValue(cx, node) : functionValue(cx, node, "inner")),
  method: (cx, node) => objectMethod(cx, node, "inner"),
  statement,
  leaving,
};

export interface Source {
  readonly text: string;
  readonly fileName: string;
  readonly displayName: string;
  readonly modules: readonly string[];
  readonly hooksModule: string;
  readonly programHooksModule: string;
}

/** Where the two lines at the top of the module go: after a `#!` line and the directives. */
function topOf(file: ts.SourceFile): { offset: number; before: string } {
  const count = prologueLength(file.statements);
  const last = file.statements[count - 1];
  if (last) return { offset: last.end, before: "\n" };
  const shebang = ts.getShebang(file.text);
  return shebang === undefined ? { offset: 0, before: "" } : { offset: shebang.length, before: "\n" };
}

function applied(text: string, edits: readonly Edit[]): Piece {
  const out: Piece[] = [];
  let done = 0;
  for (const { start, end, piece } of edits) {
    out.push({ start: done, end: start }, piece);
    done = end;
  }
  out.push({ start: done, end: text.length });
  return out;
}

/** Hooks that a file calls: of kernels and helpers, or of programs. */
interface Opened {
  readonly hooks: string;
  readonly open: string;
  readonly from: string;
}

interface HeaderParts {
  readonly opened: readonly Opened[];
  /** A free name for the table of spans, where more than one opens with it. */
  readonly shared: string;
  readonly displayName: string;
  readonly spans: SpanTable;
}

/** The lines at the top of the module: the imports, the table of spans, and the marks of its function declarations. */
function headerOf(file: ts.SourceFile, marks: readonly Piece[], parts: HeaderParts): Edit {
  const { opened, shared, displayName, spans } = parts;
  const { offset, before } = topOf(file);
  const info = `{ file: ${quote(displayName)}, spans: [${spans.flat().join(", ")}]${spans.more()} }`;
  const once = opened.length > 1 ? [`const ${shared} = ${info};`] : [];
  const lines = [
    ...opened.map(({ open, from }) => `import { open as ${open} } from ${quote(from)};`),
    ...once,
    ...opened.map(({ hooks, open }) => `const ${hooks} = ${open}(${hooksVersion}, ${once.length > 0 ? shared : info});`),
  ].join("\n");
  return {
    start: offset,
    end: offset,
    piece: [before, lines, marks.map((mark): Piece => ["\n", mark]), before === "" ? "\n" : ""],
  };
}

export interface Instrumented extends Flattened {
  /** The files that annotations led to. */
  readonly reads: readonly FileRead[];
}

/** Rewrites kernels, helpers and programs into calls of the hooks; undefined where the file has none. The result is TypeScript. */
export function instrument(source: Source): Instrumented | undefined {
  const { text, displayName } = source;
  const spans = new SpanTable(text, displayName);
  const { file, checker } = parse(text, source.fileName, spans);
  const imports = findImports(checker, source.modules);
  const marks = findMarks(file, imports);
  if (marks.functions.size === 0 && marks.classes.size === 0) return undefined;

  for (const root of [...marks.functions.keys(), ...marks.classes]) checkNesting(root, file, spans);
  const files = new OtherFiles();
  const names = freeNames(file);
  const hooks = names.take("$");
  const open = names.take(`${hooks}open`);
  const roles = [...marks.functions.values()];
  const holdsKernels = marks.classes.size > 0 || roles.some((role) => role !== "program");
  const ofKernels: Opened = { hooks, open, from: source.hooksModule };
  const ofPrograms: Opened | undefined = roles.includes("program")
    ? { hooks: names.take(`${hooks}p`), open: names.take(`${hooks}popen`), from: source.programHooksModule }
    : undefined;
  const shared = {
    text,
    file,
    checker,
    imports,
    declarations: new Declarations(source.modules, files),
    spans,
    names,
    hooks,
    incoming: names.take(`${hooks}v`),
    bindings: findBindings(file, checker),
    rewrite: rewriters,
  };
  const { edits, top } = hostEdits(marks, (root, role): Context => {
    const own = role === "program" && ofPrograms ? { hooks: ofPrograms.hooks } : {};
    return { ...shared, ...own, root, role, renamed: new Map() };
  });

  const header = headerOf(file, top, {
    opened: [...(holdsKernels ? [ofKernels] : []), ...(ofPrograms ? [ofPrograms] : [])],
    shared: names.take(`${hooks}spans`),
    displayName,
    spans,
  });
  const all = [...edits, header].sort((a, b) => a.start - b.start || a.end - b.end);
  return { ...flatten(applied(text, all), text, source.fileName), reads: files.reads };
}
