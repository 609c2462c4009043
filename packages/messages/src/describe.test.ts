import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Message, MessageContent, MessageTrigger } from './content.ts';
import { describeMessage } from './describe.ts';
import { joinContents } from './join.ts';
import { linkOf, webhookBody } from './webhook-body.ts';

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
const web = { name: 'registry/web:2', fingerprint: 'a'.repeat(64), compliant: true, provenance: null };

function described(trigger: MessageTrigger, content: Partial<MessageContent>, count = 1): string {
  return describeMessage({ trigger, count, content: { ...NOTHING, ...content } });
}

it('describes what happened, where and why in one sentence', () => {
  const prod = { environment: 'prod', names: ['registry/web:2'], artifact: web };
  const because = 'registry/web:2 has no provenance';
  expect(described('ON_STARTED_ARTIFACT', prod)).toBe('registry/web:2 started in prod');
  expect(described('ON_STARTED_ARTIFACT', { ...prod, artifact: { ...web, compliant: false }, why: 'no tests' })).toBe(
    'registry/web:2 started in prod and is not compliant: no tests',
  );
  expect(described('ON_EXITED_ARTIFACT', prod)).toBe('registry/web:2 exited in prod');
  expect(described('ON_SCALED_ARTIFACT', { ...prod, why: 'from 2 to 3 instances' })).toBe(
    'registry/web:2 scaled in prod from 2 to 3 instances',
  );
  expect(described('ON_EXPIRING_EVIDENCE', { ...prod, why: 'a scan becomes too old' })).toBe(
    'registry/web:2 will not be compliant in prod: a scan becomes too old',
  );
  expect(described('ON_ALLOWED_ARTIFACT', { ...prod, why: 'granted by jane: hotfix' })).toBe(
    'registry/web:2 got a waiver in prod: granted by jane: hotfix',
  );
  expect(described('ON_NON_COMPLIANT_ENV', { environment: 'prod', why: because })).toBe(
    'prod is not compliant: registry/web:2 has no provenance',
  );
  expect(described('ON_NON_COMPLIANT_ENV', { environment: 'prod', why: 'no tests.', fix: 'Run\nthem.' })).toBe(
    'prod is not compliant: no tests. What to do: Run them.',
  );
  expect(described('ON_COMPLIANT_ENV', { environment: 'prod' })).toBe('prod is compliant');
  expect(described('ON_COMPLIANT_ENV', { environment: 'prod', why: 'again after the latest report' })).toBe(
    'prod is compliant again after the latest report',
  );
  expect(described('ON_STARTED_TRAIL', { flow: 'web', names: ['t1'] })).toBe('Trail t1 started in flow web');
  const trail = { name: 't1', compliant: null };
  expect(described('ON_ATTESTED_PROVENANCE', { flow: 'web', trail, names: ['app.tgz'] })).toBe(
    'app.tgz was reported in trail t1 of flow web',
  );
  const attestation = { id: 'x', name: 'scan', type: 'snyk', compliant: false };
  expect(described('ON_ATTESTATION', { flow: 'web', trail, attestation, names: ['scan'], why: '2 high' })).toBe(
    'scan (snyk) was recorded in trail t1 of flow web and is not compliant: 2 high',
  );
  const apiKey = { id: 'k', description: 'deploy', owner: 'ci-bot', expiresAt: 1, daysLeft: 7 };
  expect(described('api_key_expiry', { apiKey })).toBe("API key 'deploy' of ci-bot expires in 7 days");
  expect(described('api_key_expiry', { apiKey: { ...apiKey, daysLeft: 1 } })).toContain('expires in 1 day');
  expect(described('api_key_expiry', { apiKey: { ...apiKey, daysLeft: 0 } })).toContain('has expired');
  expect(described('TEST', {})).toBe('This is a test message: nothing has happened');
  expect(described('TEST', { test: { of: 'notification alerts', by: 'ada' } })).toBe(
    'This is a test message of notification alerts, sent by ada: nothing has happened',
  );
});

it('distinguishes artifacts with one name', () => {
  const one = (digit: string, compliant: boolean | null = true): MessageContent => ({
    ...NOTHING,
    environment: 'prod',
    artifact: { name: 'web', fingerprint: digit.repeat(64), compliant, provenance: null },
    names: ['web'],
    ...(compliant === false && { why: 'no tests.', fix: 'Run them.' }),
  });
  const [a, b] = [one('a'), one('b', false)];
  const started = (content: MessageContent, count: number) => described('ON_STARTED_ARTIFACT', content, count);
  expect(started(joinContents(a, a), 2)).toBe('web started in prod, 2 times');
  expect(started(joinContents(a, b), 2)).toBe(
    '2 artifacts started in prod: web (aaaaaaaaaaaa) and web (bbbbbbbbbbbb). ' +
      'web (bbbbbbbbbbbb) is not compliant: no tests. What to do: Run them.',
  );
  expect(described('ON_EXITED_ARTIFACT', [a, b, a].reduce(joinContents), 3)).toBe(
    '2 artifacts exited in prod, 3 times in all: web (bbbbbbbbbbbb) and web (aaaaaaaaaaaa)',
  );
  const unnamed = { ...NOTHING, names: ['web'], artifact: { ...web, name: 'web', fingerprint: '' } };
  expect(started(joinContents(a, unnamed), 2)).toContain('web (aaaaaaaaaaaa) and web (no fingerprint)');
  const many = Array.from({ length: 30 }, (_, i) => one(String.fromCharCode(0x61 + i)));
  expect(started(many.reduce(joinContents), 30)).toMatch(/^30 artifacts started in prod: web .* and 27 more$/);
});

it('lists the newest artifacts of a burst, each once, in its last state', () => {
  const one = (name: string, compliant: boolean | null) => ({ name, fingerprint: 'f', compliant });
  const of = (...artifacts: ReturnType<typeof one>[]): MessageContent => ({ ...NOTHING, artifacts });
  expect(joinContents(of(one('a', true), one('b', true)), of(one('a', false))).artifacts).toEqual([
    one('b', true),
    one('a', false),
  ]);
  const many = Array.from({ length: 50 }, (_, i) => of(one(`web-${i}`, null)));
  expect(many.reduce(joinContents).artifacts?.map(({ name }) => name)).toEqual(
    Array.from({ length: 20 }, (_, i) => `web-${i + 30}`),
  );
  // Content stored before the list existed counts by its single artifact.
  expect(joinContents({ ...NOTHING, artifact: web }, of(one('b', true))).artifacts?.map(({ name }) => name)).toEqual([
    'registry/web:2',
    'b',
  ]);
  expect(joinContents(NOTHING, NOTHING)).toEqual(NOTHING);
});

it('counts several, names a few, and includes the one that is not compliant', () => {
  const names = Array.from('abcdefghijkl');
  const few = (count: number, some: string[]) =>
    described('ON_STARTED_ARTIFACT', { environment: 'prod', names: some }, count);
  expect(few(12, names)).toBe('12 artifacts started in prod: a, b, c and 9 more');
  expect(few(2, ['a', 'b'])).toBe('2 artifacts started in prod: a and b');
  expect(few(4, ['a'])).toBe('a started in prod, 4 times');
  expect(few(9, ['a', 'b'])).toBe('2 artifacts started in prod, 9 times in all: a and b');
  const bad = { ...web, name: 'b', compliant: false };
  const content = { environment: 'prod', names: ['a', 'b'], artifact: bad, why: 'no provenance' };
  expect(described('ON_STARTED_ARTIFACT', content, 2)).toBe(
    '2 artifacts started in prod: a and b. b is not compliant: no provenance',
  );
});

it('a name cannot break the line, change its direction or fill it', () => {
  const names = [`web\r\n\u202eevil\u0000 ${'x'.repeat(5_000)} end`];
  const text = described('ON_STARTED_ARTIFACT', { environment: 'prod', names });
  expect(text).toMatch(/^web evil x+…x+ end started in prod$/);
  expect(text.length).toBeLessThan(200);
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 3 }).map((part) => part.repeat(3_000)),
  fc.constantFrom('\ud800', '\u0000', '"', '漢').map((part) => part.repeat(2_000)),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const required = {
  environment: maybe(text),
  flow: maybe(text),
  snapshot: maybe(fc.record({ index: fc.nat(), status: text })),
  artifact: maybe(
    fc.record({
      name: text,
      fingerprint: text,
      compliant: maybe(fc.boolean()),
      provenance: maybe(
        fc.record({ flow: text, trail: text, commit: text, commitUrl: text, buildUrl: text, artifactId: text }),
      ),
    }),
  ),
  trail: maybe(fc.record({ name: text, compliant: maybe(fc.boolean()) })),
  attestation: maybe(fc.record({ id: text, name: text, type: text, compliant: fc.boolean() })),
  apiKey: maybe(
    fc.record({ id: text, description: text, owner: text, expiresAt: fc.double(), daysLeft: fc.integer() }),
  ),
  names: fc.array(text, { maxLength: 60 }),
  why: maybe(text),
};
const artifacts = fc.array(fc.record({ name: text, fingerprint: text, compliant: maybe(fc.boolean()) }), {
  maxLength: 40,
});
const contents: fc.Arbitrary<MessageContent> = fc.record(
  { ...required, artifacts, fix: text, test: fc.record({ of: text, by: text }) },
  { requiredKeys: Object.keys(required) as (keyof typeof required)[] },
);
const triggers: MessageTrigger[] = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_SCALED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_EXPIRING_EVIDENCE',
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  'api_key_expiry',
  'TEST',
];
const messages: fc.Arbitrary<Message> = fc.record({
  id: fc.uuid(),
  org: text,
  trigger: fc.constantFrom(...triggers),
  sequence: maybe(fc.nat()),
  count: fc.nat(),
  timestamp: fc.nat(),
  content: contents,
});

it('describes anything in a bounded text on one line', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const text = describeMessage(message);
      expect(text.length).toBeLessThanOrEqual(1_200);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    }),
    { numRuns: 500 },
  );
});

it('a body stays below 20 KB, whatever its content', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const body = JSON.stringify(webhookBody(message, 'https://waymark.example.com'));
      expect(Buffer.byteLength(body)).toBeLessThan(20_000);
      expect(JSON.parse(body)).toMatchObject({ version: '1.0', id: message.id, count: message.count });
      expect(linkOf(message, 'https://waymark.example.com')).toMatch(/^https:\/\/waymark\.example\.com(\/|$)/);
    }),
    { numRuns: 500 },
  );
});

it('joins any contents into bounded ones, and never loses the one that is not compliant', () => {
  fc.assert(
    fc.property(fc.array(contents, { minLength: 1, maxLength: 8 }), (several) => {
      const joined = several.reduce(joinContents);
      expect(joined.artifacts?.length ?? 0).toBeLessThanOrEqual(several.length > 1 ? 20 : 40);
      expect(joined.names.length).toBeLessThanOrEqual(Math.max(20, several[0]?.names.length ?? 0));
      const isBad = (one: MessageContent) => one.artifact?.compliant === false || one.attestation?.compliant === false;
      expect(isBad(joined)).toBe(several.some(isBad));
      expect(joined.snapshot).toEqual(several.findLast(({ snapshot }) => snapshot !== null)?.snapshot ?? null);
    }),
    { numRuns: 300 },
  );
});
