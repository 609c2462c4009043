import { type FeedEvent, listArtifacts, listAttestations, listEnvironments, listFlows } from '@waymark/contract';
import { shortDigest, verdictOf } from '../../resources/show.ts';
import type { Session } from '../../run/session.ts';

/** The display name of an event's subject, and its final verdict if it has one. */
export interface SubjectName {
  readonly name: string;
  readonly verdict?: string;
}

type Named = readonly (readonly [id: string, name: SubjectName])[];
type Lookup = (session: Session, id: string) => Promise<Named>;

/** A burst of requests, then one per second: a busy org must not cause a flood. */
const MAX_BURST = 20;
const CACHE_SIZE = 5_000;

/** Events contain ids only. An id that is not found, or exceeds the rate, is shown as it is. */
export function subjectNames(session: Session): (event: FeedEvent) => Promise<SubjectName | undefined> {
  const known = new Map<string, SubjectName>();
  const mayAsk = createAllowance(session);
  return async ({ type, subject: { kind, id } }) => {
    const lookup = LOOKUPS[kind];
    if (type.endsWith('.renamed')) known.delete(id);
    if (lookup === undefined || known.has(id) || !mayAsk()) return known.get(id);
    try {
      if (known.size > CACHE_SIZE) known.clear();
      for (const [other, name] of await lookup(session, id)) known.set(other, name);
    } catch (error) {
      session.io.signal.throwIfAborted();
      session.detail(
        `Could not look up the name of ${kind} ${id}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return known.get(id);
  };
}

function createAllowance({ io }: Session): () => boolean {
  let left = MAX_BURST;
  let before = io.now().getTime();
  return () => {
    const now = io.now().getTime();
    left = Math.min(MAX_BURST, left + Math.max(0, now - before) / 1000);
    before = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/** One page each: the subject of a new event is among the newest. */
const LOOKUPS: Readonly<Partial<Record<string, Lookup>>> = {
  async attestation(session, attestation_id) {
    const { data } = await session.client().call(listAttestations, { ...asking(session), query: { attestation_id } });
    return data.map(({ flow_name, trail_name, attestation_name, attestation_type, is_compliant }) => [
      attestation_id,
      {
        name: `${attestation_name} (${attestation_type}) of ${flow_name}/${trail_name}`,
        verdict: verdictOf(is_compliant),
      },
    ]);
  },
  async artifact(session) {
    const artifacts = await session.client().call(listArtifacts, { ...asking(session), query: { per_page: 100 } });
    return artifacts.map(({ id, filename, fingerprint, flow_name, trail_name }) => [
      id,
      { name: `${filename} ${shortDigest(fingerprint)} of ${flow_name}/${trail_name}` },
    ]);
  },
  async environment(session) {
    const query = { per_page: 50, sort: 'last_changed_at' as const };
    const page = await session.client().call(listEnvironments, { ...asking(session), query });
    return namesIn(Array.isArray(page) ? page : page.environments);
  },
  async flow(session) {
    const query = { per_page: 100, sort: 'latest_activity' as const, sort_direction: 'desc' as const };
    const page = await session.client().call(listFlows, { ...asking(session), query });
    return namesIn(Array.isArray(page) ? page : page.data);
  },
};

const asking = (session: Session) => ({ params: { org: session.need('org') }, signal: session.io.signal });

function namesIn(items: readonly { readonly id: string; readonly name: string }[]): Named {
  return items.map(({ id, name }) => [id, { name }]);
}
