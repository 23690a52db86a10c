/**
 * Groups of asynchronous operations, for `commit_group` and `wait_group N`: of bulk stores (per thread), of `cp.async` (per
 * thread), of wgmma (per warpgroup). PTX ISA 9.7.9.24, 9.7.9.25 and 9.7.15.7.
 */

/** Operations that are not through, by what still happens to them. */
export interface AsyncGroup {
  reads: number;
  writes: number;
}

export interface AsyncGroups {
  /** What the next commit closes. */
  open: AsyncGroup;
  /** Oldest first; those that are through leave from the front. */
  readonly committed: AsyncGroup[];
}

export const createAsyncGroups = (): AsyncGroups => ({ open: { reads: 0, writes: 0 }, committed: [] });

/** An operation joins the open group. */
export function joinGroup(groups: AsyncGroups): AsyncGroup {
  groups.open.reads += 1;
  groups.open.writes += 1;
  return groups.open;
}

export function commitGroup(groups: AsyncGroups): void {
  groups.committed.push(groups.open);
  groups.open = { reads: 0, writes: 0 };
  let through = 0;
  while (through < groups.committed.length && isThrough(groups.committed[through], false)) through += 1;
  groups.committed.splice(0, through);
}

/** Whether all but the newest `allowed` groups are through; with `read`, whether their sources have been read. */
export function groupsThrough(groups: AsyncGroups, allowed: number, read = false): boolean {
  const must = groups.committed.length - allowed;
  for (let i = 0; i < must; i += 1) if (!isThrough(groups.committed[i], read)) return false;
  return true;
}

/** Whether nothing is in flight, committed or not (`cp.async.wait_all`). */
export const allThrough = (groups: AsyncGroups): boolean => isThrough(groups.open, false) && groupsThrough(groups, 0);

const isThrough = (group: AsyncGroup | undefined, read: boolean): boolean =>
  group === undefined || (group.reads === 0 && (read || group.writes === 0));
