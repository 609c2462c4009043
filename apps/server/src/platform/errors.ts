/** Failures that a caller can act on. Anything else that is thrown is a bug and answers 500. */
export type ProblemCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'too_slow'
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
  /** The name of the error in SCIM. */
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
  return invalidFields({ [field]: reason });
}

/** The message says where the error is and the fields say what it is, because clients print both. */
export function invalidFields(
  fields: Fields,
  { sent, isCut = false }: { sent?: unknown; isCut?: boolean } = {},
): Problem {
  const [first, ...others] = Object.entries(fields);
  const more = isCut
    ? ` (and many more; only the first ${others.length + 1} are listed)`
    : ` (and ${others.length} more)`;
  const rest = others.length > 0 ? more : '';
  return invalid(first ? `${faultAt(...first)}${quoted(first[0], sent)}${rest}` : 'The request is not valid', fields);
}

function faultAt(field: string, reason: string): string {
  const [, place, name] = /^(query|header)\.(.*)$/s.exec(field) ?? [];
  const kind = place === 'query' ? 'query parameter' : (place ?? 'field');
  const fault = reason === 'is required' ? 'Missing' : reason === 'is unknown' ? 'Unknown' : 'Invalid';
  return field === 'body' ? `${fault} body` : `${fault} ${kind} '${name ?? field}'`;
}

/** Fields that may hold a credential, or a URL with one in it. */
const SECRET = /key|secret|token|password|code|webhook|url|href|issuer|certificate|header\.|cookie|csrf/i;
const QUOTED_MAX = 80;

function quoted(field: string, sent: unknown): string {
  if (!['string', 'number', 'boolean'].includes(typeof sent) || SECRET.test(field)) return '';
  const text = typeof sent === 'string' ? JSON.stringify(sent.slice(0, QUOTED_MAX + 1)) : String(sent);
  if (text.includes('wmk_')) return '';
  const shown = text.length > QUOTED_MAX + 2 ? `${text.slice(0, QUOTED_MAX)}…"` : text;
  return `: ${shown.replace(/\p{C}/gu, '\ufffd')}`;
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

export function tooSlow(message: string): Problem {
  return new Problem('too_slow', message);
}

export function rateLimited(
  retryAfterSeconds: number,
  message = `Too many requests; try again in ${retryAfterSeconds} s`,
): Problem {
  return new Problem('rate_limited', message, { retryAfterSeconds });
}

export function unavailable(message: string, more: { cause?: unknown; retryAfterSeconds?: number } = {}): Problem {
  return new Problem('unavailable', message, { retryAfterSeconds: 1, ...more });
}
