/** Arrays by their names, in the order of the file, with the texts beside them. */
export class NamedArrays<T> extends Map<string, T> {
  readonly metadata: Readonly<Record<string, string>>;

  constructor(arrays: Iterable<readonly [string, T]>, metadata: Readonly<Record<string, string>>) {
    super(arrays);
    this.metadata = metadata;
  }
}
