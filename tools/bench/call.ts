import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below `/api/v2`. */
  readonly path: string;
  readonly body?: object;
}

export const MAX_CALLERS = 16;

const agent = new Agent({ keepAlive: true, maxSockets: MAX_CALLERS });

/** Calls the API on a connection that is kept, and reads the answer to its end. */
export async function send(url: string, key: string, { method, path, body }: Call): Promise<void> {
  const content = body && JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${key}`,
    ...(content && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v2${path}`, { method, agent, headers }, (answer) => {
      text(answer).then((received) => {
        if (answer.statusCode === 200 || answer.statusCode === 201) resolve();
        else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${received}`));
      }, reject);
    });
    sent.on('error', reject);
    sent.end(content);
  });
}
