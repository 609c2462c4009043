import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';

export interface Call {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** Below `/api/v2`. */
  readonly path: string;
  /** Text is sent as it is. */
  readonly body?: object | string;
}

export const MAX_CALLERS = 16;

const agent = new Agent({ keepAlive: true, maxSockets: MAX_CALLERS });

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

function exchange<T>(
  url: string,
  key: string,
  { method, path, body }: Call,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  const headers = {
    authorization: `Bearer ${key}`,
    ...(content && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v2${path}`, { method, agent, headers }, (answer) => {
      if (answer.statusCode === 200 || answer.statusCode === 201) read(answer).then(resolve, reject);
      else {
        const refuse = (received: string) =>
          reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${received}`));
        text(answer).then(refuse, reject);
      }
    });
    sent.on('error', reject);
    sent.end(content);
  });
}
