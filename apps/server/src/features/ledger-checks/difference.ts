/** Something that is not as it was recorded. */
export interface LedgerDifference {
  /** Null for what belongs to all orgs: the region log and its checkpoints. */
  readonly org: string | null;
  /** A table, or `object` for what is in the evidence store. */
  readonly table: string;
  /** The key of the row without its org, or the path of the object. */
  readonly row: string;
  /** Null if the row as a whole is missing, or is one too many. */
  readonly column: string | null;
  /** The index of the entry that is affected, or that says how it was. */
  readonly index: number | null;
  /** What is wrong, as a clause: `is true, but attestation.recorded says false`. */
  readonly says: string;
}

export type OnDifference = (difference: LedgerDifference) => void;

/** Values can be whole documents. */
const SHOWN = 120;

export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
