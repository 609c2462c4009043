import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RETRY_SECONDS, signAsymmetric, webhookBody } from '@waymark/messages';
import { afterAll, describe, expect, it } from 'vitest';
import { buildApi } from '../../src/app/api.ts';
import { deliverDue } from '../../src/features/notifications/queue/deliver.ts';
import { sendWebhook } from '../../src/features/notifications/send/send-webhook.ts';
import { newId } from '../../src/platform/ids.ts';
import { dialPinned } from '../../src/platform/outbound/guarded-connect.ts';
import { createGuardedFetch } from '../../src/platform/outbound/guarded-fetch.ts';
import { selfSigned } from '../given/certificate.ts';
import { givenPlanner } from '../given/planner.ts';
import { noLog, startApi } from '../harness.ts';
import { readBlocks } from './pages/page-blocks.ts';
import { PUBLIC_URL, sampleOf, triggers } from './pages/sample-messages.ts';
import { complaintsAbout, readCommands } from './pages/shell.ts';
import { isInstalled, judgedGenuine, type SignedMessage } from './pages/verifiers.ts';

const PAGE = 'notifications.md';
const page = await readFile(join(import.meta.dirname, '../../../../docs', PAGE), 'utf8');
const blocks = await readBlocks(PAGE);

/** The shell program that the page provides, and not a command to run in order. */
const isProgram = ({ text }: { readonly text: string }) => text.includes('is_genuine() (');

it('the samples are what is sent', () => {
  const shown = blocks.filter(({ kind }) => kind === 'json').map(({ text }) => JSON.parse(text) as unknown);
  expect(shown).toEqual(triggers.map((trigger) => webhookBody(sampleOf(trigger), PUBLIC_URL)));
});

it('the schedule is the real one', () => {
  const shown = Array.from(page.matchAll(/^\| (\d+) +\| (immediate|\d+ (?:s|min|h)) +\|$/gm), ([, , time]) => time);
  expect(shown).toEqual(RETRY_SECONDS.map(inWords));
});

function inWords(seconds: number): string {
  if (seconds === 0) return 'immediate';
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
}

describe('commands', async () => {
  const api = await startApi();
  const certificate = selfSigned('hooks.example.org');
  const receiver = createServer(certificate, (_request, response) => void response.writeHead(204).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  // The host name in the page leads to this machine, and nothing leaves it.
  const outbound = createGuardedFetch({
    allowedNetworks: ['127.0.0.0/8'],
    resolve: async () => ['127.0.0.1'],
    dial: dialPinned({ timeoutMs: 5_000, ca: certificate.cert }),
  });
  const app = buildApi({ ...api.parts, outbound }, api.listeners);
  afterAll(async () => {
    await app.http.close();
    receiver.close();
  });

  it('of the page work as written', async () => {
    await app.http.listen({ host: '127.0.0.1', port: 0 });
    const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
    const [setting, ...commands] = (await readCommands(PAGE)).filter((command) => !isProgram(command));
    expect(setting?.text).toContain('export RECEIVER=https://hooks.example.org/waymark');
    expect(commands).toHaveLength(14);

    const env = {
      WAYMARK: `http://127.0.0.1:${portOf(app.http.server)}/api/v2`,
      WAYMARK_KEY: api.org.keys.admin,
      RECEIVER: `https://hooks.example.org:${portOf(receiver)}/waymark`,
    };
    const reading = new AbortController();
    const working = workUntil(reading.signal);
    try {
      expect(await complaintsAbout(commands, env)).toEqual([]);
    } finally {
      reading.abort();
      await working;
    }
  });

  /** The work of the workers while somebody reads. */
  async function workUntil(signal: AbortSignal): Promise<void> {
    const { plan } = await givenPlanner(api);
    const { db, secretBox: box } = api.parts;
    const parts = { db, box, publicUrl: PUBLIC_URL, outbound, mailer: undefined, log: noLog, random: () => 0.5 };
    while (!signal.aborted) {
      api.clock.now = new Date();
      await plan();
      await deliverDue({ ...parts, now: () => api.clock.now });
      await sleep(100);
    }
  }
});

describe('programs that verify', async () => {
  const secret = () => `whsec_${randomBytes(32).toString('base64')}`;
  const [first, second] = [secret(), secret()];
  const pair = generateKeyPairSync('ed25519');
  const whpk = `whpk_${Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`;
  const now = new Date();
  const genuine = await signed(now);
  const old = await signed(new Date(now.getTime() - 301_000));
  const tampered = genuine.body.replace('production', 'Production');

  /** A message as our own code sends it. */
  async function signed(at: Date): Promise<Omit<SignedMessage, 'key'>> {
    const sent: Omit<SignedMessage, 'key'>[] = [];
    const parts = {
      publicUrl: PUBLIC_URL,
      mailer: undefined,
      async outbound(_url: string | URL, init: { headers?: unknown; body?: unknown } = {}) {
        const headers = new Headers(init.headers as Record<string, string>);
        const header = (name: string) => headers.get(name) ?? '';
        sent.push({
          id: header('webhook-id'),
          timestamp: header('webhook-timestamp'),
          signatures: header('webhook-signature'),
          body: String(init.body),
        });
        return new Response(null, { status: 204 });
      },
      signWithOrgKey: async (_org: string, text: string) => signAsymmetric(pair.privateKey, text),
      unsubscribeUrl: () => undefined,
    };
    const target = {
      id: newId(),
      kind: 'WEBHOOK' as const,
      url: 'https://hooks.example.org/waymark',
      secrets: [first, second],
      context: null,
      sourceName: 'production-alerts',
      derived: false,
    };
    const message = sampleOf('ON_NON_COMPLIANT_ENV');
    await sendWebhook(parts, { orgId: newId(), message, address: null, target }, { requestId: newId(), at });
    const [only] = sent;
    if (!only) throw new Error('nothing was sent');
    return only;
  }

  const bySecret: readonly (readonly [SignedMessage, boolean])[] = [
    [{ ...genuine, key: first }, true],
    [{ ...genuine, key: second }, true],
    [{ ...genuine, key: secret() }, false],
    [{ ...genuine, key: first, body: tampered }, false],
    [{ ...genuine, key: first, body: `${genuine.body}\n` }, false],
    [{ ...genuine, key: first, id: newId() }, false],
    [{ ...genuine, key: first, timestamp: String(Number(genuine.timestamp) + 1) }, false],
    [{ ...genuine, key: first, timestamp: '' }, false],
    [{ ...genuine, key: first, timestamp: 'x[$(touch broken)]' }, false],
    [{ ...genuine, key: first, signatures: '' }, false],
    [{ ...genuine, key: first, signatures: 'v1, v2,x * v1' }, false],
    [{ ...old, key: first }, false],
  ];
  const byKey: typeof bySecret = [
    [{ ...genuine, key: whpk }, true],
    [{ ...genuine, key: whpk, body: tampered }, false],
    [{ ...genuine, key: whpk, signatures: genuine.signatures.split(' ').slice(0, 2).join(' ') }, false],
    [{ ...genuine, key: whpk, signatures: 'v1a,AAAA' }, false],
    [{ ...old, key: whpk }, false],
  ];

  it('there is one in each of four languages', () => {
    const programs = blocks.filter((block) => ['ts', 'python', 'go'].includes(block.kind) || isProgram(block));
    expect(programs.map(({ kind }) => kind)).toEqual(['ts', 'python', 'go', 'sh']);
    expect(genuine.signatures).toMatch(/^v1,\S+ v1,\S+ v1a,\S+$/);
    expect(tampered).not.toBe(genuine.body);
  });

  it.for([
    { language: 'ts', cases: [...bySecret, ...byKey] },
    { language: 'python', cases: bySecret },
    { language: 'go', cases: [...bySecret, ...byKey] },
    { language: 'sh', cases: [...bySecret, ...byKey] },
  ])('in $language takes what is genuine and nothing else', { timeout: 600_000 }, async ({ language, cases }, test) => {
    test.skip(!(await isInstalled(language)), `there is no ${language} on this machine`);
    const block = blocks.find(({ kind, ...rest }) => kind === language && (kind !== 'sh' || isProgram(rest)));
    if (!block) throw new Error(`the page shows nothing in ${language}`);
    const messages = cases.map(([message]) => message);
    expect(await judgedGenuine(block, messages)).toEqual(cases.map(([, isGenuine]) => isGenuine));
  });
});
