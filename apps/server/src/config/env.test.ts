import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COSIGNATURE, formatVerifierKey, signingKey } from '@waymark/transparency';
import { expect, it } from 'vitest';
import { selfSigned } from '../../test/given/certificate.ts';
import { outboundOptions } from '../platform/outbound/outbound-options.ts';
import { loadConfig } from './env.ts';

const complete = {
  WAYMARK_REGION: 'eu',
  WAYMARK_PUBLIC_URL: 'https://waymark.example.com/',
  WAYMARK_DATABASE_URL: 'postgres://db/waymark',
  WAYMARK_NATS_URL: 'nats://nats:4222',
  WAYMARK_BLOB_DIR: '/var/lib/waymark',
};

it('takes what is needed and has a default for the rest', () => {
  const config = loadConfig(complete);
  expect(config).toMatchObject({
    region: 'eu',
    publicUrl: 'https://waymark.example.com',
    listen: { host: '127.0.0.1', port: 8080 },
    blobs: { kind: 'directory', root: '/var/lib/waymark' },
    attachmentMaxBytes: 10 * 1024 * 1024,
    storageQuota: { bytes: null, rows: null },
    rateLimit: { perSecond: 500, burst: 5000 },
    streamLimits: { perCredential: 20, perOrg: 500, perServer: 2000 },
  });
  expect(Object.isFrozen(config)).toBe(true);
});

it('names the ledger after the public address and the region, and signs with the given keys', () => {
  expect(loadConfig(complete).ledger).toEqual({ name: 'waymark.example.com/eu', keys: [] });
  const at = (url: string) => loadConfig({ ...complete, WAYMARK_PUBLIC_URL: url }).ledger.name;
  expect(at('http://127.0.0.1:8080/base/')).toBe('127.0.0.1:8080/base/eu');
  const named = loadConfig({
    ...complete,
    WAYMARK_LEDGER_NAME: 'example.com/ledger',
    WAYMARK_LEDGER_KEY: 'PRIVATE+KEY+a,PRIVATE+KEY+b',
  });
  expect(named.ledger).toEqual({ name: 'example.com/ledger', keys: ['PRIVATE+KEY+a', 'PRIVATE+KEY+b'] });
  for (const name of ['with space', 'a+b', '/a', 'a/'])
    expect(() => loadConfig({ ...complete, WAYMARK_LEDGER_NAME: name }), name).toThrow(
      'WAYMARK_LEDGER_NAME must be a name',
    );
  expect(() => loadConfig({ ...complete, WAYMARK_LEDGER_KEY: 'secret' })).toThrow('WAYMARK_LEDGER_KEY must be a key');
});

it('listens at the configured address, whatever address the command line uses', () => {
  const host = 'http://127.0.0.1:8080';
  expect(loadConfig({ ...complete, WAYMARK_HOST: host }).listen).toEqual({ host: '127.0.0.1', port: 8080 });
  expect(loadConfig({ ...complete, WAYMARK_LISTEN_HOST: '::' }).listen.host).toBe('::');
  expect(() => loadConfig({ ...complete, WAYMARK_LISTEN_HOST: host })).toThrow(
    'WAYMARK_LISTEN_HOST must be the interface to listen on, for example 0.0.0.0',
  );
});

it('serves metrics on the loopback interface by default, whatever the API listens on', () => {
  const env = { ...complete, WAYMARK_LISTEN_HOST: '0.0.0.0', WAYMARK_METRICS_PORT: '9464' };
  expect(loadConfig(env).metrics).toEqual({ host: '127.0.0.1', port: 9464 });
  expect(loadConfig({ ...env, WAYMARK_METRICS_HOST: '10.0.0.5' }).metrics).toEqual({ host: '10.0.0.5', port: 9464 });
  expect(loadConfig({ ...complete, WAYMARK_METRICS_HOST: '10.0.0.5' }).metrics).toBeUndefined();
  expect(() => loadConfig({ ...env, WAYMARK_METRICS_HOST: 'http://10.0.0.5' })).toThrow('WAYMARK_METRICS_HOST must be');
});

it('gives Chromium its sandbox by default', () => {
  const env = { ...complete, WAYMARK_CHROMIUM: '/usr/bin/chromium' };
  expect(loadConfig(env).chromium).toEqual({ path: '/usr/bin/chromium', isSandboxed: true });
  expect(loadConfig({ ...env, WAYMARK_CHROMIUM_SANDBOX: 'off' }).chromium).toMatchObject({ isSandboxed: false });
  expect(loadConfig(complete).chromium).toBeUndefined();
});

it('lists every problem at once', () => {
  const wrong = {
    WAYMARK_REGION: 'EU 1',
    WAYMARK_PORT: 'high',
    WAYMARK_ATTACHMENT_MAX_BYTES: '0',
    WAYMARK_LOG_LEVEL: 'loud',
    WAYMARK_NATS_URL: 'nats://n:1',
  };
  expect(() => loadConfig(wrong)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /WAYMARK_REGION must be lower-case letters.*WAYMARK_PUBLIC_URL.*WAYMARK_PORT.*WAYMARK_LOG_LEVEL.*WAYMARK_DATABASE_URL.*WAYMARK_ATTACHMENT_MAX_BYTES/s,
      ) as string,
    }),
  );
});

it('says what a public URL must be when it is not even a URL', () => {
  expect(() => loadConfig({ WAYMARK_PUBLIC_URL: 'foo' })).toThrow(/WAYMARK_PUBLIC_URL must be the URL people use/);
});

it('needs no NATS', () => {
  const { WAYMARK_NATS_URL: _, ...env } = complete;
  expect(loadConfig(env).stream).toBeUndefined();
  expect(loadConfig(complete).stream).toEqual({
    urls: ['nats://nats:4222'],
    name: 'journal',
    region: 'eu',
    replicas: 1,
  });
});

it('reads secrets from files, without the line break at their end', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'database-url');
  writeFileSync(file, 'postgres://secret@db/waymark\n');
  const { WAYMARK_DATABASE_URL: _, ...env } = complete;
  expect(loadConfig({ ...env, WAYMARK_DATABASE_URL_FILE: file }).database.url).toBe('postgres://secret@db/waymark');
  expect(() => loadConfig({ ...complete, WAYMARK_DATABASE_URL_FILE: file })).toThrow(
    'WAYMARK_DATABASE_URL and WAYMARK_DATABASE_URL_FILE are mutually exclusive: set only one',
  );
  expect(() => loadConfig({ ...env, WAYMARK_DATABASE_URL_FILE: `${file}.missing` })).toThrow(
    'WAYMARK_DATABASE_URL_FILE cannot be read: ENOENT',
  );
  expect(() => loadConfig({ ...complete, WAYMARK_REGION_FILE: file })).toThrow(
    'WAYMARK_REGION_FILE is not a setting: only secrets can be read from files',
  );
});

it('requires exactly one place for files', () => {
  const { WAYMARK_BLOB_DIR: _, ...none } = complete;
  expect(() => loadConfig(none)).toThrow('WAYMARK_BLOB_DIR or WAYMARK_S3_BUCKET is required');
  expect(() => loadConfig({ ...complete, WAYMARK_S3_BUCKET: 'b' })).toThrow('mutually exclusive');
  expect(loadConfig({ ...none, WAYMARK_S3_BUCKET: 'b', WAYMARK_S3_ENDPOINT: 'http://s3:9000' }).blobs).toMatchObject({
    kind: 's3',
    forcePathStyle: true,
  });
});

it('takes a certificate and its key together', () => {
  expect(loadConfig(complete).tls).toBeUndefined();
  const files = { WAYMARK_TLS_CERT: '/tls/tls.crt', WAYMARK_TLS_KEY: '/tls/tls.key' };
  expect(loadConfig({ ...complete, ...files }).tls).toEqual({ cert: '/tls/tls.crt', key: '/tls/tls.key' });
  for (const name of ['WAYMARK_TLS_CERT', 'WAYMARK_TLS_KEY'] as const) {
    expect(() => loadConfig({ ...complete, [name]: files[name] })).toThrow(
      `${name} is set without its counterpart: a certificate and its key belong together, so set both or neither`,
    );
  }
});

it('reads the addresses of proxies', () => {
  const proxies = '10.0.0.5, 10.1.0.0/16,fd00::/8,::1';
  expect(loadConfig({ ...complete, WAYMARK_TRUSTED_PROXIES: proxies }).trustedProxies).toEqual([
    '10.0.0.5',
    '10.1.0.0/16',
    'fd00::/8',
    '::1',
  ]);
});

it('reads who may be called for customers, and who never', () => {
  expect(loadConfig(complete)).toMatchObject({ outboundNetworks: [], outboundDenied: [], outboundDns: [] });
  const outbound = {
    WAYMARK_OUTBOUND_NETWORKS: '10.1.0.0/16, fd00::/8',
    WAYMARK_OUTBOUND_DENIED: '10.1.2.0/24,198.51.100.7, ops.example.com',
    WAYMARK_OUTBOUND_DNS: '10.0.0.2,[fd00::2]:5353',
  };
  expect(outboundOptions(loadConfig({ ...complete, ...outbound }))).toEqual({
    allowedNetworks: ['10.1.0.0/16', 'fd00::/8'],
    denied: ['10.1.2.0/24', '198.51.100.7', 'ops.example.com'],
    dnsServers: ['10.0.0.2', '[fd00::2]:5353'],
  });
});

it('reads whom to ask for cosignatures and time stamps', async () => {
  const vkey = formatVerifierKey(await signingKey('witness.example.com/w1', COSIGNATURE, Buffer.alloc(32, 7)));
  expect(loadConfig(complete).ledger).toMatchObject({ witnesses: undefined, timeStamps: undefined });
  const directory = mkdtempSync(join(tmpdir(), 'witnesses-'));
  const policy = join(directory, 'witnesses.policy');
  const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const lines = `log ${key}\nwitness one WITNESS https://witness.example.com\nquorum one\n`;
  const read = (text: string) => {
    writeFileSync(policy, text);
    return loadConfig({ ...complete, WAYMARK_LEDGER_WITNESSES_FILE: policy }).ledger.witnesses;
  };
  expect(read(lines.replace('WITNESS', vkey))).toMatchObject({ witnesses: [{ name: 'one' }], quorum: 'one' });
  expect(() => read(lines.replace('WITNESS https://witness.example.com', vkey))).toThrow(
    "WAYMARK_LEDGER_WITNESSES is wrong: the witness 'one' has no URL, which follows its key",
  );
  expect(() => read(lines.replace('WITNESS', key))).toThrow('WAYMARK_LEDGER_WITNESSES is wrong: trust policy, line 2');
  expect(() => read(lines.replace('WITNESS https:', `${vkey} ftp:`))).toThrow('The URL must begin with https://');
  const url = { WAYMARK_LEDGER_TIME_STAMP_URL: 'https://tsa.example.com' };
  expect(() => loadConfig({ ...complete, ...url })).toThrow(
    'WAYMARK_LEDGER_TIME_STAMP_URL is set without its counterpart',
  );
  const pem = join(directory, 'roots.pem');
  const roots = { WAYMARK_LEDGER_TIME_STAMP_CA_FILE: pem };
  writeFileSync(pem, selfSigned('tsa.example.com').cert);
  expect(loadConfig({ ...complete, ...url, ...roots }).ledger.timeStamps).toMatchObject({
    url: 'https://tsa.example.com',
    roots: [{ name: 'tsa.example.com' }],
  });
  writeFileSync(pem, 'no certificate');
  expect(() => loadConfig({ ...complete, ...url, ...roots })).toThrow(
    'WAYMARK_LEDGER_TIME_STAMP_CA is wrong: the file has no certificate in PEM',
  );
});

it.each([
  ['WAYMARK_TRUSTED_PROXIES', 'proxy', "'proxy' is not an address or a range such as 10.0.0.5, 10.0.0.0/8 or fd00::/8"],
  ['WAYMARK_TRUSTED_PROXIES', '10.0.0.0/33', "'10.0.0.0/33' is not a network such as 10.0.0.0/8 or fd00::/8"],
  ['WAYMARK_TRUSTED_PROXIES', '10.0.0.5,', "'' is not an address or a range such as 10.0.0.5, 10.0.0.0/8 or fd00::/8"],
  ['WAYMARK_TRUSTED_PROXIES', '0.0.0.0/0', "'0.0.0.0/0' contains every address: list the addresses of the proxies"],
  ['WAYMARK_OUTBOUND_NETWORKS', '10.0.0.0', "'10.0.0.0' is not a network such as 10.0.0.0/8 or fd00::/8"],
  ['WAYMARK_OUTBOUND_DENIED', 'a b', "'a b' is not a network, an address or a domain name"],
  ['WAYMARK_OUTBOUND_DNS', 'dns', "'dns' is not the address of a DNS server such as 10.0.0.2 or [fd00::2]:5353"],
])('says what is wrong with %s', (name, value, problem) => {
  expect(() => loadConfig({ ...complete, [name]: value })).toThrow(`${name} is wrong: ${problem}`);
});
