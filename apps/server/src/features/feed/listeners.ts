/** Who on this server waits for news of which org. */
export interface Listeners {
  /** Resolves when the org has news, after `ms`, or when the signal is given. */
  news(org: string, ms: number, signal: AbortSignal): Promise<void>;
  wake(orgs: readonly string[]): void;
}

export function createListeners(): Listeners {
  const waiting = new Map<string, Set<() => void>>();
  return {
    news(org, ms, signal) {
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          const others = waiting.get(org);
          others?.delete(done);
          if (others?.size === 0) waiting.delete(org);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        waiting.set(org, (waiting.get(org) ?? new Set()).add(done));
        if (signal.aborted) done();
      });
    },
    wake(orgs) {
      for (const org of orgs) for (const done of [...(waiting.get(org) ?? [])]) done();
    },
  };
}
