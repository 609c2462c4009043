/** The listeners on this server, by org. */
export interface Listeners {
  /** Returns a function that stops listening. */
  listen(org: string, hear: () => void): () => void;
  wake(orgs: readonly string[]): void;
}

export function createListeners(): Listeners {
  const listening = new Map<string, Set<() => void>>();
  return {
    listen(org, hear) {
      const all = listening.get(org) ?? new Set();
      listening.set(org, all.add(hear));
      return () => {
        all.delete(hear);
        if (all.size === 0 && listening.get(org) === all) listening.delete(org);
      };
    },
    wake(orgs) {
      for (const org of orgs) for (const hear of listening.get(org) ?? []) hear();
    },
  };
}
