import type { Xid } from '../db/tables.ts';

/** The journal is read in this many lanes; all entries of an org are in one of them (see the column `journal.lane`). */
export const LANES = 16;

/** A position in the order of a lane. */
export interface Position {
  readonly xid: Xid;
  readonly seq: number;
}

export function isAfter(a: Position, b: Position): boolean {
  if (a.xid === b.xid) return a.seq > b.seq;
  return BigInt(a.xid) > BigInt(b.xid);
}
