import { bare, isAssignmentOperator, isStep } from "./syntax.ts";
import { ts } from "./typescript.ts";

/** One place where a variable is assigned or named. */
interface Site {
  readonly node: ts.Identifier;
  readonly symbol: ts.Symbol;
  /** The function, field initialiser or file that it stands in. */
  readonly container: ts.Node;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Which name means which declaration of the file, and who assigns it. */
export interface Bindings {
  symbolOf(id: ts.Identifier): ts.Symbol | undefined;
  /** A variable or parameter that a function inside its own assigns: it lives in a box. */
  isBoxed(symbol: ts.Symbol): boolean;
  isAssigned(symbol: ts.Symbol): boolean;
  /** The variables declared outside the ranges and assigned in them by their own function, in the order of declaration. */
  assignedIn(ranges: readonly Range[], root: ts.Node): readonly ts.Symbol[];
  /** The places in a range that name the variable. */
  references(symbol: ts.Symbol, range: Range): readonly Site[];
}

export const contains = (outer: Range, offset: number): boolean => offset >= outer.start && offset < outer.end;

export const rangeOf = (node: ts.Node): Range => ({ start: node.getStart(), end: node.end });

/** The declaration of a variable, parameter or bound name; undefined for functions, classes and imports. */
export function variableDeclaration(
  symbol: ts.Symbol,
): ts.VariableDeclaration | ts.ParameterDeclaration | ts.BindingElement | undefined {
  const declaration = symbol.valueDeclaration;
  if (!declaration) return undefined;
  return ts.isVariableDeclaration(declaration) || ts.isParameter(declaration) || ts.isBindingElement(declaration)
    ? declaration
    : undefined;
}

/** The function, field initialiser, static block or file around a node. */
export function containerOf(node: ts.Node): ts.Node {
  let at = node.parent;
  while (!(ts.isFunctionLike(at) || ts.isPropertyDeclaration(at) || ts.isClassStaticBlockDeclaration(at) || ts.isSourceFile(at)))
    at = at.parent;
  return at;
}

/** The names that an assignment's left side assigns. */
function assignedNames(target: ts.Expression): readonly ts.Identifier[] {
  const node = bare(target);
  if (ts.isIdentifier(node)) return [node];
  if (ts.isBinaryExpression(node)) return assignedNames(node.left);
  if (ts.isSpreadElement(node)) return assignedNames(node.expression);
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(assignedNames);
  if (!ts.isObjectLiteralExpression(node)) return [];
  return node.properties.flatMap((p) => {
    if (ts.isShorthandPropertyAssignment(p)) return [p.name];
    if (ts.isPropertyAssignment(p)) return assignedNames(p.initializer);
    return ts.isSpreadAssignment(p) ? assignedNames(p.expression) : [];
  });
}

function namesAssignedBy(node: ts.Node): readonly ts.Identifier[] {
  if (ts.isBinaryExpression(node) && isAssignmentOperator(node.operatorToken.kind)) return assignedNames(node.left);
  if (isStep(node)) return assignedNames(node.operand);
  if ((ts.isForOfStatement(node) || ts.isForInStatement(node)) && !ts.isVariableDeclarationList(node.initializer))
    return assignedNames(node.initializer);
  return [];
}

/** Names that are no variables: of members, labels, import and export specifiers. */
function namesNoVariable(id: ts.Identifier): boolean {
  const parent = id.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === id;
  if (
    ts.isQualifiedName(parent) ||
    ts.isLabeledStatement(parent) ||
    ts.isBreakOrContinueStatement(parent) ||
    ts.isMetaProperty(parent)
  )
    return true;
  if (ts.isBindingElement(parent)) return parent.propertyName === id;
  if (ts.isPropertyAssignment(parent) || ts.isEnumMember(parent)) return parent.name === id;
  if (ts.isClassElement(parent) || ts.isMethodDeclaration(parent)) return parent.name === id;
  return ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isJsxAttribute(parent);
}

function symbolAt(id: ts.Identifier, checker: ts.TypeChecker): ts.Symbol | undefined {
  if (ts.isShorthandPropertyAssignment(id.parent) && id.parent.name === id)
    return checker.getShorthandAssignmentValueSymbol(id.parent);
  return checker.getSymbolAtLocation(id);
}

interface Sites {
  readonly symbols: ReadonlyMap<ts.Identifier, ts.Symbol>;
  readonly references: ReadonlyMap<ts.Symbol, readonly Site[]>;
  readonly assignments: readonly Site[];
}

/** Every place of the file that names or assigns a variable. */
function collectSites(file: ts.SourceFile, checker: ts.TypeChecker): Sites {
  const symbols = new Map<ts.Identifier, ts.Symbol>();
  const references = new Map<ts.Symbol, Site[]>();
  const assigned: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    const symbol = ts.isIdentifier(node) && !namesNoVariable(node) ? symbolAt(node, checker) : undefined;
    if (symbol && ts.isIdentifier(node)) {
      symbols.set(node, symbol);
      const known = references.get(symbol) ?? [];
      known.push({ node, symbol, container: containerOf(node) });
      references.set(symbol, known);
    }
    for (const name of namesAssignedBy(node)) assigned.push(name);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const assignments = assigned.flatMap((node): readonly Site[] => {
    const symbol = symbols.get(node);
    return symbol ? [{ node, symbol, container: containerOf(node) }] : [];
  });
  return { symbols, references, assignments };
}

const isForeign = ({ symbol, container }: Site): boolean => {
  const declaration = variableDeclaration(symbol);
  return declaration !== undefined && containerOf(declaration) !== container;
};

/** Resolves every name of a file once. */
export function findBindings(file: ts.SourceFile, checker: ts.TypeChecker): Bindings {
  const { symbols, references, assignments } = collectSites(file, checker);
  const assigned = new Set(assignments.map((a) => a.symbol));
  const boxed = new Set(assignments.filter(isForeign).map((a) => a.symbol));
  return {
    symbolOf: (id) => symbols.get(id),
    isBoxed: (symbol) => boxed.has(symbol),
    isAssigned: (symbol) => assigned.has(symbol),
    assignedIn(ranges, root) {
      const within = (offset: number) => ranges.some((range) => contains(range, offset));
      const found = new Map<ts.Symbol, number>();
      for (const { node, symbol } of assignments) {
        const declaration = variableDeclaration(symbol);
        if (!declaration || boxed.has(symbol) || !within(node.getStart())) continue;
        const start = declaration.getStart();
        if (!within(start) && contains(rangeOf(root), start)) found.set(symbol, start);
      }
      return [...found].sort((a, b) => a[1] - b[1]).map(([symbol]) => symbol);
    },
    references: (symbol, range) => (references.get(symbol) ?? []).filter((s) => contains(range, s.node.getStart())),
  };
}
