import { expect, it } from 'vitest';
import { decide } from '../decide.ts';
import {
  artifactIn,
  asking,
  by,
  flow,
  IN_PRODUCTION,
  passed,
  pullRequest,
  pullRequests,
  reviewed,
} from '../decide-examples.ts';
import { evidenceKey, readEvidence } from '../decide-keys.ts';
import type { AttestationEvidence, ChangedBy, FlowEvidence, RecordedBy } from '../evidence.ts';
import { parsePolicy } from '../parse-policy.ts';

type Status = 'COMPLIANT' | 'NON-COMPLIANT';

function person(name: string, more: Partial<RecordedBy> = {}): RecordedBy {
  return { kind: 'user', id: `id-of-${name}`, name, role: 'member', ...more };
}

const ADA = person('ada', { aliases: ['Ada Lovelace', 'ada@example.com'] });
const BOB = person('bob', { role: 'admin', groups: ['Release managers'] });
const EVE = person('eve', { groups: ['Developers'] });
const BOT = person('ci', { kind: 'service_account', role: 'admin' });
const JOB = person('deploy', { kind: 'workload', role: 'admin' });

function decided(recordedBy?: RecordedBy, more: Partial<AttestationEvidence> = {}): AttestationEvidence {
  const name = more.name ?? 'release';
  return { ...passed(name, 'decision'), control: 'C-1', ...(recordedBy && { recordedBy }), ...more };
}

const BY_ADA: ChangedBy = { authors: ['Ada Lovelace <ada@example.com>'], committers: ['Eve <eve@example.com>', 'eve'] };

function changed(by: ChangedBy, it: FlowEvidence): FlowEvidence {
  return { ...it, changedBy: by };
}

function judge(rule: string, ...flows: readonly FlowEvidence[]) {
  return decide(asking(rule), { name: 'production', version: 1 }, artifactIn(...flows), IN_PRODUCTION);
}

function reasonsOf(rule: string, ...flows: readonly FlowEvidence[]) {
  return judge(rule, ...flows).reasons.map(({ message, fix, resolution }) => ({ message, fix, resolution }));
}

it.each<[string, string, RecordedBy | undefined, Status]>([
  ['an admin', '{ role: admin }', BOB, 'COMPLIANT'],
  ['a member', '{ role: admin }', ADA, 'NON-COMPLIANT'],
  ['a member', '{ role: member }', ADA, 'COMPLIANT'],
  ['an admin, who is also a member', '{ role: member }', BOB, 'COMPLIANT'],
  ['a reader', '{ role: member }', person('tom', { role: 'reader' }), 'NON-COMPLIANT'],
  ['a snapshotter', '{ role: member }', person('tom', { role: 'snapshotter' }), 'NON-COMPLIANT'],
  ['a service account with the role', '{ role: admin }', BOT, 'NON-COMPLIANT'],
  ['a job with the role', '{ role: member }', JOB, 'NON-COMPLIANT'],
  ['an identity from before it was recorded', '{ role: member }', undefined, 'NON-COMPLIANT'],
  ['a person in the group', '{ group: Release managers }', BOB, 'COMPLIANT'],
  ['a person in another group', '{ group: Release managers }', EVE, 'NON-COMPLIANT'],
  ['a person without groups', '{ group: Release managers }', ADA, 'NON-COMPLIANT'],
  ['a person in a group of another case', '{ group: release managers }', BOB, 'NON-COMPLIANT'],
  ['a person whose name is the group', '{ group: ada }', ADA, 'NON-COMPLIANT'],
  ['a person with role and group', '{ role: admin, group: Release managers }', BOB, 'COMPLIANT'],
  ['a person with the group only', '{ role: admin, group: Developers }', EVE, 'NON-COMPLIANT'],
  ['a person with the role only', '{ role: admin, group: Developers }', BOB, 'NON-COMPLIANT'],
])('accepts %2$s as decided by %1$s', (_, wanted, recordedBy, status) => {
  expect(judge(`{ type: decision, decided_by: ${wanted} }`, flow('web', decided(recordedBy))).status).toBe(status);
});

const ANYBODY = '{ type: decision, not_by: [author, committer] }';

it.each<[string, string, RecordedBy | undefined, ChangedBy | undefined, Status]>([
  ['another person', ANYBODY, BOB, BY_ADA, 'COMPLIANT'],
  ['the author, by address', ANYBODY, ADA, BY_ADA, 'NON-COMPLIANT'],
  ['the author, by login', ANYBODY, person('ada@example.com'), BY_ADA, 'NON-COMPLIANT'],
  ['the author, by display name', ANYBODY, person('al', { aliases: ['ADA Lovelace '] }), BY_ADA, 'NON-COMPLIANT'],
  ['the author, by account', ANYBODY, ADA, { authors: ['ada'], committers: [] }, 'NON-COMPLIANT'],
  [
    'the author, by a hidden address',
    ANYBODY,
    ADA,
    { authors: ['Someone <12+ada@users.noreply.github.com>'], committers: [] },
    'NON-COMPLIANT',
  ],
  ['one of several authors', ANYBODY, ADA, { authors: ['bob', 'ada'], committers: [] }, 'NON-COMPLIANT'],
  ['the committer', ANYBODY, EVE, BY_ADA, 'NON-COMPLIANT'],
  ['the committer, where only authors are barred', '{ type: decision, not_by: [author] }', EVE, BY_ADA, 'COMPLIANT'],
  ['the author, where only committers are barred', '{ type: decision, not_by: [committer] }', ADA, BY_ADA, 'COMPLIANT'],
  [
    'the committer, where only they are barred',
    '{ type: decision, not_by: [committer] }',
    EVE,
    BY_ADA,
    'NON-COMPLIANT',
  ],
  ['a person whose name is part of the author', ANYBODY, person('lovelace'), BY_ADA, 'COMPLIANT'],
  ['a person, while nobody knows the author', ANYBODY, BOB, undefined, 'NON-COMPLIANT'],
  ['a person, while no author is named', ANYBODY, BOB, { authors: [], committers: [] }, 'NON-COMPLIANT'],
  ['a person, while the author is blank', ANYBODY, BOB, { authors: [' '], committers: [] }, 'NON-COMPLIANT'],
  ['a service account', ANYBODY, BOT, BY_ADA, 'NON-COMPLIANT'],
  ['a job', ANYBODY, JOB, BY_ADA, 'NON-COMPLIANT'],
  ['an unknown identity', ANYBODY, undefined, BY_ADA, 'NON-COMPLIANT'],
])('judges a decision of %s', (_, rule, recordedBy, by, status) => {
  const it = flow('web', decided(recordedBy));
  expect(judge(rule, by === undefined ? it : changed(by, it)).status).toBe(status);
});

const TWO = '{ type: decision, for_control: C-1, min_deciders: 2 }';

it.each<[string, string, readonly AttestationEvidence[], Status]>([
  ['two people under two names', TWO, [decided(ADA), decided(BOB, { name: 'qa' })], 'COMPLIANT'],
  ['one person', TWO, [decided(ADA)], 'NON-COMPLIANT'],
  ['one person under two names', TWO, [decided(ADA), decided(ADA, { name: 'qa' })], 'NON-COMPLIANT'],
  [
    'one person under two logins',
    TWO,
    [decided(ADA), decided({ ...ADA, name: 'al' }, { name: 'qa' })],
    'NON-COMPLIANT',
  ],
  ['two people of one name', TWO, [decided(ADA), decided({ ...ADA, id: 'x' }, { name: 'qa' })], 'COMPLIANT'],
  ['a person and a service account', TWO, [decided(ADA), decided(BOT, { name: 'qa' })], 'COMPLIANT'],
  ['a person and an unknown identity', TWO, [decided(ADA), decided(undefined, { name: 'qa' })], 'NON-COMPLIANT'],
  [
    'two, of which one decided against it',
    TWO,
    [decided(ADA), decided(BOB, { name: 'qa', isCompliant: false })],
    'NON-COMPLIANT',
  ],
  [
    'two, of which one is about another control',
    TWO,
    [decided(ADA), decided(BOB, { name: 'qa', control: 'C-2' })],
    'NON-COMPLIANT',
  ],
  [
    'two, of which one is another type',
    TWO,
    [decided(ADA), { ...decided(BOB, { name: 'qa' }), type: 'generic' }],
    'NON-COMPLIANT',
  ],
  [
    'three where two are enough',
    TWO,
    [decided(ADA), decided(BOB, { name: 'qa' }), decided(EVE, { name: 'ops' })],
    'COMPLIANT',
  ],
  ['one where one is enough', '{ name: release, type: decision, min_deciders: 1 }', [decided(ADA)], 'COMPLIANT'],
  ['an unknown one where one is enough', '{ type: decision, min_deciders: 1 }', [decided()], 'NON-COMPLIANT'],
  [
    'two admins of three people',
    '{ type: decision, min_deciders: 2, decided_by: { role: admin } }',
    [decided(ADA), decided(BOB, { name: 'qa' }), decided({ ...EVE, role: 'admin' }, { name: 'ops' })],
    'COMPLIANT',
  ],
  [
    'one admin of two people',
    '{ type: decision, min_deciders: 2, decided_by: { role: admin } }',
    [decided(ADA), decided(BOB, { name: 'qa' })],
    'NON-COMPLIANT',
  ],
  [
    'two, of which one is not trusted enough',
    '{ type: decision, min_deciders: 2, min_trust: signature }',
    [decided(ADA, { trust: 'signature' }), decided(BOB, { name: 'qa' })],
    'NON-COMPLIANT',
  ],
  [
    'two, of which one overrode a refusal',
    TWO,
    [decided(ADA), decided(BOB, { name: 'qa', isOverride: true })],
    'COMPLIANT',
  ],
  [
    'one who also overrode the other',
    TWO,
    [decided(ADA), decided(ADA, { name: 'qa', isOverride: true })],
    'NON-COMPLIANT',
  ],
])('counts the deciders: %s', (_, rule, attestations, status) => {
  expect(judge(rule, flow('web', ...attestations)).status).toBe(status);
});

it('the deciders are counted in each flow by itself', () => {
  const [one, two] = [flow('web', decided(ADA)), flow('audit', decided(BOB, { name: 'qa' }))];
  expect(judge(TWO, one, two).status).toBe('NON-COMPLIANT');
  expect(judge(TWO, one, flow('audit', decided(ADA), decided(BOB, { name: 'qa' }))).status).toBe('COMPLIANT');
});

it('with authors barred, counts the others', () => {
  const rule = '{ type: decision, min_deciders: 2, not_by: [author] }';
  const three = [decided(ADA), decided(BOB, { name: 'qa' }), decided(EVE, { name: 'ops' })];
  expect(judge(rule, changed(BY_ADA, flow('web', ...three))).status).toBe('COMPLIANT');
  expect(judge(rule, changed(BY_ADA, flow('web', ...three.slice(0, 2)))).status).toBe('NON-COMPLIANT');
});

const REVIEW = '{ name: review, type: pull_request, min_approvals: 1, not_by: [author, committer] }';

it.each<[string, string, ChangedBy | undefined, AttestationEvidence, Status]>([
  ['another person', REVIEW, BY_ADA, reviewed(by('bob')), 'COMPLIANT'],
  [
    'the committer of what was built',
    REVIEW,
    { authors: ['ada'], committers: ['bob'] },
    reviewed(by('bob')),
    'NON-COMPLIANT',
  ],
  ['the author of what was built', REVIEW, { authors: ['Bob'], committers: [] }, reviewed(by('bob')), 'NON-COMPLIANT'],
  [
    'the committer, where only authors are barred',
    '{ type: pull_request, min_approvals: 1, not_by: [author] }',
    { authors: ['ada'], committers: ['bob'] },
    reviewed(by('bob')),
    'COMPLIANT',
  ],
  [
    'a committer of the pull request',
    REVIEW,
    BY_ADA,
    pullRequests(pullRequest({ committers: ['Bob <bob@example.com>'], approvers: [by('bob')] })),
    'NON-COMPLIANT',
  ],
  [
    'a committer of the pull request, where only authors are barred',
    '{ type: pull_request, min_approvals: 1, not_by: [author] }',
    BY_ADA,
    pullRequests(pullRequest({ committers: ['bob'], approvers: [by('bob')] })),
    'COMPLIANT',
  ],
  ['another person, while nobody knows who committed', REVIEW, undefined, reviewed(by('bob')), 'COMPLIANT'],
  ['the committer, overridden', REVIEW, BY_ADA, { ...reviewed(by('eve')), isOverride: true }, 'COMPLIANT'],
  [
    'two, of which one committed',
    '{ type: pull_request, min_approvals: 2, not_by: [committer] }',
    { authors: [], committers: ['bob'] },
    reviewed(by('bob'), by('tom')),
    'NON-COMPLIANT',
  ],
  [
    'the committer, without not_by',
    '{ type: pull_request, min_approvals: 1 }',
    { authors: [], committers: ['bob'] },
    reviewed(by('bob')),
    'COMPLIANT',
  ],
])('judges approvals by %s', (_, rule, by, attestation, status) => {
  const it = flow('web', attestation);
  expect(judge(rule, by === undefined ? it : changed(by, it)).status).toBe(status);
});

it('approvals under two names are never added up', () => {
  const rule = '{ type: pull_request, min_approvals: 2, not_by: [author] }';
  const other = { ...reviewed(by('tom')), id: 'other', name: 'second-review' };
  expect(judge(rule, changed(BY_ADA, flow('web', reviewed(by('bob')), other))).status).toBe('NON-COMPLIANT');
});

it('says who decided, and whose decision would count', () => {
  expect(
    reasonsOf('{ type: decision, for_control: C-1, decided_by: { role: admin } }', flow('web', decided(ADA))),
  ).toEqual([
    {
      resolution: 'missing_attestation',
      message:
        "Policy 'production' requires a compliant decision on control 'C-1', recorded by an admin. In flow 'web', " +
        "trail 'release-7', 'release' was recorded by 'ada', who was not an admin then.",
      fix: "Have an admin record 'release' in trail 'release-7' of flow 'web'.",
    },
  ]);
  const inGroup = "a person in group 'Release managers'";
  expect(
    reasonsOf('{ type: decision, decided_by: { group: Release managers } }', flow('web', decided(BOT))),
  ).toMatchObject([
    {
      message: expect.stringContaining(`'release' was recorded by service account 'ci', who was not ${inGroup} then.`),
      fix: `Have ${inGroup} record 'release' in trail 'release-7' of flow 'web'.`,
    },
  ]);
  expect(reasonsOf(ANYBODY, changed(BY_ADA, flow('web', decided(ADA))))).toMatchObject([
    {
      message: expect.stringContaining(
        ', not recorded by an author or committer of what was built. ' +
          "In flow 'web', trail 'release-7', 'release' was recorded by 'ada', who wrote or committed what was built.",
      ),
      fix: "Have another person record 'release' in trail 'release-7' of flow 'web'.",
    },
  ]);
  expect(reasonsOf(ANYBODY, changed(BY_ADA, flow('web', decided(JOB))))[0]?.message).toContain(
    "'release' was recorded by a job of service account 'deploy', which can be used by an author.",
  );
  expect(reasonsOf(ANYBODY, flow('web', decided(BOB)))[0]?.fix).toBe(
    "Report the artifact again in trail 'release-7' of flow 'web', with git_commit_info that names the author.",
  );
  expect(reasonsOf(ANYBODY, flow('web', decided()))[0]?.fix).toBe(
    "Record 'release' again in trail 'release-7' of flow 'web'.",
  );
});

it('says how many deciders are missing, and why others do not count', () => {
  expect(reasonsOf(TWO, flow('web', decided(ADA)))).toEqual([
    {
      resolution: 'missing_attestation',
      message:
        "Policy 'production' requires a compliant decision on control 'C-1', by at least 2 different identities. In flow " +
        "'web', trail 'release-7', 1 of 2 different identities decided (ada).",
      fix: "Have one more person record a decision on control 'C-1', each under a name of its own, in trail 'release-7' of flow 'web'.",
    },
  ]);
  const rule = '{ type: decision, min_deciders: 3, decided_by: { role: admin } }';
  expect(reasonsOf(rule, flow('web', decided(BOB), decided(ADA, { name: 'qa' })))).toMatchObject([
    {
      message: expect.stringContaining(
        "1 of 3 different identities decided (bob); 'qa' was recorded by 'ada', who was not an admin then.",
      ),
      fix: expect.stringContaining('Have 2 more people record an attestation of type decision'),
    },
  ]);
});

it('says which approvals do not count', () => {
  const [reason] = reasonsOf(
    REVIEW,
    changed({ authors: ['ada'], committers: ['bob'] }, flow('web', reviewed(by('bob')))),
  );
  expect(reason?.message).toContain('bob wrote or committed what was built');
  expect(reason?.fix).toContain('approved by one person who did not write or commit any of it');
});

it('is part of the evidence, where there is any', () => {
  const all = [decided(ADA, { name: 'a' }), decided(BOB, { name: 'b' }), decided(BOT, { name: 'c' })];
  const evidence = artifactIn(changed(BY_ADA, flow('web', ...all)));
  expect(readEvidence(evidenceKey(evidence))).toEqual(evidence);
  expect(evidenceKey(artifactIn(flow('web', decided())))).not.toMatch(/recordedBy|changedBy/);
  const committed = artifactIn(flow('web', pullRequests(pullRequest({ committers: ['bob'] }))));
  expect(readEvidence(evidenceKey(committed))).toEqual(committed);
  expect(evidenceKey(committed)).toBe(JSON.stringify(sorted(committed)));
  expect(evidenceKey(evidence)).toBe(JSON.stringify(sorted(evidence)));
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const DECIDED_BY =
  '"decided_by" must have a role, a group, or both, such as { role: admin } or { group: Release managers }.';
const NOT_BY = '"not_by" must be a list of "author", "committer", or both.';

it.each([
  ['{ type: decision, decided_by: {} }', DECIDED_BY],
  ['{ type: decision, decided_by: { role: reader } }', '"role" must be admin or member, not the text "reader".'],
  ['{ type: decision, decided_by: { group: "" } }', '"group" must be at least 1 characters long.'],
  ['{ type: junit, decided_by: { role: admin } }', '"decided_by" is only allowed with type "decision", not "junit".'],
  ['{ type: decision, not_by: [] }', NOT_BY],
  ['{ type: decision, not_by: author }', NOT_BY],
  ['{ type: decision, not_by: [reviewer] }', NOT_BY],
  ['{ type: decision, not_by: [author, author] }', NOT_BY],
  [
    '{ type: junit, not_by: [author] }',
    '"not_by" is only allowed with type "decision" or "pull_request", not "junit".',
  ],
  [
    '{ type: pull_request, not_by: [author] }',
    '"not_by" with type "pull_request" requires "min_approvals", the number of approvals without them.',
  ],
  ['{ type: decision, min_deciders: 0 }', '"min_deciders" must be at least 1.'],
  ['{ type: decision, min_deciders: 101 }', '"min_deciders" must be at most 100.'],
  [
    '{ type: pull_request, min_deciders: 2 }',
    '"min_deciders" is only allowed with type "decision", not "pull_request".',
  ],
  [
    '{ name: release, type: decision, min_deciders: 2 }',
    '"min_deciders" above 1 requires name "*", because only the newest decision of a name counts.',
  ],
])('refuses the rule %s', (rule, message) => {
  const text = `_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - ${rule}`;
  expect(parsePolicy(text)).toMatchObject({ problems: [{ message }] });
});
