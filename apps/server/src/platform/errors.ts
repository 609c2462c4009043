/** Failures a caller can act on. Anything else that is thrown is a bug and answers 500. */
export type ProblemCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable';

export type Fields = Readonly<Record<string, string>>;

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  /** Dotted field path to what is wrong with it. */
  readonly fields: Fields | null;
  readonly retryAfterSeconds: number | undefined;
  /** What SCIM calls it. */
  readonly scimType: string | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    more: { fields?: Fields; retryAfterSeconds?: number; cause?: unknown; scimType?: string | undefined } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.fields = more.fields ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.scimType = more.scimType;
  }
}

export function invalid(message: string, fields?: Fields): Problem {
  return new Problem('invalid', message, fields ? { fields } : {});
}

export function invalidField(field: string, reason: string): Problem {
  return invalid(`The request is not valid: ${field} ${reason}`, { [field]: reason });
}

export function unauthenticated(message: string): Problem {
  return new Problem('unauthenticated', message);
}

export function forbidden(message: string): Problem {
  return new Problem('forbidden', message);
}

export function notFound(kind: string, name: string): Problem {
  return new Problem('not_found', `${kind} '${name}' does not exist in this org`);
}

export function conflict(message: string): Problem {
  return new Problem('conflict', message);
}

export function tooLarge(message: string): Problem {
  return new Problem('too_large', message);
}

export function rateLimited(retryAfterSeconds: number): Problem {
  return new Problem('rate_limited', `Too many requests; try again in ${retryAfterSeconds} s`, { retryAfterSeconds });
}

export function unavailable(message: string, more: { cause?: unknown; retryAfterSeconds?: number } = {}): Problem {
  return new Problem('unavailable', message, { retryAfterSeconds: 1, ...more });
}
