/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly ms: number;
}

/** What bad input makes slow takes minutes or for ever; a busy machine takes seconds. */
const SLOW_MS = 20_000;

/**
 * Returns what is wrong with the response to a bad request; undefined if it is as promised. `url` is what was
 * requested: one that leads out of the API, by dots, is answered with a page where there is one.
 */
export function complaintsAbout(answer: WireAnswer, url = '/api/'): string[] {
  const { status, headers, ms } = answer;
  const complaints: string[] = [];
  if (status < 200 || status >= 500) complaints.push(`the status is ${status}`);
  if (!headers['x-request-id']) complaints.push('there is no X-Request-ID');
  if (ms > SLOW_MS) complaints.push(`it took ${Math.round(ms)} ms`);
  if (status === 401 && !headers['www-authenticate']) complaints.push('there is no WWW-Authenticate');
  if (status >= 400 && !isPage(answer, url)) complaints.push(...complaintsAboutProblem(answer));
  return complaints;
}

function isPage({ headers, body }: WireAnswer, url: string): boolean {
  const leadsOut = !URL.parse(url, 'http://waymark.test')?.pathname.startsWith('/api/');
  return leadsOut && /^text\/html\b/.test(String(headers['content-type'])) && body.startsWith('<!doctype html>');
}

function complaintsAboutProblem({ status, headers, body }: WireAnswer): string[] {
  if (/^application\/scim\+json\b/.test(String(headers['content-type']))) {
    return isScimProblem(parsed(body), status) ? [] : ['the body has not the shape of a problem of SCIM'];
  }
  if (!/^application\/json\b/.test(String(headers['content-type']))) {
    return [`the content type is ${headers['content-type']}`];
  }
  const problem = parsed(body);
  const isRight = status === 400 ? isValidationProblem(problem) : isProblem(problem);
  return isRight ? [] : ['the body has not the shape of a problem'];
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): boolean {
  return isObject(value) && hasKeys(value, ['message', 'request_id']) && isText(value['message']);
}

function isValidationProblem(value: unknown): boolean {
  if (!isObject(value) || !hasKeys(value, ['errors', 'message', 'request_id']) || !isText(value['message']))
    return false;
  const errors = value['errors'];
  return errors === null || (isObject(errors) && isNotEmpty(errors) && Object.values(errors).every(isText));
}

function isScimProblem(value: unknown, status: number): boolean {
  if (!isObject(value) || value['status'] !== String(status) || !isText(value['detail'])) return false;
  const keys = Object.keys(value).filter((key) => key !== 'scimType' || !isText(value['scimType']));
  return hasKeys(Object.fromEntries(keys.map((key) => [key, null])), ['detail', 'schemas', 'status']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasKeys(value: object, keys: readonly string[]): boolean {
  return Object.keys(value).sort().join() === keys.join();
}

function isNotEmpty(value: object): boolean {
  return Object.keys(value).length > 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
