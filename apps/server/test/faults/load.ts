import { setTimeout as sleep } from 'node:timers/promises';
import type { Org } from './installation.ts';

const BETWEEN_FLOWS_MS = 10;
const BETWEEN_ATTEMPTS_MS = 50;
const PATIENCE_MS = 180_000;

/** A flow that the API has acknowledged. */
export interface KnownFlow {
  readonly org_id: string;
  readonly name: string;
  /** How many changes of it were acknowledged. */
  readonly revision: number;
}

export interface Load {
  readonly flows: readonly KnownFlow[];
  /** How often each kind of answer came. */
  readonly answers: Readonly<Record<string, number>>;
  /** Requests that were cut off before their response was complete. */
  readonly broken: number;
  /** Attempts while nobody listened. */
  readonly refused: number;
  /** Changes that were already made when they were repeated: their first response was lost. */
  readonly repeated: number;
  /** Lets every caller finish what it has begun. */
  stop(): Promise<void>;
}

/** Callers that put one new flow after another, every third of them twice, and repeat what was not acknowledged. */
export function startLoad(target: {
  /** Of several servers, each request goes to another one than the last. */
  url: string | readonly string[];
  orgs: readonly Org[];
  callers: number;
  /** With which the names of the flows begin. */
  prefix?: string;
}): Load {
  const urls = [target.url].flat();
  let requests = 0;
  const flows: KnownFlow[] = [];
  const answers: Record<string, number> = {};
  const count = { broken: 0, refused: 0, repeated: 0 };
  const stopping = new AbortController();
  const callers = Promise.all(Array.from({ length: target.callers }, (_, caller) => call(caller)));
  // stop() reports a caller that gives up; until then it must not end the test run.
  callers.catch(() => undefined);

  async function call(caller: number): Promise<void> {
    for (let i = caller; !stopping.signal.aborted; i += target.callers) {
      const org = target.orgs[i % target.orgs.length];
      if (!org) throw new Error('the load needs an org');
      const name = `${target.prefix ?? 'flow'}-${i}`;
      const revisions = i % 3 === 0 ? ['first', 'second'] : ['first'];
      for (const description of revisions) await putUntilAcknowledged(org, { name, description });
      flows.push({ org_id: org.id, name, revision: revisions.length });
      await sleep(BETWEEN_FLOWS_MS);
    }
  }

  async function putUntilAcknowledged(org: Org, flow: { name: string; description: string }): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let attempt = 1; performance.now() < deadline; attempt++) {
      const answer = await put(org, flow);
      if (answer?.includes('unchanged') && attempt > 1) count.repeated += 1;
      if (answer !== undefined) return;
      await sleep(BETWEEN_ATTEMPTS_MS);
    }
    throw new Error(`${flow.name} was not acknowledged in ${PATIENCE_MS} ms`);
  }

  async function put(org: Org, flow: object): Promise<string | undefined> {
    try {
      const response = await putFlow(urls[requests++ % urls.length] ?? '', org, flow);
      const body = await response.text();
      const kind = kindOf(response);
      answers[kind] = (answers[kind] ?? 0) + 1;
      return response.ok ? body : undefined;
    } catch (error) {
      count[isRefusal(error) ? 'refused' : 'broken'] += 1;
      return undefined;
    }
  }

  return {
    flows,
    answers,
    get broken() {
      return count.broken;
    },
    get refused() {
      return count.refused;
    },
    get repeated() {
      return count.repeated;
    },
    async stop() {
      stopping.abort();
      await callers;
    },
  };
}

export function putFlow(url: string, org: Org, flow: object): Promise<Response> {
  return fetch(`${url}/api/v2/flows/${org.name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(flow),
    signal: AbortSignal.timeout(20_000),
  });
}

/** A temporary refusal must say when to retry. */
function kindOf(response: Response): string {
  if (response.status !== 503) return String(response.status);
  return response.headers.has('retry-after') ? '503' : '503 without Retry-After';
}

function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return cause?.code === 'ECONNREFUSED';
}
