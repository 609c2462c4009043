import { type FeedEvent, streamEvents } from '@waymark/contract';
import { afterEach } from 'vitest';
import type { App } from '../../src/platform/http/app.ts';
import type { TestOrg } from '../harness.ts';

interface Received {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: FeedEvent;
}

interface StreamOptions {
  readonly org: TestOrg;
  readonly key?: string;
  readonly cookie?: string;
  readonly after?: string;
  readonly topics?: string;
}

export interface TestStream {
  readonly response: Response;
  /** Waits for one event; undefined when the stream ends. */
  next(): Promise<Received | undefined>;
  close(): void;
}

/** Opens event streams as clients do; those left open end with the test. */
export async function givenStreams(app: App): Promise<(options: StreamOptions) => Promise<TestStream>> {
  const address = await app.http.listen({ host: '127.0.0.1', port: 0 });
  // Holds on to all of them: a response that is neither read nor referenced is closed when garbage is collected.
  const opened: TestStream[] = [];
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });
  return async ({ org, key = org.keys.reader, cookie, after, topics }) => {
    const credential = cookie === undefined ? { authorization: `Bearer ${key}` } : { cookie };
    const controller = new AbortController();
    const path = streamEvents.path.replace(':org', org.name);
    const response = await fetch(`${address}/api/v2${path}${topics ? `?topics=${topics}` : ''}`, {
      headers: { ...credential, ...(after !== undefined && { 'last-event-id': after }) },
      signal: controller.signal,
    });
    const stream = { response, next: readerOf(response), close: () => controller.abort() };
    opened.push(stream);
    return stream;
  };
}

/** Reads one event after another; undefined when the stream ends. */
export function readerOf(response: Response): TestStream['next'] {
  let reader: ReadableStreamDefaultReader<string> | undefined;
  let text = '';
  return async () => {
    // Not before it is needed, as the response may be a refusal.
    reader ??= response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        const chunk = await reader?.read();
        if (!chunk || chunk.done) return undefined;
        text += chunk.value;
        continue;
      }
      const received = parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (received) return received;
    }
  };
}

function parseEvent(block: string): Received | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const data = field('data');
  return data === undefined
    ? undefined
    : { id: field('id'), event: field('event') ?? '', data: JSON.parse(data) as FeedEvent };
}
