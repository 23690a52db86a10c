import type { Span } from "../../base/diag/index.ts";

/** Why a loop cannot be specialized, and where; what to do instead, where that is not what every such loop needs. */
export class Refusal {
  readonly why: string;
  readonly span: Span | undefined;
  readonly instead: string | undefined;
  constructor(why: string, at?: { readonly span?: Span | undefined }, instead?: string) {
    this.why = why;
    this.span = at?.span;
    this.instead = instead;
  }
}
