import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { selfSigned } from '../../../test/given/certificate.ts';
import { readCertificate, requireValidAt } from './certificate.ts';

const directory = await mkdtemp(join(tmpdir(), 'certificate-'));
afterAll(() => rm(directory, { recursive: true }));
const files = { cert: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };

async function write({ cert, key }: { cert: string; key: string }): Promise<void> {
  await Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)]);
}

it('reads the names and the time of a certificate', async () => {
  await write(selfSigned('waymark.example.com'));
  const certificate = await readCertificate(files);
  expect(certificate).toMatchObject({
    names: ['waymark.example.com'],
    notBefore: new Date('2020-01-01T00:00:00Z'),
    notAfter: new Date('2049-12-31T23:59:59Z'),
  });
  requireValidAt(certificate, new Date('2049-12-31T23:59:59Z'));
  expect(() => requireValidAt(certificate, new Date('2050-01-01T00:00:00Z'))).toThrow(
    'the certificate expired on 2049-12-31T23:59:59.000Z',
  );
  expect(() => requireValidAt(certificate, new Date('2019-12-31T00:00:00Z'))).toThrow(
    'the certificate is not valid before 2020-01-01T00:00:00.000Z',
  );
});

it('says which file is wrong', async () => {
  const { cert, key } = selfSigned('waymark.example.com');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' });
  const faults = [
    [{ cert: 'text', key }, `${files.cert} contains no certificate in PEM format`],
    [{ cert, key: 'text' }, `${files.key} contains no private key in PEM format`],
    [{ cert, key: String(locked) }, `${files.key} contains no private key in PEM format without a passphrase`],
    [
      { cert, key: selfSigned('waymark.example.com').key },
      `the key in ${files.key} does not belong to the certificate in ${files.cert}`,
    ],
  ] as const;
  for (const [content, fault] of faults) {
    await write(content);
    await expect(readCertificate(files)).rejects.toThrow(fault);
  }
  await rm(files.key);
  await expect(readCertificate(files)).rejects.toThrow(`${files.key} cannot be read: ENOENT`);
});
