import { setTimeout as sleep } from 'node:timers/promises';
import { type EnvironmentEvent, getEnvironment, listEnvironmentEvents, streamEvents } from '@waymark/contract';
import { usageError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { styleFor } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';
import { eventColumns } from './event-columns.ts';

interface Followed {
  readonly query: { readonly from?: number; readonly repo_name?: string[] };
  readonly isWanted: (event: EnvironmentEvent) => boolean;
  /** The number of past events to show first. */
  readonly limit: number;
}

/** The event stream notifies at once; where it is not available, this is the longest delay. */
const POLL_MS = 5_000;
const AT_FIRST = 10;

/** Writes each event as it happens, until the user interrupts. */
export async function followLog(
  session: Session,
  params: { org: string; env_name: string },
  { query, isWanted, limit }: Followed,
): Promise<void> {
  const write = writerFor(session);
  const client = session.client();
  const { signal } = session.io;
  const environment = await client.call(getEnvironment, { params, signal });
  const news = newsOf(session, params.org, environment.type === 'logical' ? undefined : environment.id);
  const read = (page: object) => client.items(listEnvironmentEvents, { params, query: { ...query, ...page }, signal });
  const shown = createShown((event) => {
    if (isWanted(event)) write(event);
  });
  if (query.from === undefined) {
    const newest = await client.call(listEnvironmentEvents, {
      params,
      query: { ...query, per_page: AT_FIRST },
      signal,
    });
    shown.begin(newest.toReversed(), limit === 0 ? AT_FIRST : limit);
  } else {
    for await (const event of read({ reverse: 'true', per_page: 100 })) shown.show(event);
    shown.endRead();
  }
  for (;;) {
    await news();
    const from = shown.latest() ?? query.from ?? environment.created_at;
    for await (const event of read({ from, reverse: 'true', per_page: 100 })) shown.show(event);
    shown.endRead();
  }
}

/**
 * Reads overlap, since many events have the same time. All events of a snapshot appear together, so every event of the
 * latest snapshot of the previous read, or of an older one, has been shown.
 */
function createShown(write: (event: EnvironmentEvent) => void) {
  const known = new Map<string, number>();
  const current = new Map<string, number>();
  let latest: number | undefined;
  const take = ({ environment_name, snapshot_index, reported_at }: EnvironmentEvent) => {
    current.set(environment_name, Math.max(current.get(environment_name) ?? 0, snapshot_index));
    latest = Math.max(latest ?? 0, reported_at);
  };
  const endRead = () => {
    for (const [name, index] of current) known.set(name, index);
  };
  return {
    latest: () => latest,
    endRead,
    begin(events: readonly EnvironmentEvent[], max: number) {
      for (const event of events) take(event);
      for (const event of events.slice(-max)) write(event);
      endRead();
    },
    show(event: EnvironmentEvent) {
      if (event.snapshot_index > (known.get(event.environment_name) ?? 0)) write(event);
      take(event);
    },
  };
}

/** Waits for an event in the environment, or for the polling interval. */
function newsOf(session: Session, org: string, environmentId: string | undefined): () => Promise<void> {
  const { signal } = session.io;
  // Events may arrive while nobody waits.
  let isNews = false;
  let wake = () => {};
  const listen = async () => {
    const events = session.client().events(streamEvents, { params: { org }, query: { topics: 'environment' }, signal });
    for await (const { data } of events) {
      if (data === null || environmentId === undefined || data.subject.id === environmentId) {
        isNews = true;
        wake();
      }
    }
  };
  listen().catch((error: unknown) => {
    if (!signal.aborted)
      session.detail(`Live events are not available: ${error instanceof Error ? error.message : String(error)}`);
  });
  return async () => {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      if (isNews) resolve();
    });
    const over = new AbortController();
    try {
      await Promise.race([woken, sleep(POLL_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) })]);
    } finally {
      over.abort();
    }
    isNews = false;
    signal.throwIfAborted();
  };
}

function writerFor(session: Session): (event: EnvironmentEvent) => void {
  const { io, settings } = session;
  const style = styleFor(io.stdout, io.env, settings.color);
  if (settings.output === 'ndjson' || settings.output === 'json' || settings.json === true) {
    return (event) => io.stdout.write(`${JSON.stringify(event)}\n`);
  }
  if (settings.output !== 'table' && settings.output !== 'wide') {
    throw usageError(`--follow cannot print ${settings.output}`, 'Use -o ndjson, or leave out -o');
  }
  const columns = eventColumns(session).filter(({ wide }) => settings.output === 'wide' || !wide);
  return (event) => {
    const parts = columns.map(({ of, format }) => {
      const text = oneLine(String(of(event) ?? ''));
      return format?.(text, event, style) ?? text;
    });
    io.stdout.write(`${parts.join('  ').trimEnd()}\n`);
  };
}
