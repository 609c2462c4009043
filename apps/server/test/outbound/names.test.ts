import { beforeEach, expect, it } from 'vitest';
import { isPublic } from '../../src/platform/outbound/public-address.ts';
import type { Answer, Entry } from './dns-server.ts';
import { anyPublic, outcomeOf, startLab } from './lab.ts';

const lab = await startLab();
const leads = { code: 'blocked', message: 'hooks.example.org resolves to an address that is not allowed', dialled: [] };
const unresolved = { code: 'unresolved', message: 'The name hooks.example.org cannot be resolved', dialled: [] };

beforeEach(() => {
  lab.dns.reset();
  lab.dns.unknown = 'nxdomain';
  lab.inside.connections.length = 0;
});

function given(name: string, answer: Answer, more: Omit<Entry, 'answers'> = {}): void {
  lab.dns.entries.set(name, { answers: [answer], ...more });
}

function call(guarded = lab.guarded(), url = 'https://hooks.example.org/') {
  return outcomeOf(lab, () => guarded(url, { method: 'POST', body: '{}' }));
}

it('asks its own servers for a name once, for both families, and never below a search domain', async () => {
  given('hooks.example.org', [anyPublic, '2606:4700:4700::1111']);

  expect((await call()).dialled).toEqual([anyPublic, '2606:4700:4700::1111']);
  expect(lab.dns.questions.map(({ name, type }) => `${type} ${name}`).sort()).toEqual([
    'A hooks.example.org',
    'AAAA hooks.example.org',
    'CNAME hooks.example.org',
  ]);
});

it.each(['nxdomain', 'servfail', []] as const)(
  'says that a name is not resolved when the answer is %j',
  async (answer) => {
    given('hooks.example.org', answer);

    expect(await call()).toMatchObject(unresolved);
  },
);

it('does not take garbage for an answer', async () => {
  given('hooks.example.org', 'garbage');

  expect(await call()).toMatchObject(unresolved);
});

it('waits for a name some seconds and not longer, within the time for the whole request', async () => {
  given('hooks.example.org', 'no-answer');

  expect((await call(lab.guarded({ timeoutMs: 500 }))).code).toBe('timeout');
  expect(await call(lab.guarded({ timeoutMs: 45_000 }))).toMatchObject(unresolved);
});

it('takes an answer that is late', async () => {
  given('hooks.example.org', [anyPublic], { delayMs: 400 });

  expect((await call()).dialled).toEqual([anyPublic]);
});

it('calls what is known when one family fails, and only that', async () => {
  given('hooks.example.org', [anyPublic], { only: { AAAA: 'servfail' } });
  expect((await call()).dialled).toEqual([anyPublic]);

  given('hooks.example.org', ['127.0.0.1'], { only: { AAAA: 'servfail' } });
  expect(await call()).toMatchObject(leads);
});

it('asks again by TCP when an answer was cut off, and checks what it gets there', async () => {
  given('hooks.example.org', [...Array.from({ length: 60 }, (_, index) => `93.184.216.${index}`), '10.0.0.1'], {
    truncated: true,
  });
  expect(await call()).toMatchObject(leads);

  given('hooks.example.org', [anyPublic], { truncated: true });
  expect((await call()).dialled).toEqual([anyPublic]);
  expect(lab.dns.questions.filter(({ by }) => by === 'tcp').length).toBeGreaterThan(0);
});

it('refuses a name whose aliases lead inside, whatever address there is at the end', async () => {
  given('hooks.example.org', ['one.example.net']);
  given('one.example.net', ['two.example.net']);
  given('two.example.net', ['metadata.google.internal']);
  for (const end of [[anyPublic], ['169.254.169.254'], ['10.0.0.1', anyPublic]]) {
    given('metadata.google.internal', end);
    expect(await call()).toMatchObject(leads);
  }
});

it('follows aliases that stay outside, and checks where they end', async () => {
  given('hooks.example.org', ['one.example.net']);
  given('one.example.net', ['two.example.net']);
  given('two.example.net', [anyPublic]);
  expect((await call()).dialled).toEqual([anyPublic]);

  given('two.example.net', ['127.0.0.1']);
  expect(await call()).toMatchObject(leads);
});

it('gives up on aliases without end', async () => {
  given('hooks.example.org', ['one.example.net']);
  given('one.example.net', ['hooks.example.org']);
  expect(await call()).toMatchObject(unresolved);

  for (let step = 0; step < 12; step += 1) given(`a${step}.example.net`, [`a${step + 1}.example.net`]);
  given('a12.example.net', [anyPublic]);
  given('hooks.example.org', ['a0.example.net']);
  expect(await call()).toMatchObject(unresolved);
});

it('does not call a name whose aliases it cannot learn', async () => {
  given('hooks.example.org', [anyPublic], { only: { CNAME: 'servfail' } });

  expect(await call()).toMatchObject(unresolved);
});

it('never calls what the operator denies, not even in a permitted network', async () => {
  const guarded = lab.guarded({
    allowedNetworks: ['127.0.0.0/8', '10.0.0.0/8', '64:ff9b::/96'],
    denied: ['127.0.0.1', '10.96.0.0/12', '198.41.0.4', 'ops.example.com'],
  });
  const inside = `http://hooks.example.org:${lab.inside.port}/`;
  for (const answer of ['127.0.0.1', '10.96.0.1', '198.41.0.4', '64:ff9b::198.41.0.4', '64:ff9b::10.96.0.1']) {
    given('hooks.example.org', [answer]);
    expect(await call(guarded)).toMatchObject(leads);
    expect(await call(guarded, inside)).toMatchObject(leads);
  }
  given('hooks.example.org', ['lb.ops.example.com']);
  given('lb.ops.example.com', [anyPublic]);
  expect(await call(guarded)).toMatchObject(leads);
  expect(await call(guarded, 'https://LB.ops.example.com/')).toMatchObject({ code: 'blocked', dialled: [] });
  expect(await call(guarded, 'https://198.41.0.4/')).toMatchObject({ code: 'blocked', dialled: [] });
  expect(await call(guarded, `http://127.0.0.1:${lab.inside.port}/`)).toMatchObject({ code: 'blocked', dialled: [] });
  expect(lab.inside.connections).toEqual([]);
});

it('does not call through a permitted NAT64 what it may not call without', async () => {
  const guarded = lab.guarded({ allowedNetworks: ['64:ff9b::/96', '10.20.0.0/16'] });
  for (const carried of ['127.0.0.1', '10.0.0.1', '0.0.0.0', '192.168.1.1']) {
    given('hooks.example.org', [`64:ff9b::${carried}`]);
    expect(await call(guarded)).toMatchObject(leads);
    expect(await call(guarded, `https://[${inHex(carried)}]/`)).toMatchObject({ code: 'blocked', dialled: [] });
  }
  for (const carried of ['8.8.8.8', '10.20.0.1']) {
    given('hooks.example.org', [`64:ff9b::${carried}`]);
    expect((await call(guarded)).dialled).toEqual([inHex(carried)]);
    expect((await call(guarded, `https://[${inHex(carried)}]/`)).dialled).toEqual([inHex(carried)]);
  }
});

/** As URLs and resolvers write it. */
function inHex(carried: string): string {
  return new URL(`https://[64:ff9b::${carried}]`).hostname.slice(1, -1);
}

it('never calls where a cloud hands out credentials, not even in a permitted network', async () => {
  const guarded = lab.guarded({ allowedNetworks: ['0.0.0.0/0', '::/0'] });
  const addresses = ['169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd00:ec2::254', '::ffff:169.254.169.254'];
  for (const address of addresses) {
    given('hooks.example.org', [address]);
    expect(await call(guarded)).toMatchObject(leads);
  }
});

it('does not fall back to the family that was not refused', async () => {
  given('hooks.example.org', [anyPublic, '::1']);
  expect(await call()).toMatchObject(leads);
  expect(await call(lab.guarded(), 'https://hooks.example.org:8443/')).toMatchObject(leads);
});

it('reaches nothing inside by a name that turns round a thousand times', { timeout: 600_000 }, async ({ annotate }) => {
  const turns: readonly Answer[] = [
    [anyPublic],
    ['127.0.0.1'],
    [anyPublic, '127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
  ];
  const answers = Array.from({ length: 1000 }, (_, round) => turns[(round * 7 + (round >> 3)) % turns.length] ?? []);
  lab.dns.entries.set('hooks.example.org', { answers, ttl: 0 });
  const guarded = lab.guarded();
  const counts = { called: 0, refused: 0 };
  for (const answer of answers) {
    const { code, dialled } = await call(guarded);
    const harmless = Array.isArray(answer) && answer.every(isPublic);
    expect([code, dialled]).toEqual(harmless ? ['failed', [anyPublic]] : ['blocked', []]);
    counts[harmless ? 'called' : 'refused'] += 1;
  }

  const asked = lab.dns.questions.filter(({ type }) => type === 'A').length;
  await annotate(
    `1000 requests, ${asked} questions for A, ${counts.called} to a public address, ${counts.refused} refused`,
  );
  expect(asked).toBe(1000);
  expect(counts.called).toBeGreaterThan(100);
  expect(lab.inside.connections).toEqual([]);
});
