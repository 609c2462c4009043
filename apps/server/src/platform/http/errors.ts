import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, ScimError } from '@waymark/scim';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../db/failure.ts';
import { type Fields, invalid, Problem, type ProblemCode, unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { withoutBase } from './base-path.ts';

const STATUS: Record<ProblemCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  too_slow: 408,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

export function statusOf({ code }: Problem): number {
  return STATUS[code];
}

/** Spec 7: a 400 always has `errors`; every other failure has a message. The request id is added to both. */
export function sendProblem(problem: Problem, reply: FastifyReply): FastifyReply {
  if (problem.code === 'unauthenticated') reply.header('www-authenticate', challengeFor(reply.request));
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', problem.retryAfterSeconds);
  const { message, fields, scimType } = problem;
  const status = STATUS[problem.code];
  return sendFailure(reply, status, problem.code === 'invalid' ? { message, errors: fields } : { message }, scimType);
}

/** A browser would answer a Basic challenge to a page's request with a password dialog. */
function challengeFor({ routeOptions, headers }: FastifyRequest): string {
  const isBrowser = headers['sec-fetch-site'] !== undefined;
  return routeOptions.config.basicAuth && !isBrowser ? 'Bearer, Basic realm="Waymark"' : 'Bearer';
}

/** Clients below this path speak SCIM, so unknown paths there get a SCIM error as well. */
const SCIM = '/api/v2/scim/';

export function isScim(url: string): boolean {
  return url.startsWith(SCIM);
}

const JSON_TYPE = 'application/json; charset=utf-8';
const SCIM_TYPE = 'application/scim+json; charset=utf-8';

interface Failure {
  readonly message: string;
  readonly errors?: Fields | null;
}

export function sendFailure(reply: FastifyReply, status: number, body: Failure, scimType?: string): FastifyReply {
  const { url, id } = reply.request;
  if (!isScim(url)) return sendJson(reply.code(status), { ...body, request_id: id });
  return reply
    .code(status)
    .header('content-type', SCIM_TYPE)
    .send(JSON.stringify(scimFailure(status, body, scimType)));
}

function scimFailure(status: number, { message, errors }: Failure, scimType?: string): object {
  return errorBody(
    status,
    message,
    scimType ?? (status === 400 ? (errors ? 'invalidValue' : 'invalidSyntax') : undefined),
  );
}

export function sendNothingAt(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendFailure(reply, 404, { message: `Nothing found at ${request.method} ${request.url.split('?')[0]}` });
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(JSON.stringify(body));
}

export function onError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (problem) {
    // Requests refused because of load are counted by their queue.
    if (problem.code === 'unavailable' && problem.cause !== undefined)
      request.log.warn({ cause: String(problem.cause) }, 'request could not be served');
    return sendProblem(problem, reply);
  }
  request.log.error({ err: error }, 'request failed');
  return sendFailure(reply, 500, {
    message: `Internal error. Report it with the request id ${request.id}`,
  });
}

function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof ScimError) {
    return new Problem(error.status === 409 ? 'conflict' : 'invalid', error.message, { scimType: error.scimType });
  }
  if (isUnavailable(error)) return unavailable('The database is temporarily unavailable', { cause: error });
  const { code, statusCode, message } = error as FastifyError;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return invalid(
      'Unsupported content type: send application/json, or multipart/form-data where the endpoint accepts it',
    );
  }
  if (code === 'FST_ERR_BAD_URL') return invalid('The path is not valid: its percent-encoding is malformed');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return invalid('The path is not valid: one of its segments is too long');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return invalid(message);
  return undefined;
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** Bytes that never become a request: there is no reply object, only a connection to write to and close. */
export function answerClientError(basePath: string) {
  return (error: ClientError, socket: Socket) => onClientError(basePath, error, socket);
}

function onClientError(basePath: string, error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = toConnectionProblem(error.code);
  const isScim = isScimRequest(basePath, error.rawPacket);
  const id = newId();
  const body = JSON.stringify(isScim ? scimFailure(status, { message }) : connectionFailure(status, message, id));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `Content-Type: ${isScim ? SCIM_TYPE : JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${id}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

/** The bytes that could not be parsed begin with the request line, unless it came in an earlier packet. */
function isScimRequest(basePath: string, packet: unknown): boolean {
  if (!Buffer.isBuffer(packet)) return false;
  const [, path = ''] = packet.toString('latin1', 0, 64 + basePath.length).split(' ');
  return isScim(withoutBase(basePath, path));
}

function connectionFailure(status: number, message: string, request_id: string): object {
  return status === 400 ? { message, errors: null, request_id } : { message, request_id };
}

function toConnectionProblem(code: string | undefined): [number, string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive'];
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [431, 'The URL and the headers are too large: the maximum is 16 KiB in total'];
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return [413, 'The chunk extensions are too large'];
  if (code === 'HPE_INVALID_METHOD') return [400, 'Unknown HTTP method'];
  return [400, 'The request is not valid HTTP'];
}
