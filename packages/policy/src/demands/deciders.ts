import type { Demand, Place, Unmet } from '../demand.ts';
import type { AttestationEvidence, ChangedBy, FlowEvidence, PullRequestEvidence, RecordedBy } from '../evidence.ts';
import { listed, ofFlow } from '../in-words.ts';
import { namesIn } from '../names-of-people.ts';
import type { DecidedBy, NotBy } from './decider-fields.ts';

const ROLES = { admin: 'an admin', member: 'a member' } as const;

/** Judged by who recorded the decision, as they were then. */
export function decidedByDemand(wanted: DecidedBy): Demand {
  const who = whoInWords(wanted);
  return {
    field: 'decided_by',
    value: wanted,
    inWords: `, recorded by ${who}`,
    judge({ name, recordedBy }, { flow }) {
      if (recordedBy === undefined) return unknownDecider(name, flow);
      if (isWanted(recordedBy, wanted)) return null;
      return {
        fails: false,
        context: contextOf(recordedBy),
        found: `'${name}' was recorded by ${inWords(recordedBy)}, who was not ${who} then`,
        fix: `Have ${who} record '${name}' ${ofFlow(flow)}.`,
      };
    },
  };
}

function whoInWords({ role, group }: DecidedBy): string {
  const member = role === undefined ? 'a person' : ROLES[role];
  return group === undefined ? member : `${member} in group '${group}'`;
}

function isWanted({ kind, role, groups = [] }: RecordedBy, wanted: DecidedBy): boolean {
  if (kind !== 'user') return false;
  const hasRole = wanted.role === undefined || role === 'admin' || role === wanted.role;
  return hasRole && (wanted.group === undefined || groups.includes(wanted.group));
}

/** Of a pull request, the approvals are counted without these people instead. */
export function notByDemand(barred: NotBy, type: string): Demand {
  const who = barredInWords(barred);
  return {
    field: 'not_by',
    value: barred,
    inWords: type === 'decision' ? `, not recorded by ${who}` : `, not counting ${who}`,
    judge: type === 'decision' ? (attestation, place) => judgeDecider(attestation, place, barred) : () => null,
  };
}

function barredInWords(barred: NotBy): string {
  const [one, other] = [...new Set(barred)].toSorted();
  return `${one === 'author' ? 'an author' : 'a committer'}${other === undefined ? '' : ' or committer'} of what was built`;
}

function judgeDecider({ name, recordedBy }: AttestationEvidence, { flow }: Place, barred: NotBy): Unmet | null {
  if (recordedBy === undefined) return unknownDecider(name, flow);
  const again = `record '${name}' ${ofFlow(flow)}`;
  // Anyone with its key may have used it, also an author.
  if (recordedBy.kind !== 'user') {
    return {
      fails: false,
      context: contextOf(recordedBy),
      found: `'${name}' was recorded by ${inWords(recordedBy)}, which can be used by an author`,
      fix: `Have a person who did not write or commit it ${again}, signed in or with an API key of their own.`,
    };
  }
  const known = changersIn(flow.changedBy, barred);
  if (known.size === 0) {
    return {
      fails: false,
      context: contextOf(recordedBy),
      found: `nobody can tell whether ${inWords(recordedBy)}, who recorded '${name}', wrote what was built: no author of its commit was reported`,
      fix: `Report the artifact again ${ofFlow(flow)}, with git_commit_info that names the author.`,
    };
  }
  const names = namesIn([recordedBy.name, ...(recordedBy.aliases ?? [])]);
  if (names.isDisjointFrom(known)) return null;
  return {
    fails: false,
    context: contextOf(recordedBy),
    found: `'${name}' was recorded by ${inWords(recordedBy)}, who wrote or committed what was built`,
    fix: `Have another person ${again}.`,
  };
}

/** Returns who wrote or committed what was built, as far as a rule asks, by plain name. */
function changersIn(changedBy: ChangedBy | undefined, barred: NotBy): ReadonlySet<string> {
  const { authors = [], committers = [] } = changedBy ?? {};
  return namesIn([...(barred.includes('author') ? authors : []), ...(barred.includes('committer') ? committers : [])]);
}

/** Returns, besides the authors of a pull request, whose approval of it does not count. */
export function barredBy(barred: NotBy, { changedBy }: FlowEvidence) {
  const changers = changersIn(changedBy, barred);
  return ({ committers = [] }: PullRequestEvidence): ReadonlySet<string> =>
    barred.includes('committer') ? changers.union(namesIn(committers)) : changers;
}

/** Judged over all decisions that meet everything else; see `tooFewDeciders`. */
export function minDecidersDemand(count: number): Demand {
  return {
    field: 'min_deciders',
    value: count,
    inWords: `, by at least ${identities(count)}`,
    judge: () => null,
  };
}

/** Returns what is missing when too few identities recorded the decisions that count, or null. */
export function tooFewDeciders(
  counting: readonly AttestationEvidence[],
  needed: number,
  { what, flow, others }: { readonly what: string; readonly flow: FlowEvidence; readonly others: readonly string[] },
): Unmet | null {
  const deciders = new Map(counting.flatMap(({ recordedBy }) => (recordedBy ? [[recordedBy.id, recordedBy]] : [])));
  if (deciders.size >= needed) return null;
  const by = deciders.size === 0 ? '' : ` (${listed(Array.from(deciders.values(), ({ name }) => name).toSorted())})`;
  const besides = others.length === 0 ? '' : `; ${listed(others)}`;
  const left = needed - deciders.size;
  return {
    fails: false,
    context: { min_deciders: needed, deciders: deciders.size },
    found: `${deciders.size} of ${identities(needed)} decided${by}${besides}`,
    fix: `Have ${left === 1 ? 'one more person' : `${left} more people`} record ${what}, each under a name of its own, ${ofFlow(flow)}.`,
  };
}

function identities(count: number): string {
  return count === 1 ? '1 identity' : `${count} different identities`;
}

function unknownDecider(name: string, flow: FlowEvidence): Unmet {
  return {
    fails: false,
    context: { decided_by: null },
    found: `nobody can tell who recorded '${name}': it is from before identities were recorded, or its content was erased`,
    fix: `Record '${name}' again ${ofFlow(flow)}.`,
  };
}

function contextOf({ kind, name, role }: RecordedBy) {
  return { decided_by: { kind, name, role } };
}

const KINDS = { user: '', service_account: 'service account ', workload: 'a job of service account ' } as const;

function inWords({ kind, name }: RecordedBy): string {
  return `${KINDS[kind]}'${name}'`;
}
