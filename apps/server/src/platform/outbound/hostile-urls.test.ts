import { describe, expect, it } from 'vitest';
import { createGuardedFetch } from './guarded-fetch.ts';
import { findOutboundError } from './outbound-error.ts';

const anyPublic = '93.184.216.34';

const hostileUrls = {
  'other schemes and other ways to write https': [
    'http://hooks.example.org/x',
    'ftp://a.example.org/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_INFO',
    'HTTPS://127.0.0.1/',
    'https:127.0.0.1/',
    'https:/127.0.0.1/',
    'https://\\127.0.0.1/',
    'https:\\\\127.0.0.1/',
    'https:///127.0.0.1/',
    ' https://127.0.0.1/',
    'https://127.0.0.1\t/',
    'https://127.0.\n0.1/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://',
    '//hooks.example.org/',
    '',
  ],
  'addresses of version 4': [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://127.0.0.1./',
    'https://017700000001/',
    'https://0/',
    'https://0.0.0.0/',
    'https://127.255.255.254/',
    'https://10.0.0.5/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://169.254.170.2/v2/credentials',
    'https://169.254.170.23/',
    'https://100.100.100.200/',
    'https://192.0.0.192/',
    'https://168.63.129.16/',
    'https://100.64.0.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://240.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://127%2e0%2e0%2e1/',
    'https://0251.0376.0251.0376/',
    'https://2852039166/',
    'https://425.510.425.510/',
    'https://127.0.0.1:443@8.8.8.8/',
  ],
  'addresses of version 6': [
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b:1:7f00:0:100::]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a9fe:a9fe::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fd20:ce::254]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[100::1]/',
    'https://[5f00::1]/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'https://[fd00::5efe:7f00:1]/',
    'https://100::1/',
  ],
  'names of inside': [
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST/',
    'https://foo.localhost/',
    'https://kubernetes.default.svc/',
    'https://kubernetes.default.svc.cluster.local/',
    'https://metadata.google.internal/',
    'https://METADATA.google.INTERNAL/',
    'https://metadata.google.internal./',
    'https://postgres/',
    'https://printer.local/',
    'https://vault.service.consul/',
    'https://ip6-localhost/',
    'https://xn--localhost-.example/',
  ],
  'users, ports and tricks with the parser': [
    'https://user:pass@hooks.example.org/',
    'https://@hooks.example.org/',
    'https://hooks.example.org@127.0.0.1/',
    'https://hooks.example.org:22/',
    'https://hooks.example.org:6379/',
    'https://hooks.example.org:0/',
    'https://hooks.example.org:99999/',
    'https://hooks.example.org\\@127.0.0.1/',
    'https://1.1.1.1 &@2.2.2.2# @3.3.3.3/',
    'https://127.0.0.1%00.example.org/',
    `https://${'a'.repeat(64)}.example.org/`,
    `https://${'a.'.repeat(130)}example.org/`,
    `https://a.example.org/${'x'.repeat(3000)}`,
    'https://ⓛocalhost.evil.org/',
    'https://hooks..example.org/',
    'https://-.example.org/',
  ],
};

const hostileAnswers: Record<string, readonly string[]> = {
  'localtest.me': ['127.0.0.1'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '169-254-169-254.sslip.io': ['169.254.169.254'],
  '0x7f.0.0.1.nip.io': ['127.0.0.1'],
  'a.evil.example.org': [anyPublic, '10.0.0.7'],
  'a6.evil.example.org': [anyPublic, 'fd00::7'],
  'b.evil.example.org': ['::ffff:10.0.0.1'],
  'c.evil.example.org': ['64:ff9b::a00:1'],
  'd.evil.example.org': ['fe80::1%eth0'],
  'g.evil.example.org': [],
  'h.evil.example.org': ['not an address'],
};

const harmless = [
  ['https://hooks.example.org#@127.0.0.1/', anyPublic],
  ['https://hooks.example.org:443/ok', anyPublic],
  ['https://hooks.example.org:8443/ok', anyPublic],
  ['https://Hooks.Example.ORG/ok', anyPublic],
  ['https://8.8.8.8/', '8.8.8.8'],
  ['https://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
  ['https://hooks.example.org/%0d%0aHost:%20x', anyPublic],
  ['https://hooks.example.org/?next=http://127.0.0.1/', anyPublic],
] as const;

/** Fetches without a network: what would be dialled is noted. Names that are not known here resolve to a public address. */
async function fetched(url: string | URL, answers = (host: string) => hostileAnswers[host] ?? [anyPublic]) {
  const dialled: string[] = [];
  const guardedFetch = createGuardedFetch({
    allowedNetworks: [],
    resolve: async (host) => answers(host),
    dial: (_target, addresses, connected) => {
      dialled.push(...addresses);
      connected(new Error('This test has no network'), null);
    },
  });
  const error = await guardedFetch(url).then(
    () => undefined,
    (thrown: unknown) => findOutboundError(thrown),
  );
  return { dialled, code: error?.code, message: error?.message };
}

describe.each(Object.entries(hostileUrls))('%s', (_kind, urls) => {
  it.each(urls)('refuses %j', async (url) => {
    const { dialled, code, message } = await fetched(url);

    expect(dialled).toEqual([]);
    expect(['bad_url', 'blocked']).toContain(code);
    expect(message).toBeTruthy();
  });

  it('refuses them as parsed URLs as well', async () => {
    // What a hostile path or host was is gone by then, and the rest is refused for where it leads.
    const parsed = urls.flatMap((url) => URL.parse(url) ?? []);
    const outcomes = await Promise.all(
      parsed.map(async (url) => ({ host: url.host, dialled: (await fetched(url)).dialled })),
    );

    expect(outcomes.filter(({ dialled }) => dialled.some((address) => address !== anyPublic))).toEqual([]);
  });
});

it.each(Object.keys(hostileAnswers))('refuses %s for what it resolves to', async (host) => {
  const { dialled, code, message } = await fetched(`https://${host}/`);

  expect(dialled).toEqual([]);
  expect(code).toBe(host.startsWith('g.') ? 'unresolved' : 'blocked');
  expect(message).toContain(host);
  for (const address of hostileAnswers[host] ?? []) expect(message?.replace(host, '')).not.toContain(address);
});

it.each(harmless)('calls %s', async (url, address) => {
  expect(await fetched(url)).toMatchObject({ dialled: [address], code: 'failed' });
});

it('dials what it checked, and checks again for the next request, when a name changes its mind', async () => {
  const answers = [[anyPublic], ['127.0.0.1'], [anyPublic]];
  const next = () => answers.shift() ?? [];

  expect(await fetched('https://e.evil.example.org/', next)).toMatchObject({ dialled: [anyPublic] });
  expect(await fetched('https://e.evil.example.org/', next)).toMatchObject({ dialled: [], code: 'blocked' });
  expect(await fetched('https://e.evil.example.org/', next)).toMatchObject({ dialled: [anyPublic] });
});

it.each(['https://134744072/', 'https://0x8.8.8.8/', 'https://8.8.2056/', 'https://[2606:4700:4700:0:0:0:0:1111]/'])(
  'refuses %s, since a host is to be written as it is understood',
  async (url) => {
    expect(await fetched(url)).toEqual({
      dialled: [],
      code: 'bad_url',
      message: 'The URL has a host that is not a plain domain name or address',
    });
  },
);

it('does not even resolve names of inside when no network is permitted', async () => {
  const asked: string[] = [];
  const note = (host: string) => {
    asked.push(host);
    return [anyPublic];
  };

  await fetched('https://metadata.google.internal/', note);
  await fetched('https://postgres/', note);
  await fetched('http://hooks.example.org/', note);
  expect(asked).toEqual([]);
});
