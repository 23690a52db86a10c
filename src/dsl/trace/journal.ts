/** Changes of a state of the trace, each with what takes it back. */
export class Journal {
  private readonly undos: (() => void)[] = [];

  note(undo: () => void): void {
    this.undos.push(undo);
  }

  /** Gives what takes back, last first, all that is noted from now on. */
  save(): () => void {
    const { length } = this.undos;
    return () => {
      for (const undo of this.undos.splice(length).reverse()) undo();
    };
  }
}

/** The same for a list that only grows. */
export function saveLength(list: unknown[]): () => void {
  const { length } = list;
  return () => {
    list.splice(length);
  };
}
