/** Names for what a printed program declares: the author's, with a number behind where another in scope has it. */

/** Words that TypeScript keeps, and what a printed program calls or imports. */
const taken = new Set(
  (
    "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in " +
    "instanceof new null return super switch this throw true try typeof var void while with yield let static await async of arguments eval " +
    "undefined NaN Infinity Math " +
    "f64 f32 tf32 f16 bf16 e4m3 e5m2 i64 u64 i32 u32 i16 u16 i8 u8 bool " +
    "program grid serial unrolled vectorized bind block spatial reduce init where annotate reads writes alloc intrinsic effect floorDiv Buffer"
  ).split(" "),
);

const identifier = (name: string): string => name.replace(/[^\w$]/g, "_").replace(/^(?=\d|$)/, "_");

/** What is in scope at one place. Names given inside are gone outside. */
export class Names {
  readonly #used: Set<string>;
  readonly #of: Map<object, string>;

  constructor(outer?: Names) {
    this.#used = new Set(outer ? outer.#used : taken);
    this.#of = new Map(outer ? outer.#of : []);
  }

  /** Gives the thing a name that nothing in scope has. */
  declare(thing: object, wanted: string): string {
    const base = identifier(wanted);
    let name = base;
    for (let i = 1; this.#used.has(name); i++) name = `${base}${i}`;
    this.#used.add(name);
    this.#of.set(thing, name);
    return name;
  }

  /** The thing is written as that text. */
  call(thing: object, text: string): void {
    this.#of.set(thing, text);
  }

  of(thing: object): string | undefined {
    return this.#of.get(thing);
  }

  inner(): Names {
    return new Names(this);
  }
}
