import { connect, type Socket } from 'node:net';
import { type LoopRequest, type LoopResult, runOpenLoop } from './open-loop.ts';
import type { Stage } from './stage.ts';

export interface Attack {
  readonly name: string;
  /** What exists before it begins, such as rows that were written over months. */
  prepare?(stage: Stage): Promise<void>;
  /** Resolves when the attack has begun. The returned function ends it. */
  start(stage: Stage): Promise<() => Promise<unknown>>;
}

/** Requests without end, at a rate that ignores the responses. */
export function flood(stage: Stage, perSecond: number, requests: readonly LoopRequest[]): () => Promise<LoopResult> {
  const stopping = new AbortController();
  const loop = { url: stage.url, requests, perSecond, count: Number.POSITIVE_INFINITY };
  const running = runOpenLoop(loop, stopping.signal);
  return () => {
    stopping.abort();
    return running;
  };
}

/** Connections with this much written at once, and one byte now and then to keep them open. */
export async function holdSockets(
  { url }: Stage,
  count: number,
  opening: (i: number) => string,
  everyMs?: number,
): Promise<() => Promise<void>> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).resume();
    socket.write(opening(i));
    sockets.push(socket);
  }
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, everyMs ?? 60_000);
  return async () => {
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
  };
}

/** The head of a request whose announced body does not come. */
export function headOf(method: string, path: string, key: string, length: number): string {
  return [
    `${method} /api/v2${path} HTTP/1.1`,
    'Host: waymark',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n');
}
