/** What a name in an annotation means: through imports, re-exports and namespaces, into the files they lead to. */

import type { OtherFiles } from "./other-files.ts";
import { bind, type Parsed } from "./parse.ts";
import { ts } from "./typescript.ts";

export type Found =
  /** Exported by the package, under this name. */
  | { readonly kind: "ours"; readonly name: string }
  | { readonly kind: "declared"; readonly declaration: ts.Declaration; readonly scope: Parsed }
  /** All that a module exports; `scope` is undefined for the package. */
  | { readonly kind: "module"; readonly scope: Parsed | undefined }
  /** Declared by nothing in the file. */
  | { readonly kind: "global"; readonly name: string }
  /** `why` ends a sentence; `missing`: it is sure that there is nothing of that name. */
  | { readonly kind: "unknown"; readonly why: string; readonly missing: boolean };

const unknown = (why: string, missing = false): Found => ({ kind: "unknown", why, missing });
const isRelative = (specifier: string): boolean => /^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..";

const specifierOf = (node: ts.Expression | undefined): string => (node && ts.isStringLiteralLike(node) ? node.text : "");

/** Of the declarations of one name, the one that says what it is as a type. */
function typeDeclaration(symbol: ts.Symbol | undefined): ts.Declaration | undefined {
  const all = symbol?.declarations ?? [];
  return all.find((d) => ts.isTypeAliasDeclaration(d) || ts.isInterfaceDeclaration(d) || ts.isClassLike(d)) ?? all[0];
}

export class Declarations {
  readonly #modules: readonly string[];
  readonly #files: OtherFiles;
  readonly #scopes = new Map<string, Parsed>();

  /** `modules`: the names of the package. */
  constructor(modules: readonly string[], files: OtherFiles) {
    this.#modules = modules;
    this.#files = files;
  }

  /** What a name means where it stands. */
  find(name: ts.EntityName, scope: Parsed): Found {
    return this.#find(name, scope, new Set());
  }

  /** What `name` is in the module that `specifier` names in a file; without a name, all of it. */
  exported(specifier: string, name: string | undefined, scope: Parsed): Found {
    return name === undefined ? this.#module(specifier, scope) : this.#exportOf(specifier, name, scope, new Set());
  }

  /** What a module, or a namespace declared in a file, has under a name. */
  memberOf(whole: Found, name: string): Found {
    return this.#memberOf(whole, name, new Set());
  }

  #find(name: ts.EntityName, scope: Parsed, seen: Set<ts.Node>): Found {
    if (ts.isQualifiedName(name)) return this.#memberOf(this.#find(name.left, scope, seen), name.right.text, seen);
    const declaration = typeDeclaration(scope.checker.getSymbolAtLocation(name));
    return declaration ? this.#follow(declaration, scope, seen) : { kind: "global", name: name.text };
  }

  #memberOf(whole: Found, name: string, seen: Set<ts.Node>): Found {
    if (whole.kind === "module") return whole.scope ? this.#within(whole.scope, name, seen) : { kind: "ours", name };
    if (whole.kind !== "declared") return whole.kind === "unknown" ? whole : unknown("only TypeScript knows what that name is");
    const { declaration, scope } = whole;
    const own = ts.getNameOfDeclaration(declaration);
    const symbol = own && scope.checker.getSymbolAtLocation(own);
    const member = typeDeclaration(symbol?.exports?.get(ts.escapeLeadingUnderscores(name)));
    return member ? this.#follow(member, scope, seen) : unknown("only TypeScript knows what that name is");
  }

  /** Goes on from an import or an export to what it stands for. */
  #follow(declaration: ts.Declaration, scope: Parsed, seen: Set<ts.Node>): Found {
    if (seen.has(declaration)) return unknown("its exports lead back to themselves");
    seen.add(declaration);
    if (ts.isImportSpecifier(declaration)) {
      const from = specifierOf(declaration.parent.parent.parent.moduleSpecifier);
      return this.#exportOf(from, (declaration.propertyName ?? declaration.name).text, scope, seen);
    }
    if (ts.isImportClause(declaration))
      return this.#exportOf(specifierOf(declaration.parent.moduleSpecifier), "default", scope, seen);
    if (ts.isNamespaceImport(declaration)) return this.#module(specifierOf(declaration.parent.parent.moduleSpecifier), scope);
    if (ts.isNamespaceExport(declaration)) return this.#module(specifierOf(declaration.parent.moduleSpecifier), scope);
    if (ts.isExportSpecifier(declaration)) return this.#reExported(declaration, scope, seen);
    if (ts.isExportAssignment(declaration) && ts.isIdentifier(declaration.expression))
      return this.#find(declaration.expression, scope, seen);
    if (ts.isImportEqualsDeclaration(declaration))
      return ts.isExternalModuleReference(declaration.moduleReference)
        ? this.#module(specifierOf(declaration.moduleReference.expression), scope)
        : this.#find(declaration.moduleReference, scope, seen);
    return { kind: "declared", declaration, scope };
  }

  #reExported(declaration: ts.ExportSpecifier, scope: Parsed, seen: Set<ts.Node>): Found {
    const { moduleSpecifier } = declaration.parent.parent;
    if (moduleSpecifier)
      return this.#exportOf(specifierOf(moduleSpecifier), (declaration.propertyName ?? declaration.name).text, scope, seen);
    const local = typeDeclaration(scope.checker.getExportSpecifierLocalTargetSymbol(declaration));
    return local ? this.#follow(local, scope, seen) : unknown(`nothing declares ${declaration.name.text} there`);
  }

  #module(specifier: string, from: Parsed): Found {
    if (this.#modules.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
      return { kind: "module", scope: undefined };
    if (!isRelative(specifier)) return unknown(`it comes from "${specifier}", and only relative imports are followed`);
    const file = this.#files.find(specifier, from.file.fileName);
    if (!file) return unknown(`it comes from "${specifier}", and there is no such TypeScript file`);
    const known = this.#scopes.get(file.path) ?? bind(file.text, file.path);
    this.#scopes.set(file.path, known);
    return { kind: "module", scope: known };
  }

  #exportOf(specifier: string, name: string, from: Parsed, seen: Set<ts.Node>): Found {
    return this.#memberOf(this.#module(specifier, from), name, seen);
  }

  /** What a file exports under a name, itself or with `export *`. */
  #within(scope: Parsed, name: string, seen: Set<ts.Node>): Found {
    const exports = scope.checker.getSymbolAtLocation(scope.file)?.exports;
    const own = typeDeclaration(exports?.get(ts.escapeLeadingUnderscores(name)));
    if (own) return this.#follow(own, scope, seen);
    const stars = exports?.get(ts.InternalSymbolName.ExportStar)?.declarations ?? [];
    const sources = name === "default" ? [] : stars.filter(ts.isExportDeclaration);
    const found = sources.map((star): Found => {
      if (seen.has(star)) return unknown("its exports lead back to themselves");
      seen.add(star);
      return this.#exportOf(specifierOf(star.moduleSpecifier), name, scope, seen);
    });
    // Of the package nobody here knows what it exports: it comes after the files, and what cannot be read may hold the name, too.
    return (
      found.find((f) => f.kind === "declared" || f.kind === "module") ??
      found.find((f) => f.kind === "unknown" && !f.missing) ??
      found.find((f) => f.kind === "ours") ??
      unknown(`the file that it comes from exports no ${name}`, true)
    );
  }
}
