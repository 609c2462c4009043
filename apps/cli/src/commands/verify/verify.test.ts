import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fingerprintFile } from '@waymark/fingerprint';
import { beforeAll, describe, expect, it } from 'vitest';
import { sendForm } from '../../../../server/test/given/evidence.ts';
import { givenServedLedger } from '../../../../server/test/given/proofs.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenCli, givenSignedIn } from '../../../test/given-cli.ts';
import { givenPlainArtifact, givenStory } from '../../../test/given-story.ts';
import { type ArchivedFile, filesIn, resealed, unpacked, writeTgz } from './given-archive.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
/** Without host, org and key: as an auditor runs it. */
const auditor = givenCli();
const at = (name: string) => join(auditor.cwd, name);
const ledger = await givenServedLedger(api);
let files: readonly ArchivedFile[] = [];

beforeAll(async () => {
  await givenStory(api);
  const sent = await sendForm(
    api,
    'POST',
    '/attestations/acme/shop/trail/release-1/generic',
    { data_json: { attestation_name: 'notes', is_compliant: true, user_data: { z: [1.5, 'ö'], a: null } } },
    { part: 'attachment_file', name: 'notes.txt', content: 'as it was' },
  );
  expect(sent.status).toBe(201);
  await ledger.seal();
  writeFileSync(at('trust.txt'), ledger.policy());
  const { code } = await cli.run(['audit', 'package', 'shop/release-1', '--to', at('whole.tgz')]);
  expect(code).toBe(0);
  files = filesIn(unpacked(auditor.cwd, at('whole.tgz')));
});

const verify = (...line: string[]) => auditor.run(['verify', ...line]);

async function verifyFiles(some: readonly ArchivedFile[]) {
  await writeTgz(at('made.tgz'), some);
  return verify('made.tgz', '--offline');
}

const find = (pattern: RegExp): ArchivedFile => {
  const file = files.find(({ path }) => pattern.test(path));
  if (!file) throw new Error(`no file is like ${pattern}`);
  return file;
};
const replaced = (path: string, content: string | Buffer) =>
  files.map((file) => (file.path === path ? { path, content: Buffer.from(content) } : file));

describe('a package', () => {
  it('that is complete is described, and no request is sent', async () => {
    for (const line of [['whole.tgz'], ['whole.tgz', '--offline']]) {
      const { code, stdout, stderr } = await verify(...line);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^✓ whole\.tgz is intact: \d+ files, \d+ records, 1 attachment\. Nothing proves/);
      expect(stdout).toContain('trail acme / shop / release-1');
      expect(stdout).toMatch(/SHA256SUMS +SHA-256 [0-9a-f]{64}\n/);
    }
    expect(await auditor.run(['audit', 'verify', 'whole.tgz'])).toMatchObject({ code: 0 });
    const json = JSON.parse((await verify('whole.tgz', '--json')).stdout) as object;
    expect(json).toMatchObject({ whole: true, problems: [], attachment_count: 1, file_count: files.length });
  });

  it('is proven with a trust policy, and its verdicts are computed again', async () => {
    const { code, stdout, stderr } = await verify('whole.tgz', '--policy', 'trust.txt');
    expect([stdout, code, stderr]).toEqual([stdout, 0, '']);
    expect(stdout).toMatch(/^✓ whole\.tgz is proven: /);
    expect(stdout).toContain('✓ trail release-1 is NON-COMPLIANT: ');
    const { proven, not_recomputed } = JSON.parse(
      (await verify('whole.tgz', '--policy', 'trust.txt', '--json')).stdout,
    ) as Record<string, unknown>;
    expect([proven, not_recomputed]).toEqual([true, [expect.stringContaining('the verdicts on 2 attestations')]]);
  });

  it('can be unpacked, and packed again in another way', async () => {
    const folder = unpacked(auditor.cwd, at('whole.tgz'));
    expect(await verify(folder)).toMatchObject({ code: 0 });
    const again = [
      { path: './', content: Buffer.alloc(0), header: { type: 'directory' as const } },
      { path: './records/', content: Buffer.alloc(0), header: { type: 'directory' as const } },
      ...files.map(({ path, content }) => ({ path: `./${path}`, content })),
    ];
    expect(await verifyFiles(again)).toMatchObject({ code: 0 });
  });

  it('names each file with a changed byte', async () => {
    for (const { path, content } of files) {
      const other = Buffer.from(content);
      const middle = Math.floor(other.length / 2);
      other[middle] = (other[middle] ?? 0) ^ 1;
      const { code, stdout } = await verifyFiles(replaced(path, other));
      expect([path, code]).toEqual([path, 3]);
      // A changed list no longer matches the files.
      if (path !== 'SHA256SUMS') expect(stdout).toContain(` ${path} `);
    }
  });

  it('names each file that is missing', async () => {
    for (const { path } of files) {
      const { code, stdout } = await verifyFiles(files.filter((file) => file.path !== path));
      expect([path, code]).toEqual([path, 3]);
      expect(stdout).toContain(`${path} is missing`);
    }
  });

  it('names extra files, in an archive and in a folder', async () => {
    const { code, stdout } = await verifyFiles([...files, { path: 'records/more.json', content: Buffer.from('{}') }]);
    expect(code).toBe(3);
    expect(stdout).toContain('records/more.json does not belong to the package');
    const folder = unpacked(auditor.cwd, at('whole.tgz'));
    writeFileSync(join(folder, '.hidden'), 'x');
    symlinkSync('/etc/passwd', join(folder, 'link'));
    const result = await verify(folder);
    expect(result.code).toBe(3);
    expect(result.stdout).toContain('.hidden does not belong');
    expect(result.stdout).toContain('link is a link');
  });

  it('is refused when a path leads out of it, or an entry is duplicated or not a file', async () => {
    for (const path of ['../evil', '/etc/evil', 'records/../../evil', 'C:\\evil', 'a//b', 'line\nbreak']) {
      const { code, stdout } = await verifyFiles([...files, { path, content: Buffer.from('x') }]);
      expect([path, code]).toEqual([path, 3]);
      expect(stdout).toContain('points outside of the package');
    }
    const [first] = files;
    if (!first) throw new Error('there are files');
    expect((await verifyFiles([...files, { ...first, content: Buffer.from('other') }])).stdout).toContain(
      'occurs twice',
    );
    const link = {
      path: 'link',
      content: Buffer.alloc(0),
      header: { type: 'symlink' as const, linkname: '/etc/passwd' },
    };
    expect((await verifyFiles([...files, link])).stdout).toContain('link is a link');
  });

  it('fails when a payload was changed, even if all digests match', async () => {
    const { path, content } = find(/^records\/attestations\//);
    const record = JSON.parse(content.toString()) as { sent: object };
    const changed = JSON.stringify({ ...record, sent: { ...record.sent, attestation_name: 'other' } });
    const { code, stdout } = await verifyFiles(resealed(replaced(path, changed)));
    expect(code).toBe(3);
    expect(stdout).toContain(`${path} sent is not what was recorded`);
    expect(await verifyFiles(resealed(files))).toMatchObject({ code: 0 });
  });

  it('fails when an attachment was replaced, even if all digests match', async () => {
    const { path } = find(/^attachments\//);
    const result = await verifyFiles(resealed(replaced(path, 'as it never was')));
    expect(result.code).toBe(3);
    expect(result.stdout).toContain(`${path} has the digest`);
    const without = await verifyFiles(resealed(files.filter((file) => file.path !== path)));
    expect(without.code).toBe(3);
    expect(without.stdout).toContain(`names the attachment ${path}, which is missing`);
  });

  it('is never complete when it is truncated', async () => {
    const bytes = readFileSync(at('whole.tgz'));
    for (let part = 0; part < 20; part++) {
      writeFileSync(at('cut.tgz'), bytes.subarray(0, Math.floor((bytes.length * part) / 20)));
      const { code } = await verify('cut.tgz', '--offline');
      expect([2, 3], `${part} of 20`).toContain(code);
    }
    writeFileSync(at('cut.tgz'), bytes.subarray(0, bytes.length - 1));
    expect(await verify('cut.tgz')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('the archive cannot be read completely'),
    });
  });

  it('is nothing else', async () => {
    writeFileSync(at('text.tgz'), 'hello');
    expect(await verify('text.tgz', '--offline')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('text.tgz is not an audit package'),
    });
    expect(await verify('gone.tgz', '--offline')).toMatchObject({ code: 2 });
    writeFileSync(at('noise.tgz'), gzipSync(Buffer.alloc(2048, 'x')));
    expect(await verify('noise.tgz', '--offline')).toMatchObject({ code: 3 });
    mkdirSync(at('empty'), { recursive: true });
    const empty = await verify('empty', '--offline');
    expect(empty.code).toBe(3);
    expect(empty.stdout).toContain('SHA256SUMS is missing');
    expect((await verifyFiles(replaced('manifest.json', '{}'))).code).toBe(3);
    expect((await verifyFiles(resealed(replaced('manifest.json', '{"schema_version":99}')))).stdout).toContain(
      'has an unknown version',
    );
  });

  it('cannot move the cursor by names in it', async () => {
    const { code, stdout } = await verifyFiles([...files, { path: 'a\u001b[2J\u202eb', content: Buffer.from('x') }]);
    expect(code).toBe(3);
    for (const sign of ['\u001b', '\u202e']) expect(stdout).not.toContain(sign);
  });
});

describe('an artifact', () => {
  it('on this machine is compared with the record', async () => {
    const file = join(cli.cwd, 'app.tgz');
    // An artifact may be an archive, too, and have a manifest.
    await writeTgz(file, [{ path: 'manifest.json', content: Buffer.from('{}') }]);
    const digest = await fingerprintFile(file);
    await givenPlainArtifact(api, 'files', '6', { fingerprint: digest, filename: 'app.tgz', trail_name: 'one' });
    const same = await cli.run(['verify', 'app.tgz']);
    expect(same).toMatchObject({ code: 0, stderr: '' });
    expect(same.stdout).toContain(`✓ app.tgz matches its record: ${digest}`);
    expect(same.stdout).toContain('files/one');

    writeFileSync(file, 'something else');
    const other = await cli.run(['verify', 'app.tgz', '--flow', 'files']);
    expect(other).toMatchObject({ code: 3, stdout: '' });
    expect(other.stderr).toContain('app.tgz does not match any record');
    expect(other.stderr).toContain(`The newest artifact with that name in flow files has ${digest}`);
  });

  it('can be named by its fingerprint alone', async () => {
    expect(await cli.run(['verify', 'aaaaa'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is recorded'),
    });
    expect(await cli.run(['verify', `sha256:${'f'.repeat(64)}`])).toMatchObject({ code: 5 });
    expect(await cli.run(['verify', 'gone.bin'])).toMatchObject({ code: 2 });
    expect(await cli.run(['verify', 'oci://x/y', '--offline'])).toMatchObject({ code: 2 });
  });

  it('is not verified when the service does not answer', async () => {
    cpSync(at('whole.tgz'), join(cli.cwd, 'plain.bin'));
    writeFileSync(join(cli.cwd, 'plain.bin'), 'x');
    const down = await cli.run(['verify', 'plain.bin'], { env: { WAYMARK_HOST: 'http://127.0.0.1:9' } });
    expect(down).toMatchObject({ code: 7, stdout: '' });
    rmSync(join(cli.cwd, 'plain.bin'));
  });
});
