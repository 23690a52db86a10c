/** What one thread, or warp, has started and not waited for, by groups (`commit_group`, `wait_group N`). */
export class GroupLedger<T> {
  /** Since the last commit. */
  #open: T[] = [];
  /** Those with something in them; `number` counts all, the empty ones too. */
  #committed: { readonly number: number; readonly items: readonly T[] }[] = [];
  #commits = 0;

  get open(): readonly T[] {
    return this.#open;
  }

  /** Everything, oldest first. */
  get outstanding(): readonly T[] {
    return [...this.committed, ...this.#open];
  }
  get committed(): readonly T[] {
    return this.#committed.flatMap((group) => group.items);
  }
  get idle(): boolean {
    return this.#open.length === 0 && this.#committed.length === 0;
  }

  add(item: T): void {
    this.#open.push(item);
  }

  commit(): void {
    this.#commits += 1;
    if (this.#open.length === 0) return;
    this.#committed.push({ number: this.#commits, items: this.#open });
    this.#open = [];
  }

  /** All but the newest `allowed` groups are through; gives whether there was anything in them. */
  wait(allowed: number): boolean {
    const before = this.#committed.length;
    this.#committed = this.#committed.filter((group) => group.number > this.#commits - allowed);
    return this.#committed.length < before;
  }

  clear(): void {
    this.#open = [];
    this.#committed = [];
  }
}
