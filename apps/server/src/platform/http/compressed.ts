import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends a pre-compressed body to clients that accept it. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, gzipped }: { readonly content: Buffer; readonly gzipped?: Buffer | undefined },
): FastifyReply {
  reply.header('vary', 'accept-encoding');
  if (!takesGzip(request) || !gzipped) return reply.send(content);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

export function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
}
