export type OutboundErrorCode = 'bad_url' | 'blocked' | 'unresolved' | 'timeout' | 'too_large' | 'failed';

/**
 * A request to a third-party server was refused or failed. The message is for an admin of the org that gave the URL: it
 * names the host, but neither the address behind it nor what listens there. The cause is for the log.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

/** Finds the outbound error in what a client library threw: openid-client wraps what its fetch throws. */
export function findOutboundError(thrown: unknown): OutboundError | undefined {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if (error instanceof OutboundError) return error;
    error = error.cause;
  }
  return undefined;
}
