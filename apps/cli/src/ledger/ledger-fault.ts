import { CliError } from '../run/cli-error.ts';

interface FaultDetails {
  readonly why: string;
  readonly fix: string;
  /** The signed checkpoint that shows it. */
  readonly note?: string;
}

/** The log is not what it has to be: forked, smaller, begun again, or without its signatures. */
export class LedgerFault extends CliError {
  /** What the log signed, to be stored as evidence. */
  readonly note: string | undefined;

  constructor(what: string, { why, fix, note }: FaultDetails) {
    super('nonCompliant', what, { why, fix });
    this.note = note;
  }
}
