import type { Message, MessageTrigger } from '@waymark/messages';
import { expect, it } from 'vitest';
import { givenMessage, givenOutgoing, HOSTILE_NAMES } from '../../../../test/given/outgoing.ts';
import { openMailScreens } from '../../../../test/mail-screens.ts';
import { startMailServer } from '../../../../test/mail-server.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';
import type { Outgoing } from './outgoing.ts';
import { sendMail } from './send-mail.ts';

const mails = await startMailServer();
const expectHarmless = await openMailScreens();
const mailer = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
const parts = {
  publicUrl: 'https://waymark.test',
  outbound: () => Promise.reject(new Error('no mail is sent by HTTP')),
  mailer,
  signWithOrgKey: async () => undefined,
  unsubscribeUrl: () => `https://waymark.test/unsubscribe/${'x'.repeat(400)}`,
};
const { content } = givenMessage;
const inFlow = {
  ...content,
  environment: null,
  snapshot: null,
  why: null,
  flow: 'payments',
  trail: { name: 'build-4711', compliant: null },
};
const KINDS: readonly (readonly [MessageTrigger, Partial<Message>])[] = [
  ['ON_NON_COMPLIANT_ENV', {}],
  [
    'ON_COMPLIANT_ENV',
    { content: { ...content, snapshot: { index: 43, status: 'compliant' }, artifact: null, why: null } },
  ],
  [
    'ON_STARTED_ARTIFACT',
    {
      count: 25,
      content: { ...content, names: Array.from({ length: 20 }, (_, n) => `registry.acme.io/web-${n}:1.0`) },
    },
  ],
  ['ON_EXITED_ARTIFACT', {}],
  ['ON_SCALED_ARTIFACT', { content: { ...content, why: 'from 2 to 6 instances' } }],
  ['ON_ALLOWED_ARTIFACT', { content: { ...content, why: 'Grace allowed it: hotfix for the outage of Sunday' } }],
  ['ON_EXPIRING_EVIDENCE', { content: { ...content, why: 'A scan becomes too old' } }],
  ['ON_STARTED_TRAIL', { content: { ...inFlow, artifact: null, names: ['build-4711'] } }],
  ['ON_ATTESTED_PROVENANCE', { content: inFlow }],
  [
    'ON_ATTESTATION',
    {
      content: {
        ...inFlow,
        artifact: null,
        attestation: { id: 'a1', name: 'unit-tests', type: 'junit', compliant: false },
        why: '3 of 120 tests failed',
      },
    },
  ],
  [
    'api_key_expiry',
    {
      content: {
        ...inFlow,
        flow: null,
        trail: null,
        artifact: null,
        names: [],
        apiKey: { id: 'k1', description: 'deploy from CI', owner: 'ci-bot', expiresAt: 1_790_600_000, daysLeft: 7 },
      },
    },
  ],
  ['TEST', { sequence: null, content: { ...inFlow, flow: null, trail: null, artifact: null, names: [] } }],
];

function hostileMessage(name: string): Outgoing {
  const artifact = { name, fingerprint: name, compliant: false, provenance: null };
  const environment = {
    ...content,
    environment: name,
    snapshot: { index: 1, status: name },
    artifact,
    names: [name],
    why: name,
  };
  return givenOutgoing(
    { kind: 'EMAIL', sourceName: name },
    { org: name, trigger: 'ON_STARTED_ARTIFACT', content: environment },
  );
}

async function htmlOf(outgoing: Outgoing): Promise<string> {
  const attempt = { requestId: 'request-1', at: new Date('2026-11-15T12:00:00Z') };
  expect(await sendMail(parts, outgoing, attempt)).toMatchObject({ delivered: true });
  return mails.received.at(-1)?.mail.html ?? '';
}

it.each(KINDS)('%s is displayed, and does nothing', { timeout: 600_000 }, async (trigger, message) => {
  const isKey = trigger === 'api_key_expiry';
  const target = { kind: 'EMAIL', ...(isKey && { sourceName: null, derived: true }) } as const;
  const html = await htmlOf(givenOutgoing(target, { ...message, trigger }));
  await expectHarmless(html, trigger);
});

it.each(HOSTILE_NAMES.map((name, index) => [index, name] as const))(
  'name %i runs nothing and requests nothing',
  { timeout: 600_000 },
  async (index, name) => {
    const html = await htmlOf(hostileMessage(name));
    await expectHarmless(html, `hostile-${index}`);
  },
);
