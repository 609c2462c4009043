/**
 * How the ledger protects the columns of a table with rows of an org. Every column is in one of the lists, except
 * `org_id`: a row that moves to another org is missing in one and has no entry in the other.
 */
export interface CoveredTable {
  /** Columns that entries contain, or the digest of which they contain. `ledger check` compares them. */
  readonly recorded?: string;
  /** Columns that follow from recorded ones. `ledger check` computes or compares them. */
  readonly derived?: string;
  /** Columns that nothing protects, each with the reason. */
  readonly open?: Readonly<Record<string, string>>;
  /** Why a row that is added or removed is not found, if it is not. */
  readonly rowsAreOpen?: string;
}

export function columnsIn(list: string | undefined): string[] {
  return list?.split(' ') ?? [];
}
