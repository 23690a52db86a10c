import { ts } from "./typescript.ts";

/** Names that a file imports from the package, under whatever name it uses them. */
export interface Imports {
  /** What `node` is called in the package: `kernel` for `k` after `import { kernel as k }`, and for `ws.kernel`. */
  imported(node: ts.Node): string | undefined;
}

function specifierName(declaration: ts.Declaration | undefined, modules: readonly string[]): string | undefined {
  if (!declaration || !ts.isImportSpecifier(declaration)) return undefined;
  return isOurs(declaration.parent.parent.parent, modules) ? (declaration.propertyName ?? declaration.name).text : undefined;
}

function isOurs(declaration: ts.ImportDeclaration | ts.JSDocImportTag, modules: readonly string[]): boolean {
  return ts.isStringLiteral(declaration.moduleSpecifier) && modules.includes(declaration.moduleSpecifier.text);
}

function isNamespaceOfOurs(declaration: ts.Declaration | undefined, modules: readonly string[]): boolean {
  return declaration !== undefined && ts.isNamespaceImport(declaration) && isOurs(declaration.parent.parent, modules);
}

/** Looks names up in the imports of the given packages: of each itself, and of its programs. */
export function findImports(checker: ts.TypeChecker, packages: readonly string[]): Imports {
  const modules = packages.flatMap((name) => [name, `${name}/schedule`]);
  const declared = (id: ts.Node): ts.Declaration | undefined => checker.getSymbolAtLocation(id)?.declarations?.[0];
  return {
    imported(node) {
      if (ts.isIdentifier(node)) return specifierName(declared(node), modules);
      const access = ts.isPropertyAccessExpression(node)
        ? { space: node.expression, name: node.name.text }
        : ts.isQualifiedName(node)
          ? { space: node.left, name: node.right.text }
          : undefined;
      if (!access || !ts.isIdentifier(access.space)) return undefined;
      return isNamespaceOfOurs(declared(access.space), modules) ? access.name : undefined;
    },
  };
}
