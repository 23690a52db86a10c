import { registerSource, type Span } from "../base/diag/index.ts";
import { fail } from "./errors.ts";
import { lex, placeOf, refuse, type Token } from "./lexer.ts";

const endToken: Token = { kind: "end", text: "the end of the text", value: "", line: 1, column: 1, newLine: true };

/** A reading position in the tokens of a text. Every `expect…` refuses the text where something else stands. */
export class Cursor {
  private readonly tokens: readonly Token[];
  private readonly file: string;
  private readonly text: string;
  private next = 0;

  constructor(text: string, file: string) {
    this.text = text;
    this.file = file;
    this.tokens = lex(text, file);
  }

  get token(): Token {
    return this.tokens[this.next] ?? this.tokens.at(-1) ?? endToken;
  }

  advance(): Token {
    const token = this.token;
    this.next++;
    return token;
  }

  /** Where `token` stands. */
  place(token: Token): Span {
    return placeOf(this.file, token);
  }

  refuse(expected: string, token: Token = this.token): never {
    return refuse(this.file, this.text, token, expected);
  }

  /** Refuses a value that nothing defines. */
  undefinedValue(token: Token): never {
    registerSource(this.file, this.text);
    return fail("W2901", { value: token.text }, [this.place(token)]);
  }

  /** Is that the sign after this token? */
  followedBy(sign: string): boolean {
    return this.tokens[this.next + 1]?.text === sign;
  }

  is(text: string): boolean {
    const { kind } = this.token;
    return (kind === "sign" || kind === "word") && this.token.text === text;
  }

  /** Reads `text` if it stands here. */
  take(text: string): boolean {
    const here = this.is(text);
    if (here) this.next++;
    return here;
  }

  expect(text: string): Token {
    return this.is(text) ? this.advance() : this.refuse(`'${text}'`);
  }

  word(what: string): Token {
    return this.token.kind === "word" ? this.advance() : this.refuse(what);
  }

  /** A word or a string. */
  name(what: string): string {
    return this.token.kind === "word" || this.token.kind === "string" ? String(this.advance().value) : this.refuse(what);
  }

  string(what: string): string {
    return this.token.kind === "string" ? String(this.advance().value) : this.refuse(what);
  }

  number(what: string): number {
    return this.token.kind === "number" ? Number(this.advance().value) : this.refuse(what);
  }

  /** Items between two signs, with commas. */
  list<T>(open: string, close: string, item: () => T): T[] {
    const items: T[] = [];
    this.expect(open);
    while (!this.is(close)) {
      items.push(item());
      if (!this.take(",")) break;
    }
    this.expect(close);
    return items;
  }

  /** Items with commas, at least one. */
  items<T>(item: () => T): T[] {
    const items = [item()];
    while (this.take(",")) items.push(item());
    return items;
  }
}
