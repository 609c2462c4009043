import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../errors.ts';

export const MAX_DEPTH = 32;

/** JSON as clients really send it: an empty body and `null` both mean "no body", on any method. */
export function acceptJson(app: FastifyInstance): void {
  // Refuses keys that would reach into JavaScript's prototypes.
  const parseSafely = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (request: FastifyRequest, body: string, done: (error: Error | null, value?: unknown) => void) => {
      if (body.trim() === '') return done(null, null);
      if (isDeeperThan(body, MAX_DEPTH)) return done(invalid(`The body is nested deeper than ${MAX_DEPTH} levels`));
      void parseSafely(request, body, (error, value) => {
        if (error) done(invalid(`The body is not valid JSON: ${error.message}`));
        else done(null, value);
      });
    },
  );
}

/** Counts brackets outside of strings, so that a hostile body is refused before it is parsed. */
export function isDeeperThan(json: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json[i];
    if (char === '"') i = endOfString(json, i);
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > limit) return true;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
