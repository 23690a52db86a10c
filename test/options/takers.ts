/** The parameters of the public API that are objects of options, found in its types. */
import { join } from "node:path";
import { Project, type SourceFile, ts } from "ts-morph";

const root = join(import.meta.dirname, "../..");
const entries = [
  "index",
  "entries/arrays",
  "entries/build",
  "entries/runtime",
  "entries/kernels",
  "entries/ptx",
  "entries/schedule",
  "entries/testing",
  "entries/plugin",
].map((file) => join(root, "src", `${file}.ts`));
const deepest = 6;

/** Where a type is declared, by its alias if it has one. */
const declarationOf = (type: ts.Type): ts.Declaration | undefined => (type.aliasSymbol ?? type.symbol)?.declarations?.[0];
const isOurs = (declaration: ts.Declaration | undefined): boolean =>
  declaration?.getSourceFile().fileName.startsWith(join(root, "src")) ?? false;

class Walk {
  readonly found = new Set<string>();
  readonly #seen = new Set<ts.Type>();
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** An object with fields of its own of which one may be left out: no list, no function, no instance, no dictionary. */
  #isOptions(type: ts.Type): boolean {
    const checker = this.#checker;
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) || type.isClass()) return false;
    if (checker.isArrayType(type) || checker.isTupleType(type) || type.getStringIndexType() || type.getNumberIndexType())
      return false;
    if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) return false;
    return type.getProperties().some((p) => p.flags & ts.SymbolFlags.Optional);
  }

  visit(given: ts.Type, name: string, depth = 0): void {
    const type = this.#checker.getNonNullableType(given);
    if (depth > deepest || this.#seen.has(type)) return;
    this.#seen.add(type);
    const made = type.getConstructSignatures();
    for (const signature of [...type.getCallSignatures(), ...made]) {
      for (const parameter of signature.getParameters()) this.#parameter(parameter, name, depth);
      const result = signature.getReturnType();
      if (made.includes(signature) || isOurs(declarationOf(result)))
        this.visit(result, (result.aliasSymbol ?? result.symbol)?.name ?? name, depth + 1);
    }
    for (const property of type.getProperties()) {
      const declaration = property.valueDeclaration;
      if (declaration && isOurs(declaration))
        this.#property(this.#checker.getTypeOfSymbolAtLocation(property, declaration), `${name}.${property.name}`, depth + 1);
    }
  }

  /** What is a tensor goes by its name, wherever it is first found. */
  #property(type: ts.Type, name: string, depth: number): void {
    const own = this.#checker.getNonNullableType(type).symbol?.name;
    this.visit(type, own === "Tensor" ? own : name, depth);
  }

  #parameter(parameter: ts.Symbol, name: string, depth: number): void {
    const declaration = parameter.valueDeclaration;
    if (!declaration) return;
    const type = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbolAtLocation(parameter, declaration));
    if (this.#isOptions(type)) this.found.add(name);
    else if (isOurs(declarationOf(type))) this.visit(type, this.#checker.typeToString(type).replace(/<.*>$/, ""), depth + 1);
  }
}

interface Entries {
  readonly files: readonly SourceFile[];
  readonly project: Project;
  readonly checker: ts.TypeChecker;
}
let opened: Entries | undefined;

/** The package's entries, and what TypeScript says of them. */
function openEntries(): Entries {
  if (opened) return opened;
  const project = new Project({ tsConfigFilePath: join(root, "tsconfig.json"), skipAddingFilesFromTsConfig: true });
  const files = entries.map((file) => project.addSourceFileAtPath(file));
  project.resolveSourceFileDependencies();
  opened = { files, project, checker: project.getTypeChecker().compilerObject };
  return opened;
}

/** The most arguments that a method takes by its type. */
function mostOf(type: ts.Type): number {
  const counts = type.getCallSignatures().map((signature) => {
    const takesMore = signature.getDeclaration()?.parameters.some((parameter) => parameter.dotDotDotToken) ?? false;
    return takesMore ? Number.POSITIVE_INFINITY : signature.getParameters().length;
  });
  return Math.max(0, ...counts);
}

const refuses = (type: ts.Type): boolean =>
  type.getCallSignatures().every((signature) => (signature.getReturnType().flags & ts.TypeFlags.Never) !== 0);

/** "AccumulatorObject.store": methods of classes that take more arguments than the interface has that authors see. */
export function hiddenParameters(): readonly string[] {
  const { project, checker } = openEntries();
  const found: string[] = [];
  const typeOf = (of: ts.Symbol, at: ts.Node): ts.Type => checker.getTypeOfSymbolAtLocation(of, at);
  const compare = (type: ts.Type, seen: ts.Type, node: ts.ClassDeclaration): void => {
    for (const shown of seen.getProperties()) {
      const own = type.getProperty(shown.name);
      const given = own && typeOf(own, node);
      if (given && !refuses(given) && mostOf(given) > mostOf(typeOf(shown, node)))
        found.push(`${node.name?.text ?? "?"}.${shown.name}`);
    }
  };
  for (const { compilerNode } of project.getSourceFiles())
    compilerNode.forEachChild((node) => {
      if (!ts.isClassDeclaration(node) || !isOurs(node)) return;
      const implemented = node.heritageClauses?.filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword) ?? [];
      for (const { types } of implemented)
        for (const each of types) compare(checker.getTypeAtLocation(node), checker.getTypeAtLocation(each), node);
    });
  return found;
}

/** "Place.load", "TMA" (its constructor), "matmul", …: whatever of the public API takes options. */
export function optionTakers(): ReadonlySet<string> {
  const { files, checker } = openEntries();
  const walk = new Walk(checker);
  for (const { compilerNode } of files) {
    const module = checker.getSymbolAtLocation(compilerNode);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const declaration = symbol.declarations?.[0];
      if (!declaration) continue;
      if (symbol.flags & ts.SymbolFlags.Value) walk.visit(checker.getTypeOfSymbolAtLocation(symbol, declaration), symbol.name);
      if (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))
        walk.visit(checker.getDeclaredTypeOfSymbol(symbol), symbol.name);
    }
  }
  return walk.found;
}
