import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Call {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** Below `/api/v2`. */
  readonly path: string;
  /** Text is sent as it is. */
  readonly body?: object | string;
}

export const MAX_CALLERS = 16;

const agent = new Agent({ keepAlive: true, maxSockets: MAX_CALLERS });

/** The server refused a call for now, and says when to repeat it. */
class NotNow extends Error {
  readonly seconds: number;

  constructor(message: string, seconds: number) {
    super(message);
    this.seconds = seconds;
  }
}

const MAX_TRIES = 8;

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly content: string;
}

/** Calls the API on a keep-alive connection, and reads the response without parsing it. */
export function send(url: string, key: string, call: Call): Promise<void> {
  return exchange(url, key, call, (answer) => finished(answer.resume()));
}

export function ask(url: string, key: string, call: Call): Promise<Answer> {
  return exchange(url, key, call, async (answer) => ({ headers: answer.headers, content: await text(answer) }));
}

/** As any client, repeats a call that is refused for now, after the time that the server names. */
export async function deliver(url: string, key: string, call: Call): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await send(url, key, call);
    } catch (error) {
      if (!(error instanceof NotNow) || tries === MAX_TRIES) throw error;
      await sleep(error.seconds * 1_000);
    }
  }
}

function exchange<T>(url: string, key: string, call: Call, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
  const { method, path, body } = call;
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  const headers = {
    authorization: `Bearer ${key}`,
    ...(content && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v2${path}`, { method, agent, headers }, (answer) => {
      if (answer.statusCode === 200 || answer.statusCode === 201) read(answer).then(resolve, reject);
      else {
        text(answer).then((received) => reject(refusal(call, answer, received)), reject);
      }
    });
    sent.on('error', reject);
    sent.end(content);
  });
}

function refusal({ method, path }: Call, { statusCode, headers }: IncomingMessage, received: string): Error {
  const message = `${method} ${path} answered ${statusCode}: ${received}`;
  return statusCode === 503 ? new NotNow(message, Number(headers['retry-after'] ?? 1)) : new Error(message);
}
