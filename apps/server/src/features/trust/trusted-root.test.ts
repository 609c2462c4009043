import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { givenSigstore } from '../../../../../packages/evidence/src/given/sigstore.ts';
import { readInstallationRoot } from './installation-root.ts';
import { trustedRootFault } from './trusted-root.ts';

const { root } = await givenSigstore();
const { root: withoutLogs } = await givenSigstore({ hasLogs: false });
const [tlog] = root.tlogs;
const NO = 'is not a Sigstore trusted root: ';

it('accepts a root with logs, and one with only a timestamp authority', () => {
  expect(trustedRootFault(root)).toBeUndefined();
  expect(trustedRootFault(withoutLogs)).toBeUndefined();
});

it.each([
  ['nothing', null, NO],
  ['another document', { mediaType: 'text/plain' }, `${NO}mediaType: `],
  ['no authority', { ...root, certificateAuthorities: [] }, `${NO}certificateAuthorities: `],
  [
    'what says nothing about time',
    { ...root, tlogs: [], timestampAuthorities: [] },
    `${NO}tlogs: must name a transparency log or a timestamp authority`,
  ],
  [
    'a log without a start',
    { ...root, tlogs: [{ ...tlog, publicKey: { ...tlog?.publicKey, validFor: {} } }] },
    `${NO}tlogs.0.publicKey.validFor.start: `,
  ],
  [
    'a key that is none',
    { ...root, ctlogs: [{ ...tlog, publicKey: { ...tlog?.publicKey, rawBytes: 'AAAA' } }] },
    `${NO}ctlogs.0.publicKey.rawBytes: is not a public key`,
  ],
  [
    'a certificate that is none',
    {
      ...root,
      certificateAuthorities: [
        { certChain: { certificates: [{ rawBytes: 'AAAA' }] }, validFor: { start: '2026-01-01T00:00:00Z' } },
      ],
    },
    `${NO}certificateAuthorities.0.certChain.certificates.0.rawBytes: is not a certificate`,
  ],
  ['too much', { ...root, more: 'x'.repeat(65_536) }, 'must be at most 64 KiB of JSON'],
])('refuses %s', (_, sent, fault) => {
  expect(trustedRootFault(sent)?.slice(0, fault.length)).toBe(fault);
});

it("reads the installation's root, or reports what is wrong with the file", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-root-'));
  const path = join(folder, 'trusted_root.json');
  try {
    expect(await readInstallationRoot(undefined)).toBeUndefined();
    await writeFile(path, JSON.stringify(root));
    expect(await readInstallationRoot(path)).toEqual(root);
    await writeFile(path, '{}');
    await expect(readInstallationRoot(path)).rejects.toThrow(`${path} ${NO}mediaType: `);
  } finally {
    await rm(folder, { recursive: true });
  }
});
