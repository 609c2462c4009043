import { ApiError } from '@waymark/client';
import { type FeedEvent, streamEvents } from '@waymark/contract';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { client } from './client.ts';
import { isEcho } from './own-writes.ts';
import { usePreferences } from './preferences.ts';
import { useOrg } from './route.ts';
import { useSession } from './session.ts';

/** An event for all tabs of a browser, or a reset: some events may have been missed. */
type News =
  | { readonly kind: 'event'; readonly event: FeedEvent; readonly id: string | undefined }
  | { readonly kind: 'reset' };

export type LiveState = 'connecting' | 'live' | 'paused' | 'lost';

/** Messages between tabs: news, the state of the connection, and a question for that state. */
type TabMessage = News | { readonly kind: 'state'; readonly state: LiveState } | { readonly kind: 'ask' };

const RETRY_MS = 10_000;

const listeners = new Set<(news: News) => void>();
const stateListeners = new Set<() => void>();
let state: LiveState = 'connecting';
let lastEventId: string | undefined;

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const listener of stateListeners) listener();
}

function publish(news: News): void {
  if (news.kind === 'event') lastEventId = news.id ?? lastEventId;
  for (const listener of listeners) listener(news);
}

/**
 * One connection for all tabs of a browser: the tab that holds the lock listens to the server and forwards to the others.
 * When it is closed, the next one continues after the last event that it received.
 */
function follow(org: string): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const channel = new BroadcastChannel(`waymark-events-${org}`);
  const post = (message: TabMessage) => channel.postMessage(message);
  let listens = false;
  const announce = (next: LiveState) => {
    if (signal.aborted) return;
    setState(next);
    post({ kind: 'state', state: next });
  };
  channel.onmessage = ({ data }) => {
    const message = data as TabMessage;
    if (message.kind === 'state') setState(message.state);
    else if (message.kind !== 'ask') publish(message);
    else if (listens) post({ kind: 'state', state });
  };
  lastEventId = undefined;
  setState('connecting');
  post({ kind: 'ask' });

  const listen = async () => {
    listens = true;
    const onConnection = (isConnected: boolean) => announce(isConnected ? 'live' : 'lost');
    const events = client.events(streamEvents, { params: { org }, lastEventId, signal, onConnection });
    for await (const { id, event, data } of events) {
      const news: News = event === 'reset' || data === null ? { kind: 'reset' } : { kind: 'event', event: data, id };
      publish(news);
      post(news);
    }
  };
  const locks: LockManager | undefined = navigator.locks;
  void (
    locks
      ? locks.request(`waymark-events-${org}`, { signal }, () => listenAndRetry(listen, signal, announce))
      : listenAndRetry(listen, signal, announce)
  ).catch(() => undefined);
  return () => {
    ending.abort();
    channel.close();
  };
}

/** Retries until aborted or permanently refused. Without a connection the indicator must not stay green. */
async function listenAndRetry(
  listen: () => Promise<void>,
  signal: AbortSignal,
  announce: (state: LiveState) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await listen();
    } catch (error) {
      announce('lost');
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Mounted once, by the shell. */
export function useFollowEvents(): void {
  const org = useOrg();
  const { live } = usePreferences();
  useEffect(() => {
    if (live) return follow(org);
    setState('paused');
    return undefined;
  }, [org, live]);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );
}

/**
 * How many events about these kinds of subject came since `since` (when what is shown was loaded, in milliseconds), without
 * those of the user's own changes here. These cannot be told from what the same user does with the command line at that
 * time, so `withOwn` counts them, where a needless refetch is better than none.
 */
export function useNewCount(
  kinds: readonly string[],
  since: number,
  subjectId?: string,
  { withOwn = false }: { readonly withOwn?: boolean } = {},
): number {
  const [count, setCount] = useState({ since, value: 0 });
  const names = kinds.join(',');
  const login = useSession().data?.login;
  useEffect(() => {
    const wanted = names.split(',');
    const listener = (news: News) => {
      const counts =
        news.kind === 'reset' ||
        (wanted.includes(news.event.subject.kind) &&
          (subjectId === undefined || news.event.subject.id === subjectId) &&
          (withOwn || !isEcho(news.event.actor, login)));
      if (counts) setCount((before) => ({ since, value: before.since === since ? before.value + 1 : 1 }));
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [names, since, subjectId, login, withOwn]);
  return count.since === since ? count.value : 0;
}
