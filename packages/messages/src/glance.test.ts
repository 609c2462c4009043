import { expect, it } from 'vitest';
import type { Message, MessageContent } from './content.ts';
import { glanceOf } from './glance.ts';
import { mailContent } from './mail.ts';
import { inert, nameText, plainText } from './plain-text.ts';

const NOTHING: MessageContent = {
  environment: null,
  flow: null,
  snapshot: null,
  artifact: null,
  trail: null,
  attestation: null,
  apiKey: null,
  names: [],
  why: null,
};
const web = { name: 'web:1.4', fingerprint: 'ab12', compliant: true, provenance: null };
const key = { id: 'k1', description: 'deploy', owner: 'ci', expiresAt: 1_790_000_000, daysLeft: 7 };

function messageOf(trigger: Message['trigger'], content: Partial<MessageContent>, count = 1): Message {
  return {
    id: 'd1',
    org: 'acme',
    trigger,
    sequence: 1,
    count,
    timestamp: 1_790_000_000,
    content: { ...NOTHING, ...content },
  };
}

const inProd = { environment: 'prod', names: ['web:1.4'], artifact: web };
const inFlow = { flow: 'pay', trail: { name: 'build-1', compliant: null }, names: ['build-1'] };
const attestation = { id: 'a', name: 'tests', type: 'junit', compliant: false };

it.each([
  ['Non-compliant: prod', 'bad', messageOf('ON_NON_COMPLIANT_ENV', inProd)],
  ['Compliant: prod', 'good', messageOf('ON_COMPLIANT_ENV', inProd)],
  ['Artifact started in prod: web:1.4', 'neutral', messageOf('ON_STARTED_ARTIFACT', inProd)],
  [
    'Non-compliant artifact started in prod: web:1.4',
    'bad',
    messageOf('ON_STARTED_ARTIFACT', { ...inProd, artifact: { ...web, compliant: false } }),
  ],
  [
    'Artifact scaled in prod from 2 to 6 instances: web:1.4',
    'neutral',
    messageOf('ON_SCALED_ARTIFACT', { ...inProd, why: 'from 2 to 6 instances' }),
  ],
  ['Artifact scaled 4 times in prod: web:1.4', 'neutral', messageOf('ON_SCALED_ARTIFACT', inProd, 4)],
  ['2 artifacts exited in prod', 'neutral', messageOf('ON_EXITED_ARTIFACT', { ...inProd, names: ['a', 'b'] }, 2)],
  [
    '2 artifacts exited 9 times in prod',
    'neutral',
    messageOf('ON_EXITED_ARTIFACT', { ...inProd, names: ['a', 'b'] }, 9),
  ],
  ['Artifact about to fail in prod: web:1.4', 'bad', messageOf('ON_EXPIRING_EVIDENCE', inProd)],
  ['Artifact waived in prod: web:1.4', 'neutral', messageOf('ON_ALLOWED_ARTIFACT', inProd)],
  ['Trail started in pay: build-1', 'neutral', messageOf('ON_STARTED_TRAIL', inFlow)],
  ['Artifact reported in pay: web:1.4', 'neutral', messageOf('ON_ATTESTED_PROVENANCE', { ...inFlow, artifact: web })],
  ['Non-compliant attestation recorded in pay: tests', 'bad', messageOf('ON_ATTESTATION', { ...inFlow, attestation })],
  ['API key expires in 7 days: deploy', 'bad', messageOf('api_key_expiry', { apiKey: key })],
  ['API key expires in 1 day: deploy', 'bad', messageOf('api_key_expiry', { apiKey: { ...key, daysLeft: 1 } })],
  ['API key has expired: ci', 'bad', messageOf('api_key_expiry', { apiKey: { ...key, daysLeft: 0, description: '' } })],
  ['Test message from Waymark', 'neutral', messageOf('TEST', {})],
] as const)('%s', (title, tone, message) => {
  expect(glanceOf(message)).toMatchObject({ title, tone });
});

it('names a few of many, and the one that is non-compliant', () => {
  const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
  const bad = { ...web, compliant: false };
  const { title, facts } = glanceOf(messageOf('ON_STARTED_ARTIFACT', { ...inProd, names, artifact: bad }, 300));
  expect(title).toBe('300 artifacts started in prod, including non-compliant ones');
  expect(facts).toContainEqual({
    label: 'Artifacts',
    value: 'web-0, web-1, web-2, web-3, web-4 and 295 more',
    isDetail: false,
  });
  expect(facts).toContainEqual({ label: 'Non-compliant', value: 'web:1.4', isDetail: false });
});

it('gives a reason only where there is one, and when it was recorded', () => {
  const scaled = glanceOf(messageOf('ON_SCALED_ARTIFACT', { ...inProd, why: 'from 2 to 6 instances' }));
  expect(scaled.why).toBeNull();
  expect(scaled.facts.at(-1)).toEqual({ label: 'Recorded', value: '2026-09-21 14:13 UTC', isDetail: false });
  const green = glanceOf(messageOf('ON_COMPLIANT_ENV', { ...inProd, why: 'again after the latest report' }));
  expect(green.why).toBe('It is compliant again after the latest report');
  const red = glanceOf(messageOf('ON_NON_COMPLIANT_ENV', { ...inProd, why: 'No tests.', fix: 'Run them.' }));
  expect(red.why).toBe('No tests. What to do: Run them.');
});

it('names what a test is of, and who sent it', () => {
  const { facts } = glanceOf(messageOf('TEST', { test: { of: 'notification alerts', by: 'ada' } }));
  expect(facts.map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Test of: notification alerts',
    'Sent by: ada',
    'Org: acme',
    'Recorded: 2026-09-21 14:13 UTC',
  ]);
});

it('distinguishes artifacts with one name', () => {
  const artifacts = [
    { ...web, fingerprint: 'a'.repeat(64) },
    { ...web, fingerprint: 'b'.repeat(64), compliant: false },
  ];
  const content = { ...inProd, artifact: { ...web, fingerprint: 'b'.repeat(64), compliant: false }, artifacts };
  const { title, facts } = glanceOf(messageOf('ON_STARTED_ARTIFACT', content, 2));
  expect(title).toBe('2 artifacts started in prod, including non-compliant ones');
  expect(facts.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['web:1.4 (aaaaaaaaaaaa), web:1.4 (bbbbbbbbbbbb)', 'web:1.4 (bbbbbbbbbbbb)']),
  );
});

it('keeps the subject of a mail unchanged, and makes no links in its body', () => {
  const message = messageOf('ON_STARTED_ARTIFACT', { ...inProd, artifact: { ...web, name: 'acme.io/web' } });
  const { subject, title, action } = mailContent(message, 'https://waymark.test');
  expect(subject).toBe('Artifact started in prod: acme.io/web');
  expect(title).toBe('Artifact started in prod: acme.\u200bio/web');
  expect(action).toEqual({ label: 'Show environment', url: 'https://waymark.test/acme/environments/prod' });
});

it('cuts a text at its end and a name in its middle', () => {
  expect(plainText('one two three', 8)).toBe('one two…');
  expect(nameText('registry/team/web:1.4.2', 12)).toBe('regist…1.4.2');
  expect(Array.from(nameText('💥'.repeat(100), 12))).toHaveLength(12);
  expect(nameText('\u202e\u200b', 12)).toBe('(unnamed)');
});

it.each([
  ['a\r\nb\u2028c\td', 'a b c d'],
  ['\u202eabc\u2066', 'abc'],
  ['\ud800', '\ufffd'],
  ['é\u0301\u0301\u0301\u0301\u0301', 'é\u0301\u0301\u0301'],
])('%j is written as %j', (text, written) => {
  expect(plainText(text, 50)).toBe(written);
});

it.each(['1.2.3', 'v1.4.2-rc.1', 'web:1.4', 'a_b', 'Snapshot 42 (x)', 'sha256:ab12'])(
  '%j is left unchanged',
  (text) => {
    expect(inert(text)).toBe(text);
  },
);
