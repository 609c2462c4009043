/** Subscribes to what happens in an org; returns how to stop. */
export type Subscribe = (org: string, hear: () => void) => () => void;

/** The listeners on this server, by org. */
export interface Listeners {
  /** Returns a function that stops listening. */
  listen(org: string, hear: () => void): () => void;
  wake(orgs: readonly string[]): void;
  wakeAll(): void;
  /** Wakes them from outside this process as well: one subscription for each org, for as long as it has listeners. */
  subscribeWith(subscribe: Subscribe): void;
}

interface OrgListeners {
  readonly all: Set<() => void>;
  unsubscribe: () => void;
}

export function createListeners(): Listeners {
  const listening = new Map<string, OrgListeners>();
  let subscribe: Subscribe = () => () => undefined;

  function wake(orgs: Iterable<string>): void {
    for (const org of orgs) for (const hear of listening.get(org)?.all ?? []) hear();
  }

  function begin(org: string): OrgListeners {
    const ofOrg = { all: new Set<() => void>(), unsubscribe: subscribe(org, () => wake([org])) };
    listening.set(org, ofOrg);
    return ofOrg;
  }

  return {
    listen(org, hear) {
      const ofOrg = listening.get(org) ?? begin(org);
      ofOrg.all.add(hear);
      return () => {
        if (!ofOrg.all.delete(hear) || ofOrg.all.size > 0) return;
        listening.delete(org);
        ofOrg.unsubscribe();
      };
    },
    wake,
    wakeAll: () => wake(listening.keys()),
    subscribeWith(given) {
      subscribe = given;
      for (const [org, ofOrg] of listening) {
        ofOrg.unsubscribe();
        ofOrg.unsubscribe = subscribe(org, () => wake([org]));
      }
    },
  };
}
