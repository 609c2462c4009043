import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../errors.ts';
import type { BodyBudget } from './body-budget.ts';
import { collectBody } from './body-intake.ts';
import { jsonFailure } from './json-failure.ts';

export const MAX_DEPTH = 32;
const FORM_MAX_BYTES = 64 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route accepts the form of a page. */
    takesFormFields?: boolean;
  }
}

/** Handlers get JSON as bytes, and parse it when it is their turn. */
export function acceptJson(app: FastifyInstance, bodies: BodyBudget): void {
  app.removeAllContentTypeParsers();
  const types = ['application/json', 'application/scim+json'];
  app.addContentTypeParser(types, (request: FastifyRequest, payload, done) => {
    const { bodyLimit: maxBytes } = request.routeOptions;
    collectBody(bodies, request, payload, { maxBytes, read: (bytes) => bytes }, done);
  });
}

/** For forms in our pages. API operations do not accept them: any site can make a browser send such a form. */
export function acceptFormFields(app: FastifyInstance, bodies: BodyBudget): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', (request: FastifyRequest, payload, done) => {
    const { bodyLimit, config } = request.routeOptions;
    const read = (bytes: Buffer) => {
      if (config.takesFormFields) return new URLSearchParams(bytes.toString());
      throw invalid('This endpoint does not accept forms. Send application/json');
    };
    collectBody(bodies, request, payload, { maxBytes: Math.min(FORM_MAX_BYTES, bodyLimit), read }, done);
  });
}

const NOTHING = Buffer.alloc(0);

/** Returns the bytes of the body, or none. The request drops them, so that they can be freed while it runs. */
export function takeBody(request: FastifyRequest): Buffer {
  const { body } = request;
  request.body = undefined;
  return Buffer.isBuffer(body) ? body : NOTHING;
}

/**
 * JSON as clients really send it: an empty body and `null` both mean "no body", on any method. Bytes that are not UTF-8
 * become U+FFFD. Refuses keys that would reach into JavaScript's prototypes.
 */
export function parseJson(request: FastifyRequest, body: Buffer): unknown {
  const text = body.toString();
  if (text.trim() === '') return null;
  if (isDeeperThan(text, MAX_DEPTH)) throw invalid(`The body is nested more than ${MAX_DEPTH} levels deep`);
  if (!text.startsWith('\uFEFF') && !SUSPECT.some((part) => text.includes(part))) return parsePlain(text);
  let parsed: unknown;
  let isRefused = false;
  void request.server.getDefaultJsonParser('error', 'error')(request, text, (error, value) => {
    isRefused = error !== null;
    parsed = value;
  });
  if (isRefused) throw invalid(jsonFailure(text));
  return parsed;
}

/** A text without any of these has no key to refuse. The careful parser is slow to find that out. */
const SUSPECT = ['__proto__', 'constructor', '\\u'];

function parsePlain(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(jsonFailure(text));
  }
}

const [QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = Buffer.from('"{}[]');

/** Counts brackets outside of strings, so that a hostile body is refused before it is parsed. */
export function isDeeperThan(json: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (char === QUOTE) i = endOfString(json, i);
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth++;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth--;
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
