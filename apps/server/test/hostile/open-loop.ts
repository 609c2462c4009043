import { Agent, request } from 'node:http';

/** `{n}` in a path or body is the number of the request, `{some}` one of a few numbers. */
export interface LoopRequest {
  readonly method: string;
  readonly path: string;
  readonly key?: string;
  readonly body?: string;
}

export interface OpenLoop {
  readonly url: string;
  /** Taken in turn. */
  readonly requests: readonly LoopRequest[];
  /** How many values `{some}` has. */
  readonly some?: number;
  readonly perSecond: number;
  readonly count: number;
  /** Warm-up requests that are not counted, at the same rate. */
  readonly warmUp?: number;
}

export interface LoopResult {
  /** How often each status came; `broken` where none did. */
  readonly answers: Readonly<Record<string, number>>;
  /** In milliseconds, from when a request was due, whether or not the one before had been answered. */
  readonly p50: number;
  readonly p99: number;
  /** Successful responses per second that came within a second. */
  readonly goodput: number;
}

const TIMELY_MS = 1_000;
/** Beyond this many outstanding requests the server does not respond at all, and further ones show nothing new. */
const MAX_OUTSTANDING = 3_000;

/** Sends requests at their rate, however slowly they are answered. */
export async function runOpenLoop(loop: OpenLoop, stopped?: AbortSignal): Promise<LoopResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const answers: Record<string, number> = {};
  const took: number[] = [];
  let timely = 0;
  let outstanding = 0;
  const warmUp = loop.warmUp ?? 0;
  const all = warmUp + loop.count;
  const startedAt = performance.now();
  const { promise: isDone, resolve: finish } = Promise.withResolvers<void>();
  let sent = 0;
  const isOver = () => sent >= all || stopped?.aborted === true;

  function answered(n: number, dueAt: number, status: string): void {
    outstanding--;
    if (n >= warmUp) count(performance.now() - dueAt, status);
    if (isOver() && outstanding === 0) finish();
  }

  function count(ms: number, status: string): void {
    took.push(ms);
    answers[status] = (answers[status] ?? 0) + 1;
    if (status.startsWith('2') && ms <= TIMELY_MS) timely++;
  }

  function send(n: number, dueAt: number): void {
    const { method, path, key, body } = loop.requests[n % loop.requests.length] as LoopRequest;
    const some = Math.floor(n / loop.requests.length) % (loop.some ?? 1);
    const numbered = (template: string) => template.replaceAll('{n}', String(n)).replaceAll('{some}', String(some));
    const content = body === undefined ? undefined : numbered(body);
    outstanding++;
    let isAnswered = false;
    const outgoing = request(
      `${loop.url}${numbered(path)}`,
      {
        method,
        agent,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(content !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(content),
          }),
        },
      },
      (answer) => {
        isAnswered = true;
        answer.resume().on('close', () => answered(n, dueAt, String(answer.statusCode)));
      },
    );
    outgoing.on('error', () => isAnswered || answered(n, dueAt, 'broken'));
    outgoing.end(content);
  }

  const timer = setInterval(() => {
    const due = 1 + Math.floor(((performance.now() - startedAt) / 1000) * loop.perSecond);
    for (; sent < due && !isOver(); sent++) {
      if (outstanding < MAX_OUTSTANDING) send(sent, startedAt + (sent * 1000) / loop.perSecond);
    }
    if (!isOver()) return;
    clearInterval(timer);
    if (outstanding === 0) finish();
  }, 2);
  await isDone;
  agent.destroy();
  took.sort((a, b) => a - b);
  const at = (share: number) => Math.round((took[Math.floor(took.length * share)] ?? 0) * 10) / 10;
  return {
    answers,
    p50: at(0.5),
    p99: at(0.99),
    goodput: Math.round((timely * loop.perSecond) / loop.count),
  };
}

// As a separate program it shares no thread with anything.
const [, program, given] = process.argv;
if (given !== undefined && program?.endsWith('open-loop.ts')) {
  process.stdout.write(JSON.stringify(await runOpenLoop(JSON.parse(given) as OpenLoop)));
}
