import { complianceNow } from '@waymark/contract';
import { fewNames, MAX_ARTIFACTS, type MessageContent, type MessageTrigger, NO_DETAILS } from '@waymark/messages';
import type { Entry } from '../../../platform/journal/processor.ts';
import { fromEpochSeconds } from '../../../platform/time.ts';
import type { EventSource, TriggeredEvent } from './triggered-event.ts';
import { artifactLineOf, artifactOf, type Facts } from './triggered-event-facts.reads.ts';

interface Run {
  readonly name: string;
  readonly fingerprint: string;
  /** Only for runs that started. */
  readonly compliance?: string;
}
interface Resized extends Run {
  readonly was: number;
  readonly now: number;
}
type Compliance = 'compliant' | 'non-compliant' | 'unknown';

/** The parts of payloads that messages use. */
interface Recorded {
  readonly environment: string;
  readonly index: number;
  readonly part: number;
  readonly parts: number;
  readonly trigger: string;
  /** Absent in the first version, from before anything was judged. */
  readonly compliance?: { readonly was: Compliance; readonly now: Compliance };
  readonly started: readonly Run[];
  readonly exited: readonly Run[];
  readonly resized: readonly Resized[];
}
interface Scaled {
  readonly environment: string;
  readonly index: number;
  readonly changes: readonly Resized[];
}
interface Allowed extends Run {
  readonly environment: string;
  readonly reason: string;
}
interface WentStale {
  readonly environment: string;
  readonly last_reported_at: number;
}
interface Expiring {
  readonly environment: string;
  readonly expires_at: number;
  readonly artifact_count: number;
  readonly artifacts: readonly (Run & { readonly policies: readonly string[] })[];
}
interface ReportingAgain {
  readonly environment: string;
  readonly silent_since: number;
}

export const environmentSources: Readonly<Record<string, EventSource>> = {
  'snapshot.recorded': {
    triggers: [
      'ON_EXITED_ARTIFACT',
      'ON_STARTED_ARTIFACT',
      'ON_SCALED_ARTIFACT',
      'ON_NON_COMPLIANT_ENV',
      'ON_COMPLIANT_ENV',
    ],
    events: ofRecorded,
  },
  'environment.scaled': { triggers: ['ON_SCALED_ARTIFACT'], events: ofScaled },
  'allow_list.added': { triggers: ['ON_ALLOWED_ARTIFACT'], events: ofAllowed },
  'environment.went_stale': { triggers: ['ON_NON_COMPLIANT_ENV'], events: ofWentStale },
  'environment.evidence_expiring': { triggers: ['ON_EXPIRING_EVIDENCE'], events: ofExpiring },
  'environment.reporting_again': { triggers: ['ON_COMPLIANT_ENV'], events: ofReportingAgain },
};

interface Place {
  readonly environmentId: string;
  readonly environment: string;
  readonly snapshot: MessageContent['snapshot'];
}

function ofRecorded(payload: Recorded, entry: Entry): TriggeredEvent[] {
  const { environment, index, compliance } = payload;
  if (!compliance) return [];
  const snapshot = { index, status: compliance.now };
  const place = { environmentId: entry.subject_id, environment, snapshot };
  const failing = payload.started.find((run) => run.compliance === 'non-compliant');
  return [
    ...ofRuns('ON_EXITED_ARTIFACT', payload.exited, place, index - 1),
    ...ofRuns('ON_STARTED_ARTIFACT', payload.started, place, index, failing),
    ...ofRuns('ON_SCALED_ARTIFACT', payload.resized, place, index, payload.resized[0], scaleOf(payload.resized)),
    // Every part of a long report has the compliance of the whole, which is sent after all events.
    ...(payload.part === payload.parts ? ofCompliance(payload, compliance, place, entry) : []),
  ];
}

function ofScaled({ environment, index, changes }: Scaled, entry: Entry): TriggeredEvent[] {
  const state = { environmentId: entry.subject_id, at: entry.recorded_at };
  const place = { environmentId: entry.subject_id, environment, snapshot: { index, status: 'unknown' } };
  return ofRuns('ON_SCALED_ARTIFACT', changes, place, index, changes[0], scaleOf(changes)).map((event) => ({
    ...event,
    needs: { ...event.needs, state },
    contentOf: (facts: Facts) => {
      const content = event.contentOf(facts);
      const status = facts.state?.compliance ?? 'unknown';
      return content && { ...content, snapshot: { index, status } };
    },
  }));
}

function scaleOf(changes: readonly Resized[]): string | null {
  const [change] = changes;
  return change ? `from ${change.was} to ${change.now} ${change.now === 1 ? 'instance' : 'instances'}` : null;
}

/** The run in `shown` represents all of them. */
function ofRuns(
  trigger: MessageTrigger,
  runs: readonly Run[],
  { environmentId, environment, snapshot }: Place,
  lastKnown: number,
  shown = runs[0],
  why: string | null = null,
): TriggeredEvent[] {
  if (!shown) return [];
  const keyOf = ({ name, fingerprint }: Run) => ({ environmentId, name, fingerprint, lastKnown });
  const others = runs.filter((run) => run !== shown).slice(0, MAX_ARTIFACTS - 1);
  const unjudged = others.filter(({ compliance }) => compliance === undefined);
  const names = fewNames([shown, ...runs].map(({ name }) => name));
  const contentOf = (facts: Facts): MessageContent => ({
    ...NO_DETAILS,
    environment,
    snapshot,
    names,
    artifact: artifactOf(shown, facts),
    why: why ?? (trigger === 'ON_STARTED_ARTIFACT' ? facts.reason || null : null),
    artifacts: [
      artifactLineOf(shown, facts.run?.compliance),
      ...others.map((run) => artifactLineOf(run, run.compliance ?? facts.others[unjudged.indexOf(run)]?.compliance)),
    ],
    ...(trigger === 'ON_STARTED_ARTIFACT' && facts.fix !== undefined && { fix: facts.fix }),
  });
  const needs = { run: keyOf(shown), others: unjudged.map(keyOf) };
  return [{ trigger, count: runs.length, groups: true, needs, contentOf }];
}

function ofCompliance(
  payload: Recorded,
  { was, now }: NonNullable<Recorded['compliance']>,
  place: Place,
  entry: Entry,
): TriggeredEvent[] {
  if (was === now) return [];
  if (now === 'non-compliant') return [ofFailing(payload.index, place)];
  if (now === 'compliant') return [ofPassing(payload, place, entry)];
  return was === 'compliant' ? [ofUnjudged(place)] : [];
}

function ofFailing(index: number, { environmentId, environment, snapshot }: Place): TriggeredEvent {
  const contentOf = ({ failing, reason, fix, provenance }: Facts): MessageContent => {
    const [first] = failing?.runs ?? [];
    const more = (failing?.count ?? 0) - 1;
    const others = more > 0 ? ` And ${more} more ${more === 1 ? 'artifact is' : 'artifacts are'} not compliant.` : '';
    return {
      ...NO_DETAILS,
      environment,
      snapshot,
      names: fewNames((failing?.runs ?? []).map(({ name }) => name)),
      artifact: first
        ? { name: first.name, fingerprint: first.fingerprint, compliant: false, provenance: provenance ?? null }
        : null,
      why: first ? `${first.name}: ${reason || 'not compliant.'}${others}` : null,
      ...(fix !== undefined && { fix }),
    };
  };
  return stateChange('ON_NON_COMPLIANT_ENV', { failing: { environmentId, index } }, contentOf);
}

/** Follows "is compliant". */
const AFTER: Readonly<Record<string, string>> = {
  report: 'after the latest report',
  provenance: 'now that the provenance of its artifacts is known',
  evidence: 'after new evidence was recorded',
  policy: 'after its policies changed',
  'allow-list': 'after a waiver changed',
  context: 'after a name or a tag changed',
  time: 'now that time has passed',
};

/** A stale environment is not called compliant before it reports again. */
function ofPassing(
  { trigger, compliance }: Recorded,
  { environmentId, environment, snapshot }: Place,
  entry: Entry,
): TriggeredEvent {
  const again = compliance?.was === 'non-compliant' ? 'again' : '';
  const why = `${again} ${AFTER[trigger] ?? ''}`.trim() || null;
  const contentOf = ({ state }: Facts) =>
    trigger !== 'report' && state?.isStale ? undefined : { ...NO_DETAILS, environment, snapshot, why };
  return stateChange('ON_COMPLIANT_ENV', { state: { environmentId, at: entry.recorded_at } }, contentOf);
}

function ofUnjudged({ environment, snapshot }: Place): TriggeredEvent {
  const why = 'no policy is attached anymore, so nothing is judged';
  return stateChange('ON_NON_COMPLIANT_ENV', {}, () => ({ ...NO_DETAILS, environment, snapshot, why }));
}

function stateChange(
  trigger: MessageTrigger,
  needs: TriggeredEvent['needs'],
  contentOf: TriggeredEvent['contentOf'],
): TriggeredEvent {
  return { trigger, count: 1, groups: false, needs, contentOf };
}

function ofAllowed({ environment, name, fingerprint, reason }: Allowed, entry: Entry): TriggeredEvent[] {
  const run = { environmentId: entry.subject_id, name, fingerprint, lastKnown: null };
  const contentOf = ({ provenance }: Facts): MessageContent => ({
    ...NO_DETAILS,
    environment,
    names: fewNames([name]),
    // A waiver makes it compliant there, whatever else is known about it.
    artifact: { name, fingerprint, compliant: true, provenance: provenance ?? null },
    why: `granted by ${entry.actor_name}: ${reason}`,
  });
  return [{ trigger: 'ON_ALLOWED_ARTIFACT', count: 1, groups: true, needs: { run }, contentOf }];
}

/** A stale environment does not stay compliant. */
function ofWentStale({ environment, last_reported_at }: WentStale, entry: Entry): TriggeredEvent[] {
  const contentOf = ({ state }: Facts) =>
    state?.compliance === 'compliant'
      ? {
          ...NO_DETAILS,
          environment,
          snapshot: { index: state.index, status: complianceNow(state.compliance, true) },
          why: `no report has arrived since ${minuteOf(last_reported_at)}`,
        }
      : undefined;
  const state = { environmentId: entry.subject_id, at: entry.recorded_at };
  return [stateChange('ON_NON_COMPLIANT_ENV', { state }, contentOf)];
}

function ofExpiring({ environment, expires_at, artifact_count, artifacts }: Expiring, entry: Entry): TriggeredEvent[] {
  const [first] = artifacts;
  if (!first) return [];
  const policies = first.policies.map((name) => `'${name}'`).join(', ');
  const required = first.policies.length === 1 ? `policy ${policies} requires` : `policies ${policies} require`;
  const run = { environmentId: entry.subject_id, name: first.name, fingerprint: first.fingerprint, lastKnown: null };
  const contentOf = ({ provenance }: Facts): MessageContent => ({
    ...NO_DETAILS,
    environment,
    names: fewNames(artifacts.map(({ name }) => name)),
    artifact: { name: first.name, fingerprint: first.fingerprint, compliant: true, provenance: provenance ?? null },
    why: `evidence that ${required} becomes too old at ${minuteOf(expires_at)}`,
    artifacts: artifacts.slice(0, MAX_ARTIFACTS).map((one) => artifactLineOf(one, 'compliant')),
  });
  return [{ trigger: 'ON_EXPIRING_EVIDENCE', count: artifact_count, groups: true, needs: { run }, contentOf }];
}

function ofReportingAgain({ environment, silent_since }: ReportingAgain, entry: Entry): TriggeredEvent[] {
  const contentOf = ({ state }: Facts) => {
    if (state?.compliance !== 'compliant') return undefined;
    const snapshot = { index: state.index, status: state.compliance };
    // A report that ended the stale period and made it compliant has a message of its own, whatever was reported since.
    if (state.turnedBy === 'report') return undefined;
    const why = `again: it resumed reporting after a gap since ${minuteOf(silent_since)}`;
    return { ...NO_DETAILS, environment, snapshot, why };
  };
  const state = { environmentId: entry.subject_id, at: entry.recorded_at, since: fromEpochSeconds(silent_since) };
  return [stateChange('ON_COMPLIANT_ENV', { state }, contentOf)];
}

function minuteOf(seconds: number): string {
  return `${fromEpochSeconds(seconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
