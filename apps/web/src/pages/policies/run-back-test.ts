import { createClient } from '@waymark/client';
import { type Simulation, type SimulationInput, simulatePolicy } from '@waymark/contract';
import { withBase } from '../../lib/base-path.ts';

export interface Progress {
  readonly environment: string;
  readonly done: number;
  readonly of: number;
}

/** The server stops by itself after a minute. */
const TIMEOUT_MS = 90_000;

interface Running {
  readonly org: string;
  readonly body: SimulationInput;
  readonly csrfToken: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Requests lines, reports those about progress, and passes the last one to the client as if it were the whole response,
 * so that errors and shapes are checked as with any other operation.
 */
export async function runBackTest({ org, body, csrfToken, signal, onProgress }: Running): Promise<Simulation> {
  const inLines: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('accept', 'application/x-ndjson');
    if (csrfToken !== undefined) headers.set('x-csrf-token', csrfToken);
    const response = await fetch(input, { ...init, headers, credentials: 'same-origin' });
    const isInLines = response.headers.get('content-type')?.startsWith('application/x-ndjson');
    if (!isInLines || !response.body) return response;
    const last = await lastLine(response.body, onProgress);
    return new Response(last, { status: response.status, headers: { 'content-type': 'application/json' } });
  };
  const client = createClient({ baseUrl: withBase('/api/v2'), fetch: inLines, retries: 0, timeoutMs: TIMEOUT_MS });
  return client.call(simulatePolicy, { params: { org }, body, signal });
}

/** Each line before the last reports progress. */
export async function lastLine(
  stream: ReadableStream<Uint8Array>,
  onProgress: (progress: Progress) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = '';
  let last = '';
  const take = (line: string) => {
    if (line.trim() === '') return;
    last = line;
    const progress = progressIn(line);
    if (progress) onProgress(progress);
  };
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
    if (done) break;
  }
  take(rest);
  return last;
}

/** The result itself may be large, and is parsed only once. */
function progressIn(line: string): Progress | undefined {
  if (!line.startsWith('{"progress"')) return undefined;
  return (JSON.parse(line) as { progress: Progress }).progress;
}
