/** An entry of the journal with its place in the ledger. */
export interface RecordEntry {
  readonly id: string;
  /** Null until it is sequenced. */
  readonly index: number | null;
  readonly seq: number;
  readonly type: string;
  readonly at: Date;
  readonly actorId: string | null;
  readonly actorName: string;
  readonly kind: string;
  readonly subject: string;
  readonly subjectSeq: number;
  /** Null once it is erased, and if it does not have its digest. */
  readonly payload: Readonly<Record<string, unknown>> | null;
}
