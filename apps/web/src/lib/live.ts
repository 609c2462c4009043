import { ApiError } from '@waymark/client';
import { type FeedEvent, streamEvents } from '@waymark/contract';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { client } from './client.ts';
import { usePreferences } from './preferences.ts';
import { useOrg } from './route.ts';

/** What is told to the tabs of a browser: an event, or that some may have been missed. */
type News =
  | { readonly kind: 'event'; readonly event: FeedEvent; readonly id: string | undefined }
  | { readonly kind: 'reset' };

export type LiveState = 'connecting' | 'live' | 'paused' | 'lost';

/** What the tabs say to each other: news, whether there is a connection, and who would like to know that. */
type Said = News | { readonly kind: 'state'; readonly state: LiveState } | { readonly kind: 'ask' };

const AGAIN_MS = 10_000;

const listeners = new Set<(news: News) => void>();
const stateListeners = new Set<() => void>();
let state: LiveState = 'connecting';
let lastEventId: string | undefined;

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const listener of stateListeners) listener();
}

function hear(news: News): void {
  if (news.kind === 'event') lastEventId = news.id ?? lastEventId;
  for (const listener of listeners) listener(news);
}

/**
 * One connection for all tabs of a browser: whichever tab holds the lock listens to the server and tells the others; when
 * it is closed, the next one goes on after the last event that it was told of.
 */
function follow(org: string): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const channel = new BroadcastChannel(`waymark-events-${org}`);
  const say = (said: Said) => channel.postMessage(said);
  let listens = false;
  const tell = (next: LiveState) => {
    if (signal.aborted) return;
    setState(next);
    say({ kind: 'state', state: next });
  };
  channel.onmessage = ({ data }) => {
    const said = data as Said;
    if (said.kind === 'state') setState(said.state);
    else if (said.kind !== 'ask') hear(said);
    else if (listens) say({ kind: 'state', state });
  };
  lastEventId = undefined;
  setState('connecting');
  say({ kind: 'ask' });

  const listen = async () => {
    listens = true;
    const onConnection = (stands: boolean) => tell(stands ? 'live' : 'lost');
    const events = client.events(streamEvents, { params: { org }, lastEventId, signal, onConnection });
    for await (const { id, event, data } of events) {
      const news: News = event === 'reset' || data === null ? { kind: 'reset' } : { kind: 'event', event: data, id };
      hear(news);
      say(news);
    }
  };
  const locks: LockManager | undefined = navigator.locks;
  void (
    locks
      ? locks.request(`waymark-events-${org}`, { signal }, () => keepAtIt(listen, signal, tell))
      : keepAtIt(listen, signal, tell)
  ).catch(() => undefined);
  return () => {
    ending.abort();
    channel.close();
  };
}

/** Until it is given up, or refused in a way that does not pass. Green must not stay on where nothing is heard. */
async function keepAtIt(
  listen: () => Promise<void>,
  signal: AbortSignal,
  tell: (state: LiveState) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await listen();
    } catch (error) {
      tell('lost');
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
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

/** How many events about these kinds of subject came since `since` (when what is shown was loaded, in milliseconds). */
export function useNewCount(kinds: readonly string[], since: number, subjectId?: string): number {
  const [count, setCount] = useState({ since, value: 0 });
  const names = kinds.join(',');
  useEffect(() => {
    const wanted = names.split(',');
    const listener = (news: News) => {
      const counts =
        news.kind === 'reset' ||
        (wanted.includes(news.event.subject.kind) && (subjectId === undefined || news.event.subject.id === subjectId));
      if (counts) setCount((before) => ({ since, value: before.since === since ? before.value + 1 : 1 }));
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [names, since, subjectId]);
  return count.since === since ? count.value : 0;
}
