/** A stable error code: `W` and four digits. */
export type Code = `W${number}`;

/**
 * One error. `message` is one sentence in the author's words, never in the compiler's; `fix` says what to
 * write instead.
 */
export interface ErrorSpec<A> {
  readonly message: (args: A) => string;
  readonly fix: (args: A) => string;
  /** The same for kernels that another compiler made, where ours name what only its language has: in the words of PTX and CUDA C++. */
  readonly inPtx?: { readonly message?: (args: A) => string; readonly fix?: (args: A) => string };
  /** The same for kernels of programs of loop nests, which have no barriers of their own. */
  readonly inLoops?: { readonly message?: (args: A) => string; readonly fix?: (args: A) => string };
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments are contravariant, so only `any` accepts every entry
type AnySpec = ErrorSpec<any>;

/** Declares errors of a room; the type of each entry's arguments is inferred from its functions. */
export const defineErrors = <const T extends Record<Code, AnySpec>>(errors: T): T => errors;

/** The arguments that an entry of such a table asks for. */
export type ErrorArgs<T, K extends keyof T> = T[K] extends ErrorSpec<infer A> ? A : never;
