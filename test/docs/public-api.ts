/** The public API as its types say it: every name that the entry points export, and the members that an author meets through it. */
import { join } from "node:path";
import { Project, ts } from "ts-morph";

const root = join(import.meta.dirname, "../..");
const source = join(root, "src");

/** What authors import, in the order of the pages. `warpsmith/hooks` is what the transform's output calls: no author writes it. */
export const entryPoints = {
  warpsmith: "index",
  "warpsmith/arrays": "entries/arrays",
  "warpsmith/build": "entries/build",
  "warpsmith/kernels": "entries/kernels",
  "warpsmith/ptx": "entries/ptx",
  "warpsmith/runtime": "entries/runtime",
  "warpsmith/schedule": "entries/schedule",
  "warpsmith/testing": "entries/testing",
  "warpsmith/plugin": "entries/plugin",
} as const;
export type EntryPoint = keyof typeof entryPoints;

/** An exported name, or a member of one: `warp`, `warp.ballot`, `TMAOptions.box`. */
export interface ApiName {
  readonly path: string;
  readonly symbol: ts.Symbol;
  /** As hovering shows it, without tags. */
  readonly doc: string;
  /** Its `@example`s: TypeScript. */
  readonly examples: readonly string[];
  readonly members: readonly ApiName[];
}

export interface PublicApi {
  readonly checker: ts.TypeChecker;
  readonly exports: Readonly<Record<EntryPoint, readonly ApiName[]>>;
  /** The comments that an editor shows in that text where each use, alone on a line, ends. */
  hover(text: string, uses: readonly string[]): readonly string[];
}

const isOurs = (declaration: ts.Declaration | undefined): boolean =>
  declaration?.getSourceFile().fileName.startsWith(source) ?? false;

const isHidden = (symbol: ts.Symbol): boolean =>
  symbol.name.startsWith("__") ||
  symbol.name.startsWith("#") ||
  symbol.getJsDocTags().some((tag) => tag.name === "internal") ||
  (symbol.declarations ?? []).some(
    (d) => ts.getCombinedModifierFlags(d) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected),
  );

/** A function with several signatures has its example at the first. */
function examplesOf(symbol: ts.Symbol): readonly string[] {
  const tags = symbol.getJsDocTags().filter(({ name }) => name === "example");
  return tags.map(({ text }) => {
    const [, code] = /^```ts\n([\s\S]*)\n```$/.exec(ts.displayPartsToString(text).trim()) ?? [];
    if (code === undefined) throw new Error(`the @example of ${symbol.name} is a block of TypeScript: \`\`\`ts … \`\`\``);
    return code;
  });
}

class Walk {
  readonly #checker: ts.TypeChecker;
  readonly #exported: ReadonlySet<ts.Symbol>;

  constructor(checker: ts.TypeChecker, exported: ReadonlySet<ts.Symbol>) {
    this.#checker = checker;
    this.#exported = exported;
  }

  /** `above`: the types that this name is a member of, which are not walked again. */
  name(symbol: ts.Symbol, path: string, above: ReadonlySet<ts.Symbol> = new Set([symbol])): ApiName {
    const doc = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim();
    const members = new Map<string, ApiName>();
    for (const type of this.#typesOf(symbol)) {
      const own = type.symbol === symbol || type.aliasSymbol === symbol;
      const exported = this.#exported.has(type.symbol) || (type.aliasSymbol && this.#exported.has(type.aliasSymbol));
      if (!own && (exported || above.has(type.symbol))) continue;
      for (const member of this.#membersOf(type)) {
        const known = members.get(member.name);
        if (!known) members.set(member.name, this.name(member, `${path}.${member.name}`, new Set([...above, type.symbol])));
      }
    }
    return { path, symbol, doc, examples: examplesOf(symbol), members: [...members.values()] };
  }

  /** The types that an author meets through a name: what it declares, what it is, what it takes and what it gives. */
  *#typesOf(symbol: ts.Symbol): Iterable<ts.Type> {
    const checker = this.#checker;
    const declaration = symbol.declarations?.[0];
    if (!declaration) return;
    const { Interface, Class, TypeAlias, Value } = ts.SymbolFlags;
    if (symbol.flags & (Interface | Class | TypeAlias)) yield* this.#parts(checker.getDeclaredTypeOfSymbol(symbol));
    if (!(symbol.flags & Value)) return;
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
    yield* this.#parts(type);
    for (const part of this.#parts(type))
      for (const signature of [...part.getCallSignatures(), ...part.getConstructSignatures()]) {
        for (const parameter of signature.getParameters())
          if (parameter.valueDeclaration)
            yield* this.#parts(checker.getTypeOfSymbolAtLocation(parameter, parameter.valueDeclaration));
        yield* this.#parts(signature.getReturnType());
      }
  }

  *#parts(type: ts.Type): Iterable<ts.Type> {
    if (type.isUnionOrIntersection()) for (const part of type.types) yield* this.#parts(part);
    else if (type.flags & ts.TypeFlags.Object) yield type;
  }

  #membersOf(type: ts.Type): readonly ts.Symbol[] {
    return type
      .getProperties()
      .filter((p) => p.name !== "prototype" && isOurs(p.valueDeclaration ?? p.declarations?.[0]) && !isHidden(p));
  }
}

/** Of the sources as they are now. */
export function publicApi(): PublicApi {
  const project = new Project({ tsConfigFilePath: join(root, "tsconfig.json"), skipAddingFilesFromTsConfig: true });
  const files = Object.values(entryPoints).map((file) => project.addSourceFileAtPath(join(source, `${file}.ts`)));
  project.resolveSourceFileDependencies();
  const service = project.getLanguageService().compilerObject;
  const program = service.getProgram();
  if (!program) throw new Error("the sources make no program");
  const checker = program.getTypeChecker();
  const all = files.map((file) => {
    const sourceFile = program.getSourceFile(file.getFilePath());
    const module = sourceFile && checker.getSymbolAtLocation(sourceFile);
    const exports = module ? checker.getExportsOfModule(module) : [];
    return exports.map((e) => ({ name: e.name, symbol: e.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(e) : e }));
  });
  const walk = new Walk(checker, new Set(all.flat().map((e) => e.symbol)));
  const names = Object.keys(entryPoints) as EntryPoint[];
  // What several export is of the first of them: `warpsmith/runtime` is a part of the others.
  const seen = new Set<ts.Symbol>();
  const first = all.map((of) => of.filter(({ symbol }) => !seen.has(symbol) && seen.add(symbol)));
  const exports = Object.fromEntries(
    names.map((name, i) => [name, (first[i] ?? []).map((e) => walk.name(e.symbol, e.name))]),
  ) as unknown as PublicApi["exports"];
  const hover = (text: string, uses: readonly string[]): readonly string[] => {
    const file = project.createSourceFile(join(root, "hover.ts"), text, { overwrite: true });
    return uses.map((use) => {
      const at = text.indexOf(`\n${use};`) + use.length;
      return ts.displayPartsToString(service.getQuickInfoAtPosition(file.getFilePath(), at)?.documentation);
    });
  };
  return { checker, exports, hover };
}
