import type { Ending } from './exit-codes.ts';

interface ErrorDetails {
  /** The cause, unless the message has it. */
  readonly why?: string;
  /** The next step for the user. */
  readonly fix?: string;
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** Ends the command: what happened, why, what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly ending: Ending;
  readonly why: string | undefined;
  readonly fix: string | undefined;
  readonly requestId: string | undefined;

  constructor(ending: Ending, what: string, { why, fix, requestId, cause }: ErrorDetails = {}) {
    super(what, { cause });
    this.ending = ending;
    this.why = why;
    this.fix = fix;
    this.requestId = requestId ?? undefined;
  }
}

export function usageError(what: string, fix?: string): CliError {
  return new CliError('usage', what, fix === undefined ? {} : { fix });
}
