export interface GroupLimits {
  /** Items in one group, and their total size; a larger item goes by itself. */
  readonly group: number;
  readonly groupBytes: number;
  readonly waiting: number;
  readonly waitingPerShare: number;
}

export interface Member {
  /** An org, or an address where the org is not known yet. */
  readonly share: string;
  readonly bytes: number;
}

export interface GroupQueue<One extends Member> {
  readonly size: number;
  /** Returns the item that has to leave because too many wait: the given one, or the last of the longest row. */
  add(one: One): One | undefined;
  /** Takes one of each share in turn until the group is full. */
  take(): One[];
}

const NOBODY: readonly [string, never[]] = ['', []];

/** Items waiting for a shared statement, in one row per share. */
export function createGroupQueue<One extends Member>(limits: GroupLimits): GroupQueue<One> {
  /** In order of their turns. */
  const rows = new Map<string, One[]>();
  let size = 0;

  function add(one: One): One | undefined {
    const row = rows.get(one.share);
    if (row && row.length >= limits.waitingPerShare) return one;
    const leaves = size >= limits.waiting ? longestRow(row?.length ?? 0)?.pop() : undefined;
    if (size >= limits.waiting && !leaves) return one;
    if (row) row.push(one);
    else rows.set(one.share, [one]);
    if (!leaves) size++;
    return leaves;
  }

  /** Undefined unless it would still be at least as long as the row of `length` after that grows by one. */
  function longestRow(length: number): One[] | undefined {
    let longest: One[] | undefined;
    for (const row of rows.values()) if (row.length > (longest?.length ?? length + 1)) longest = row;
    return longest;
  }

  function take(): One[] {
    const group: One[] = [];
    let bytes = 0;
    while (group.length < limits.group) {
      const [[share, row] = NOBODY] = rows;
      const first = row[0];
      if (!first || (group.length > 0 && bytes + first.bytes > limits.groupBytes)) break;
      row.shift();
      if (row.length === 0) rows.delete(share);
      else if (rows.size > 1) {
        rows.delete(share);
        rows.set(share, row);
      }
      group.push(first);
      bytes += first.bytes;
    }
    size -= group.length;
    return group;
  }

  return {
    get size() {
      return size;
    },
    add,
    take,
  };
}
