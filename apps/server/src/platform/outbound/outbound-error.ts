export type OutboundErrorCode = 'bad_url' | 'blocked' | 'unresolved' | 'timeout' | 'too_large' | 'failed';

/**
 * A request to somebody else's server was refused or came to nothing. The message is for an admin of the org that gave
 * the URL: it names the host, and neither the address behind it nor what listens there. The cause is for the log.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

/** The outbound error in or behind what a client library threw: openid-client wraps what its fetch throws. */
export function findOutboundError(thrown: unknown): OutboundError | undefined {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if (error instanceof OutboundError) return error;
    error = error.cause;
  }
  return undefined;
}
