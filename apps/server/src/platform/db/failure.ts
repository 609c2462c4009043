/** No way to the server, or none any more, as Node and the driver name it. */
const LOST_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** PostgreSQL's own words for "not now": shutting down, starting up, too many connections, out of resources. */
const NOT_NOW = /^(08|53|57P)/;

/** Transactions stood in each other's way, or one took too long; the same request may well succeed when repeated. */
const COLLIDED = new Set(['40001', '40P01', '55P03', '57014']);

const LOST_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Whether the database could not do it now, as opposed to refusing what was asked. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = codeOf(error);
  if (LOST_CONNECTION.has(code) || NOT_NOW.test(code) || COLLIDED.has(code)) return true;
  return LOST_MESSAGE.test(error.message);
}

/** Whether a statement was ended because it took too long: what is too much at once may do in parts. */
export function isTooLong(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/** Whether a statement was ended because a lock that it needs was not free in time. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Whether two transactions waited for each other and this one was given up: it may be tried again at once. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01';
}

export function isUniqueViolation(error: unknown, index: string): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === index;
}

/** Whether PostgreSQL answered that it does not do what was asked, whatever its reason. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && typeof (error as { severity?: unknown }).severity === 'string';
}

/** What went wrong, as it can be written down: PostgreSQL has no place for U+0000. */
export function storableMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\u0000', '\ufffd');
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
