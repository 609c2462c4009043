/** Codes of Node and the driver for a server that cannot be reached, or whose connection was lost. */
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

/** PostgreSQL's codes for "not now": shutting down, starting up, too many connections, out of resources. */
const NOT_NOW = /^(08|53|57P)/;

/** Transactions conflicted, or one took too long; the same request may well succeed when repeated. */
const COLLIDED = new Set(['40001', '40P01', '55P03', '57014']);

const LOST_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Whether the database could not do it now, as opposed to refusing the request. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = codeOf(error);
  if (LOST_CONNECTION.has(code) || NOT_NOW.test(code) || COLLIDED.has(code)) return true;
  return LOST_MESSAGE.test(error.message);
}

/** Whether a statement timed out: what is too much at once may work in parts. */
export function isTooLong(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/** Whether a statement timed out waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Whether PostgreSQL aborted this transaction because of a deadlock: it may be retried at once. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01';
}

export function isUniqueViolation(error: unknown, index: string): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === index;
}

/** Whether another transaction was faster in creating the same role, table or the like. */
export function isDuplicate(error: unknown): boolean {
  return ['42710', '42P07', '23505'].includes(codeOf(error));
}

/** Whether the role of this connection has no right to do it. */
export function isForbiddenToRole(error: unknown): boolean {
  return codeOf(error) === '42501';
}

/** Whether PostgreSQL refused the statement, whatever its reason. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && typeof (error as { severity?: unknown }).severity === 'string';
}

/** The message in a form that can be stored: PostgreSQL has no U+0000. */
export function storableMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\u0000', '\ufffd');
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
