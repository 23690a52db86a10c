/** The API reference as Markdown, from the types and doc comments of the sources. */
import { join, relative } from "node:path";
import { ts } from "ts-morph";
import { type Group, groups } from "./api-groups.ts";
import { type ApiName, type PublicApi, publicApi } from "./public-api.ts";

const source = join(import.meta.dirname, "../../src");

/** Where a name belongs: the longest room that its file lies in. */
function groupOf({ symbol, path }: ApiName): Group {
  const file = relative(source, symbol.declarations?.[0]?.getSourceFile().fileName ?? "").replaceAll("\\", "/");
  const isIn = (room: string): boolean => file === room || file.startsWith(`${room}/`);
  const group = groups.find(({ rooms }) => rooms.some(isIn));
  if (!group) throw new Error(`${path} of src/${file} belongs to no page of docs/api: name its room in test/docs/api-groups.ts`);
  return group;
}

const isOptional = ({ symbol }: ApiName): boolean => (symbol.flags & ts.SymbolFlags.Optional) !== 0;
const lastName = ({ path }: ApiName): string => path.slice(path.lastIndexOf(".") + 1);

/** Error codes and pages become links; what stands in backticks stays. */
function withLinks(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part
        : part
            .replace(/\bW\d{4}\b/g, (code) => `[${code}](../errors.md#${code.toLowerCase()})`)
            .replace(/\bdocs\/([\w-]+\.md)\b/g, (_, page: string) => `[${page}](../${page})`),
    )
    .join("");
}

/** A comment as paragraphs: lines that belong together are one. */
const prose = (doc: string): string =>
  withLinks(doc)
    .split(/\n{2,}/)
    .map((part) => (/^\s*[-|]/m.test(part) ? part : part.replaceAll("\n", " ")))
    .join("\n\n");
const inCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

class Page {
  readonly #checker: ts.TypeChecker;
  readonly #exported: ReadonlySet<ts.Symbol>;

  constructor(checker: ts.TypeChecker, exported: ReadonlySet<ts.Symbol>) {
    this.#checker = checker;
    this.#exported = exported;
  }

  #typeOf({ symbol }: ApiName): ts.Type | undefined {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    return declaration && this.#checker.getTypeOfSymbolAtLocation(symbol, declaration);
  }

  #typeText(type: ts.Type): string {
    return this.#checker.typeToString(
      type,
      undefined,
      ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope,
    );
  }

  /** Each way to call it. */
  #calls(name: ApiName, as: string): readonly string[] {
    const type = this.#typeOf(name);
    if (!type || !(name.symbol.flags & ts.SymbolFlags.Value)) return [];
    const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;
    const text = (signature: ts.Signature): string =>
      this.#checker.signatureToString(signature, undefined, flags).replace(/ \| undefined(?=[,)])/g, "");
    const plain = this.#checker.getNonNullableType(type);
    const isAbstract = name.symbol.declarations?.some((d) => ts.getCombinedModifierFlags(d) & ts.ModifierFlags.Abstract);
    return [
      ...plain.getCallSignatures().map((s) => `${as}${text(s)}`),
      ...(isAbstract ? [] : plain.getConstructSignatures().map((s) => `new ${as}${text(s)}`)),
    ];
  }

  /** How a type is declared: an alias in full, an interface or class by its first line. */
  #declared({ symbol }: ApiName): readonly string[] {
    return (symbol.declarations ?? []).flatMap((d) => {
      if (ts.isTypeAliasDeclaration(d)) return [d.getText().replace(/^export (declare )?/, "")];
      if (!ts.isInterfaceDeclaration(d) && !ts.isClassDeclaration(d)) return [];
      const parameters = d.typeParameters ? `<${d.typeParameters.map((p) => p.getText()).join(", ")}>` : "";
      const bases = (d.heritageClauses ?? []).flatMap((c) => c.types.filter((t) => this.#isExported(t)).map((t) => t.getText()));
      const kind = ts.isClassDeclaration(d) ? "class" : "interface";
      return [`${kind} ${d.name?.text ?? ""}${parameters}${bases.length > 0 ? ` extends ${bases.join(", ")}` : ""}`];
    });
  }

  /** The type of a constant that neither is called nor has members of its own. */
  #constant(name: ApiName, own: readonly ApiName[]): readonly string[] {
    const type = this.#typeOf(name);
    const isPlain = name.symbol.flags & ts.SymbolFlags.Variable && own.length === 0 && this.#calls(name, "").length === 0;
    return type && isPlain ? [`const ${name.path}: ${this.#typeText(type)}`] : [];
  }

  #isExported(type: ts.ExpressionWithTypeArguments): boolean {
    const symbol = this.#checker.getSymbolAtLocation(type.expression);
    return (
      symbol !== undefined &&
      this.#exported.has(symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol)
    );
  }

  /** Members that have an entry here: not those that another exported type declares. */
  #own(name: ApiName): readonly ApiName[] {
    const parent = (member: ApiName): ts.Symbol | undefined => {
      const declared = member.symbol.declarations?.[0]?.parent;
      return declared && (ts.isInterfaceDeclaration(declared) || ts.isClassDeclaration(declared)) && declared.name
        ? this.#checker.getSymbolAtLocation(declared.name)
        : undefined;
    };
    return name.members.filter((m) => {
      const of = parent(m);
      return of === undefined || of === name.symbol || !this.#exported.has(of);
    });
  }

  /** "`pred?: boolean`", comment and, further in, what it is made of. */
  #options(members: readonly ApiName[], indent = ""): readonly string[] {
    return members.flatMap((m) => {
      const type = this.#typeOf(m);
      const optional = isOptional(m);
      const text = type ? this.#typeText(optional ? this.#checker.getNonNullableType(type) : type) : "";
      return [
        `${indent}- \`${lastName(m)}${optional ? "?" : ""}: ${text}\`: ${withLinks(m.doc).replaceAll("\n", " ")}`,
        ...this.#options(this.#own(m), `${indent}  `),
      ];
    });
  }

  #table(fields: readonly ApiName[]): readonly string[] {
    if (fields.length === 0) return [];
    const row = (m: ApiName): string => {
      const type = this.#typeOf(m);
      const optional = isOptional(m);
      const text = type ? this.#typeText(optional ? this.#checker.getNonNullableType(type) : type) : "";
      return `| \`${lastName(m)}${optional ? "?" : ""}\` | \`${inCell(text)}\` | ${inCell(withLinks(m.doc))} |`;
    };
    return [["| | | |", "|---|---|---|", ...fields.map(row)].join("\n")];
  }

  /** An exported name: how it is written, what it is, its fields, its methods. */
  entry(name: ApiName): string {
    const { path } = name;
    const kind = name.symbol.declarations?.find((d) => ts.isClassDeclaration(d) || ts.isInterfaceDeclaration(d));
    const heading = kind ? `${ts.isClassDeclaration(kind) ? "class" : "interface"} ${path}` : path;
    const own = this.#own(name);
    const calls = this.#calls(name, path);
    const methods = calls.length > 0 && !kind ? [] : own.filter((m) => this.#calls(m, "").length > 0 && !isOptional(m));
    const fields = own.filter((m) => !methods.includes(m));
    const code = [...this.#declared(name).filter((line) => line !== heading), ...calls, ...this.#constant(name, own)];
    return [
      `## ${heading}`,
      ...(code.length > 0 ? [`\`\`\`ts\n${code.join("\n")}\n\`\`\``] : []),
      prose(name.doc),
      ...name.examples.map((code) => `<!-- run -->\n\`\`\`ts\n${code}\n\`\`\``),
      ...(calls.length > 0 && !kind ? [this.#options(fields).join("\n")].filter(Boolean) : this.#table(fields)),
      ...methods.map((m) => this.#method(m)),
    ].join("\n\n");
  }

  #method(name: ApiName): string {
    const options = this.#options(this.#own(name)).join("\n");
    return [
      `### ${name.path}`,
      `\`\`\`ts\n${this.#calls(name, lastName(name)).join("\n")}\n\`\`\``,
      prose(name.doc),
      ...(options ? [options] : []),
    ].join("\n\n");
  }
}

const generated = "This page is generated from the doc comments in `src` by `npm run docs:api`.";

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Each page by its file name below docs/api. */
export function apiPages({ checker, exports }: PublicApi = publicApi()): ReadonlyMap<string, string> {
  const all = Object.values(exports).flat();
  const page = new Page(checker, new Set(all.map(({ symbol }) => symbol)));
  const namesOf = (group: Group): readonly ApiName[] =>
    all.filter((name) => groupOf(name) === group).toSorted((a, b) => a.path.localeCompare(b.path, "en"));
  const pages = groups.map((group) => {
    const entries = namesOf(group).map((name) => page.entry(name));
    return [`${group.page}.md`, `${[`# ${group.title}`, group.about, generated, ...entries].join("\n\n")}\n`] as const;
  });
  const list = groups.map((group) => {
    const entries = pages.find(([file]) => file === `${group.page}.md`)?.[1] ?? "";
    const headings = new Map([...entries.matchAll(/^## (.*)$/gm)].map(([, h = ""]) => [h.replace(/^(class|interface) /, ""), h]));
    const links = [...headings].map(([name, heading]) => `[\`${name}\`](${group.page}.md#${anchorOf(heading)})`);
    return `## [${group.title}](${group.page}.md)\n\n${group.about}\n\n${links.join(" · ")}`;
  });
  const hooks =
    "`warpsmith/hooks` is what transformed code calls and `warpsmith/register` only installs the transform: authors import neither, so neither has a page.";
  return new Map([
    ["README.md", `${["# API reference", `Every name that the package exports. ${generated}`, ...list, hooks].join("\n\n")}\n`],
    ...pages,
  ]);
}
