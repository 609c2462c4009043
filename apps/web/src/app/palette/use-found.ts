import type { ReplyOf } from '@waymark/client';
import { searchNames, searchSha } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useSettled } from '../../lib/settled.ts';
import { TYPE_WORDS } from '../../pages/environments/type-words.ts';
import type { Entry, Group } from './places.ts';
import { holdsWords, soughtBy } from './sought.ts';

const TYPING_MS = 120;
const DIGITS_SHOWN = 8;

export interface Found {
  readonly groups: readonly Group[];
  readonly isSearching: boolean;
  /** Why the search failed, if it did. */
  readonly error: string | null;
}

/** Searches on the server when the typing pauses, and cancels the search before. */
export function useFound(org: string, typed: string): Found {
  const asked = useSettled(typed.trim(), typed === '' ? 0 : TYPING_MS);
  const sought = soughtBy(asked);
  const byName = sought.kind === 'name' || sought.kind === 'digits';
  const names = useRead(
    searchNames,
    { params: { org }, query: { q: sought.kind === 'nothing' ? '-' : sought.text } },
    { enabled: byName },
  );
  const digits = useRead(
    searchSha,
    { params: { org, sha: sought.kind === 'digits' ? sought.sha : '00000' } },
    { enabled: sought.kind === 'digits', fresh: true },
  );
  const isSearching =
    asked !== typed.trim() || (byName && names.isFetching) || (sought.kind === 'digits' && digits.isFetching);
  const groups = [
    ...(sought.kind === 'digits' && digits.data ? [artifactsByDigits(org, digits.data)] : []),
    ...(byName && names.data ? groupsOf(org, names.data) : []),
  ];
  return {
    groups: isSearching ? groups.map((group) => narrowed(group, typed)) : groups,
    isSearching,
    error: byName && names.error ? names.error.message : null,
  };
}

/** Until the next result arrives, the result for fewer letters stays, filtered by the letters typed since. */
function narrowed(group: Group, typed: string): Group {
  if (group.id === 'digits') return group;
  return { ...group, entries: group.entries.filter(({ label, hint }) => holdsWords(typed.trim(), label, hint ?? '')) };
}

const entryOf = (label: string, href: string, hint?: string): Entry => ({
  id: `found ${href}`,
  label,
  href,
  isRemembered: true,
  ...(hint !== undefined && { hint }),
});

function groupsOf(org: string, found: ReplyOf<typeof searchNames>): Group[] {
  return [
    {
      id: 'environments',
      title: 'Environments',
      entries: found.environments.map(({ name, type, compliance, stale }) =>
        entryOf(name, paths.environment(org, name), `${compliance}${stale ? ' · stale' : ''} · ${TYPE_WORDS[type]}`),
      ),
    },
    {
      id: 'flows',
      title: 'Flows',
      entries: found.flows.map(({ name, description }) => entryOf(name, paths.flow(org, name), description)),
    },
    {
      id: 'policies',
      title: 'Policies',
      entries: found.policies.map(({ name }) => entryOf(name, paths.policy(org, name))),
    },
    {
      id: 'controls',
      title: 'Controls',
      entries: found.controls.map(({ identifier, name }) => entryOf(identifier, paths.control(org, identifier), name)),
    },
    {
      id: 'trails',
      title: 'Trails',
      entries: found.trails.map(({ flow_name, name }) => entryOf(name, paths.trail(org, flow_name, name), flow_name)),
    },
    {
      id: 'artifacts',
      title: 'Artifacts',
      entries: found.artifacts.map(({ flow_name, name, fingerprint }) =>
        entryOf(name, paths.artifact(org, flow_name, fingerprint), `${fingerprint.slice(0, 7)} of ${flow_name}`),
      ),
    },
  ];
}

function artifactsByDigits(org: string, { artifacts }: ReplyOf<typeof searchSha>): Group {
  const entries = artifacts
    .slice(0, DIGITS_SHOWN)
    .map(({ flow, name, fingerprint, has_provenance, git_commit }) =>
      entryOf(
        name,
        has_provenance ? paths.artifact(org, flow, fingerprint) : paths.anyArtifact(org, fingerprint),
        `${fingerprint.slice(0, 7)}${git_commit === '' ? '' : `, commit ${git_commit.slice(0, 7)}`}`,
      ),
    );
  return {
    id: 'digits',
    title: 'Artifacts matching these digits',
    entries: [...new Map(entries.map((entry) => [entry.id, entry])).values()],
  };
}
