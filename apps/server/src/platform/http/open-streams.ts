import { rateLimited, unavailable } from '../errors.ts';
import { lastOfLargest } from '../last-of-largest.ts';
import type { Metrics } from '../metrics.ts';
import type { Caller } from './auth.ts';

/** How many may be open on this server at a time. */
export interface StreamLimits {
  readonly perCredential: number;
  readonly perOrg: number;
  readonly perServer: number;
}

type Limit = 'credential' | 'org' | 'server';

export interface OpenStreams {
  /**
   * Counts a stream until the returned function is called. `end` is called when the stream has to make room for another
   * org with fewer streams.
   */
  open(caller: Pick<Caller, 'credential' | 'org'>, end: () => void): () => void;
  figures(): { readonly open: number; readonly refused: Readonly<Record<Limit, number>>; readonly ended: number };
}

interface OpenStream {
  end(): void;
}

const RETRY_AFTER_S = 5;

export function createOpenStreams(limits: StreamLimits): OpenStreams {
  const byCredential = new Map<string, number>();
  /** In order of opening. */
  const byOrg = new Map<string, Set<OpenStream>>();
  const refused = { credential: 0, org: 0, server: 0 };
  let open = 0;
  let ended = 0;

  function admit({ credential, org }: Pick<Caller, 'credential' | 'org'>): void {
    if ((byCredential.get(credential.id) ?? 0) >= limits.perCredential) {
      refused.credential++;
      const whose = credential.kind === 'key' ? 'This key' : 'This session';
      throw rateLimited(
        RETRY_AFTER_S,
        `${whose} already has ${limits.perCredential} open event streams. Close one first`,
      );
    }
    const ofOrg = byOrg.get(org)?.size ?? 0;
    if (ofOrg >= limits.perOrg) {
      refused.org++;
      throw rateLimited(RETRY_AFTER_S, `This org already has ${limits.perOrg} open event streams. Close one first`);
    }
    if (open >= limits.perServer && !makeRoom(ofOrg)) {
      refused.server++;
      throw unavailable('Too many event streams are open on this server', { retryAfterSeconds: RETRY_AFTER_S });
    }
  }

  /** Ends the newest stream of the org with the most, unless that org would then have fewer than the requesting one. */
  function makeRoom(ofAsking: number): boolean {
    const newest = lastOfLargest(byOrg.values(), ofAsking + 1);
    if (!newest) return false;
    ended++;
    newest.end();
    return true;
  }

  return {
    open(caller, end) {
      admit(caller);
      const { credential, org } = caller;
      const streams = byOrg.get(org) ?? new Set();
      const release = () => {
        if (!streams.delete(stream)) return;
        open--;
        if (streams.size === 0) byOrg.delete(org);
        const left = (byCredential.get(credential.id) ?? 0) - 1;
        if (left > 0) byCredential.set(credential.id, left);
        else byCredential.delete(credential.id);
      };
      const stream: OpenStream = {
        end() {
          release();
          end();
        },
      };
      byOrg.set(org, streams.add(stream));
      byCredential.set(credential.id, (byCredential.get(credential.id) ?? 0) + 1);
      open++;
      return release;
    },
    figures: () => ({ open, refused: { ...refused }, ended }),
  };
}

export function observeStreams(metrics: Metrics, { figures }: OpenStreams): void {
  metrics.observe('event_streams_open', 'Open event streams on this server', async () => [
    { value: figures().open, labels: {} },
  ]);
  metrics.observeSum('event_streams_refused_total', 'Event streams rejected, by the limit that was reached', async () =>
    Object.entries(figures().refused).map(([limit, value]) => ({ value, labels: { limit } })),
  );
  metrics.observeSum('event_streams_ended_total', 'Event streams closed to make room for another org', async () => [
    { value: figures().ended, labels: {} },
  ]);
}
