import { isElementType } from "../base/element-types.ts";
import type { Declarations, Found } from "./declarations.ts";
import type { Parsed } from "./parse.ts";
import { isConstant, isObject } from "./syntax.ts";
import { ts } from "./typescript.ts";

/** `ParamKind` of the hooks, before its span has an index. */
export type ParamShape =
  | { readonly kind: "tensor" | "tma" | "buffer"; readonly dtype?: string; readonly rank?: number }
  | { readonly kind: "scalar"; readonly dtype: string }
  | { readonly kind: "static" | "other" }
  | { readonly kind: "bare"; readonly type: "number" | "bigint" }
  | { readonly kind: "unclear"; readonly type: string; readonly why: string };

/** Types of the package that stand for memory. */
const memories: Readonly<Record<string, "tensor" | "tma" | "buffer">> = { Tensor: "tensor", TMA: "tma", Buffer: "buffer" };

/** Types of JavaScript that are objects, whatever their arguments are. */
const objects = new Set(
  (
    "Array ReadonlyArray ArrayLike Map ReadonlyMap WeakMap Set ReadonlySet WeakSet Date RegExp Error Function Promise PromiseLike " +
    "Object String Boolean Symbol Iterable Iterator IterableIterator IteratorObject Generator AsyncIterable Record Pick Omit Parameters " +
    "ConstructorParameters InstanceType Uppercase Lowercase Capitalize Uncapitalize ArrayBuffer SharedArrayBuffer DataView " +
    "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array " +
    "BigInt64Array BigUint64Array URL Buffer ThisType CallableFunction TemplateStringsArray"
  ).split(" "),
);
/** Types of TypeScript that leave a scalar what it is. */
const transparent = new Set(["Readonly", "Partial", "Required", "NonNullable", "NoInfer", "Awaited"]);
/** Types of TypeScript that take members out of a union. */
const filters = new Set(["Exclude", "Extract"]);

const other: ParamShape = { kind: "other" };
const deepest = 32;

/** A type as it is written somewhere, and what stands for the type parameters there. */
interface Written {
  readonly node: ts.TypeNode;
  readonly scope: Parsed;
  readonly within: ReadonlyMap<string, Written>;
}

const isScalarLike = (shape: ParamShape): boolean => shape.kind === "scalar" || shape.kind === "bare";

const textOf = (node: ts.Node): string => {
  const text = node.getText().replace(/\s+/g, " ");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

const unclear = (why: string): ParamShape => ({ kind: "unclear", type: "", why });
const onlyTypeScript = "only TypeScript can compute what it is";

class Shapes {
  readonly #declarations: Declarations;
  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  of(at: Written, depth = 0): ParamShape {
    const { node } = at;
    if (depth > deepest) return unclear("its aliases go too deep");
    const inner = (type: ts.TypeNode): ParamShape => this.of({ ...at, node: type }, depth + 1);
    if (ts.isParenthesizedTypeNode(node)) return inner(node.type);
    if (node.kind === ts.SyntaxKind.NumberKeyword) return { kind: "bare", type: "number" };
    if (node.kind === ts.SyntaxKind.BigIntKeyword) return { kind: "bare", type: "bigint" };
    if (ts.isTypeReferenceNode(node)) return this.#reference(at, node, depth);
    if (ts.isUnionTypeNode(node)) return this.#union(node.types.map(inner), node.types);
    if (ts.isIntersectionTypeNode(node)) return this.#intersection(node.types.map(inner));
    if (ts.isConditionalTypeNode(node)) return this.#allOther([inner(node.trueType), inner(node.falseType)]);
    if (ts.isMappedTypeNode(node)) return this.#mapped(at, node, depth);
    if (ts.isIndexedAccessTypeNode(node)) return this.#indexed(at, node, depth);
    if (ts.isTypeQueryNode(node)) return this.#typeOf(this.#declarations.find(node.exprName, at.scope), depth);
    if (ts.isImportTypeNode(node)) return this.#importType(at, node, depth);
    // Literals, functions, arrays, tuples, object types, `string`, `unknown`, `keyof`, …: none of them is a number of any size.
    return other;
  }

  #allOther(shapes: readonly ParamShape[]): ParamShape {
    return shapes.every((s) => s.kind === "other" || s.kind === "static") ? other : unclear(onlyTypeScript);
  }

  /** Tensors in it are parameters wherever they turn up; scalars are not. */
  #union(shapes: readonly ParamShape[], types: readonly ts.TypeNode[]): ParamShape {
    const first = shapes.find((s) => s.kind === "unclear");
    if (first) return first;
    const scalar = shapes.findIndex(isScalarLike);
    const type = types[scalar];
    return type ? unclear(`it may be ${textOf(type)} and may be something else`) : other;
  }

  #intersection(shapes: readonly ParamShape[]): ParamShape {
    const special = shapes.filter((s) => s.kind !== "other" && s.kind !== "static");
    const [only, second] = special;
    if (!only) return other;
    return second && second.kind !== only.kind ? unclear(onlyTypeScript) : only;
  }

  /** `{ [K in keyof T]: … }` of a scalar is the scalar. */
  #mapped(at: Written, node: ts.MappedTypeNode, depth: number): ParamShape {
    const keys = node.typeParameter.constraint;
    if (!keys || !ts.isTypeOperatorNode(keys)) return other;
    const shape = this.of({ ...at, node: keys.type }, depth + 1);
    return shape.kind === "unclear" || isScalarLike(shape) ? shape : other;
  }

  #importType(at: Written, node: ts.ImportTypeNode, depth: number): ParamShape {
    const specifier =
      ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal) ? node.argument.literal.text : "";
    const names: string[] = [];
    for (let q = node.qualifier; q; q = ts.isQualifiedName(q) ? q.left : undefined)
      names.unshift(ts.isQualifiedName(q) ? q.right.text : q.text);
    let found = this.#declarations.exported(specifier, undefined, at.scope);
    for (const name of names) found = this.#declarations.memberOf(found, name);
    return node.isTypeOf ? this.#typeOf(found, depth) : this.#named(at, found, node.typeArguments ?? [], depth);
  }

  #reference(at: Written, node: ts.TypeReferenceNode, depth: number): ParamShape {
    const substitute = ts.isIdentifier(node.typeName) ? at.within.get(node.typeName.text) : undefined;
    if (substitute) return this.of(substitute, depth + 1);
    const isConst = ts.isIdentifier(node.typeName) && node.typeName.text === "const";
    if (isConst) return other;
    return this.#named(at, this.#declarations.find(node.typeName, at.scope), node.typeArguments ?? [], depth);
  }

  #named(at: Written, found: Found, given: readonly ts.TypeNode[], depth: number): ParamShape {
    const [first] = given;
    switch (found.kind) {
      case "ours":
        if (Object.hasOwn(memories, found.name)) return this.#memory(memories[found.name] ?? "tensor", at, given, depth);
        if (found.name === "Static") return { kind: "static" };
        return isElementType(found.name) ? { kind: "scalar", dtype: found.name } : other;
      case "declared":
        return this.#declared(at, found.declaration, found.scope, given, depth);
      case "global":
        if (transparent.has(found.name) && first) return this.of({ ...at, node: first }, depth + 1);
        if (filters.has(found.name) && first) return this.#allOther([this.of({ ...at, node: first }, depth + 1)]);
        return objects.has(found.name) ? other : unclear(`nothing in the file declares ${found.name}`);
      case "module":
        return other;
      case "unknown":
        return unclear(found.why);
      default:
        return found satisfies never;
    }
  }

  #declared(at: Written, declaration: ts.Declaration, scope: Parsed, given: readonly ts.TypeNode[], depth: number): ParamShape {
    if (ts.isTypeAliasDeclaration(declaration)) {
      const within = new Map<string, Written>();
      declaration.typeParameters?.forEach((parameter, i) => {
        const argument = given[i];
        if (argument) within.set(parameter.name.text, { ...at, node: argument });
        else if (parameter.default) within.set(parameter.name.text, { node: parameter.default, scope, within: new Map(within) });
      });
      return this.of({ node: declaration.type, scope, within }, depth + 1);
    }
    if (ts.isTypeParameterDeclaration(declaration)) {
      const bound = declaration.constraint && this.of({ node: declaration.constraint, scope, within: new Map() }, depth + 1);
      return bound && bound.kind !== "scalar"
        ? bound
        : unclear(`${declaration.name.text} is a type parameter, which may be any type`);
    }
    return ts.isInterfaceDeclaration(declaration) ||
      ts.isClassLike(declaration) ||
      ts.isEnumDeclaration(declaration) ||
      ts.isEnumMember(declaration)
      ? other
      : unclear(onlyTypeScript);
  }

  /** The literal that a type comes to, through aliases and type parameters. */
  #literal(at: Written | undefined, depth: number): string | number | undefined {
    if (!at || depth > deepest) return undefined;
    const { node } = at;
    if (ts.isLiteralTypeNode(node)) {
      if (ts.isStringLiteral(node.literal)) return node.literal.text;
      return ts.isNumericLiteral(node.literal) ? Number(node.literal.text) : undefined;
    }
    if (ts.isParenthesizedTypeNode(node)) return this.#literal({ ...at, node: node.type }, depth + 1);
    if (!ts.isTypeReferenceNode(node)) return undefined;
    const substitute = ts.isIdentifier(node.typeName) ? at.within.get(node.typeName.text) : undefined;
    if (substitute) return this.#literal(substitute, depth + 1);
    const found = this.#declarations.find(node.typeName, at.scope);
    if (found.kind !== "declared" || !ts.isTypeAliasDeclaration(found.declaration)) return undefined;
    return this.#literal({ node: found.declaration.type, scope: found.scope, within: new Map() }, depth + 1);
  }

  #memory(kind: "tensor" | "tma" | "buffer", at: Written, given: readonly ts.TypeNode[], depth: number): ParamShape {
    const [dtype, rank] = [0, 1].map((i) => {
      const node = given[i];
      return this.#literal(node && { ...at, node }, depth + 1);
    });
    return { kind, ...(typeof dtype === "string" ? { dtype } : {}), ...(typeof rank === "number" ? { rank } : {}) };
  }

  /** `Options["alpha"]`, and `(typeof modes)[number]` of an array of literals. */
  #indexed(at: Written, node: ts.IndexedAccessTypeNode, depth: number): ParamShape {
    const object = ts.isParenthesizedTypeNode(node.objectType) ? node.objectType.type : node.objectType;
    if (ts.isTypeQueryNode(object)) {
      const found = this.#declarations.find(object.exprName, at.scope);
      const value =
        found.kind === "declared" && ts.isVariableDeclaration(found.declaration) ? found.declaration.initializer : undefined;
      return value && isConstant(value) ? other : unclear(onlyTypeScript);
    }
    const key = this.#literal({ ...at, node: node.indexType }, depth + 1);
    const found = ts.isTypeReferenceNode(object) ? this.#declarations.find(object.typeName, at.scope) : undefined;
    const declaration = found?.kind === "declared" ? found.declaration : undefined;
    const scope = found?.kind === "declared" ? found.scope : at.scope;
    const parameters = declaration && "typeParameters" in declaration && declaration.typeParameters !== undefined;
    const members = ts.isTypeLiteralNode(object)
      ? object.members
      : declaration && ts.isInterfaceDeclaration(declaration)
        ? declaration.members
        : declaration && ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type)
          ? declaration.type.members
          : undefined;
    const member = members?.find((m) => m.name !== undefined && ts.isIdentifier(m.name) && m.name.text === key);
    if (parameters || !member || !ts.isPropertySignature(member) || !member.type) return unclear(onlyTypeScript);
    const within = declaration ? new Map<string, Written>() : at.within;
    const shape = this.of({ node: member.type, scope, within }, depth + 1);
    return member.questionToken && isScalarLike(shape) ? unclear(`it may be ${textOf(member.type)} or undefined`) : shape;
  }

  /** `typeof x`: what it is declared as, or what it begins with where that says enough. */
  #typeOf(found: Found, depth: number): ParamShape {
    if (found.kind === "module") return other;
    if (found.kind === "unknown") return unclear(found.why);
    if (found.kind !== "declared") return unclear(onlyTypeScript);
    const { declaration, scope } = found;
    if (ts.isFunctionDeclaration(declaration) || ts.isClassLike(declaration) || ts.isEnumDeclaration(declaration)) return other;
    if (!ts.isVariableDeclaration(declaration) && !ts.isParameter(declaration)) return unclear(onlyTypeScript);
    if (declaration.type) return this.of({ node: declaration.type, scope, within: new Map() }, depth + 1);
    const isConst = ts.isVariableDeclaration(declaration) && (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
    const value = declaration.initializer;
    return value && (isObject(value) || (isConst && isConstant(value))) ? other : unclear(onlyTypeScript);
  }
}

/** What a parameter's annotation says of it, followed through the files that it leads to. */
export function paramShape(parameter: ts.ParameterDeclaration, scope: Parsed, declarations: Declarations): ParamShape {
  if (!parameter.type || parameter.dotDotDotToken) return other;
  const { file, checker } = scope;
  const shape = new Shapes(declarations).of({ node: parameter.type, scope: { file, checker }, within: new Map() });
  return shape.kind === "unclear" ? { ...shape, type: textOf(parameter.type) } : shape;
}
