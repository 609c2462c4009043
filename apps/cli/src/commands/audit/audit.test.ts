import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listAttestations, MembershipEvent } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenStory } from '../../../test/given-story.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const at = (name: string) => join(cli.cwd, name);

beforeAll(() => givenStory(api));

const audit = (...line: string[]) => cli.run(['audit', ...line]);

describe('a package', () => {
  it('of a trail, an artifact or an attestation is written whole, under a name of its own', async () => {
    const { body } = await api.call(listAttestations);
    const id = body.data[0]?.attestation_id ?? '';
    const names = {
      'shop/release-1': 'trail-shop-release-1.tgz',
      aaaaa: 'artifact-shop-aaaaa.tgz',
      [id]: `attestation-${id}.tgz`,
    };
    for (const [what, file] of Object.entries(names)) {
      const { code, stdout } = await audit('package', what);
      expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${file} \\(\\d+ bytes, SHA-256 `))]);
      expect(await audit('verify', file)).toMatchObject({ code: 0 });
    }
    const sums = execFileSync('tar', ['-xzOf', at('trail-shop-release-1.tgz'), 'SHA256SUMS'], { encoding: 'utf8' });
    expect(sums).toContain('  manifest.json');
    expect(readdirSync(cli.cwd).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is the trail of the build by default', async () => {
    const env = { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'release-1' };
    expect(await cli.run(['audit', 'package', '--to', 'build.tgz'], { env })).toMatchObject({ code: 0 });
    expect(existsSync(at('build.tgz'))).toBe(true);
  });

  it('overwrites nothing without --force', async () => {
    writeFileSync(at('mine.tgz'), 'mine');
    const refused = await audit('package', 'shop/release-1', '--to', 'mine.tgz');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('mine.tgz already exists') });
    expect(readFileSync(at('mine.tgz'), 'utf8')).toBe('mine');
    expect(await audit('package', 'shop/release-1', '--to', 'mine.tgz', '--force')).toMatchObject({ code: 0 });
    expect(await audit('verify', 'mine.tgz')).toMatchObject({ code: 0 });
  });

  it('goes to standard output alone', async () => {
    const { code, stdout } = await audit('package', 'shop/release-1', '--to', '-');
    expect(code).toBe(0);
    writeFileSync(at('piped.tgz'), Buffer.from(stdout, 'latin1'));
    expect(await audit('verify', 'piped.tgz')).toMatchObject({ code: 0 });
  });

  it('of a missing trail leaves no file', async () => {
    expect(await audit('package', 'shop/none', '--to', 'none.tgz')).toMatchObject({ code: 5 });
    expect(await audit('package', 'fffff', '--to', 'none.tgz')).toMatchObject({ code: 5 });
    const id = '01a1e0dc-138b-7ea3-adf7-11769c6e446f';
    expect(await audit('package', id, '--to', 'none.tgz')).toMatchObject({ code: 5 });
    expect(await audit('package', 'nowhere', '--to', 'none.tgz')).toMatchObject({ code: 5 });
    expect(await audit('package', 'prod#1', '--to', 'none.tgz')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is about a period'),
    });
    expect(await audit('package', 'prod', '--since', 'once', '--to', 'none.tgz')).toMatchObject({ code: 2 });
    expect(existsSync(at('none.tgz'))).toBe(false);
    const gone = { signal: AbortSignal.abort() };
    expect(await cli.run(['audit', 'package', 'shop/release-1', '--to', 'none.tgz'], gone)).toMatchObject({
      code: 130,
    });
    expect(existsSync(at('none.tgz'))).toBe(false);
  });
});

describe('the log of members', () => {
  it('is a list for people, for programs and for spreadsheets', async () => {
    const { code, stdout } = await audit('log');
    expect(code).toBe(0);
    expect(stdout).toContain('acme-admin');
    const events = (JSON.parse((await audit('log', '--json')).stdout) as unknown[]).map((event) =>
      MembershipEvent.parse(event),
    );
    expect(events).toContainEqual(expect.objectContaining({ user_login: 'acme-admin', event_type: 'added' }));
    expect((await audit('log', '-o', 'csv')).stdout.split('\r\n')[0]).toBe('time,event,user,role,by,source,login');
  });

  it('can be narrowed', async () => {
    const none = await audit('log', '--type', 'removed');
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No membership changes match.\n' });
    expect((await audit('log', '--since', '1d', '--role', 'admin', '-o', 'name')).stdout).toBe('acme-admin\n');
    expect((await audit('log', '--until', '2020-01-01', '--json')).stdout).toBe('[]\n');
    expect(await audit('log', '--type', 'married')).toMatchObject({ code: 2 });
    expect(await audit('log', '--since', 'long ago')).toMatchObject({ code: 2 });
  });

  it('needs permission to manage members', async () => {
    const reader = await givenSignedIn(api, api.org.keys.reader);
    expect(await reader.run(['audit', 'log'])).toMatchObject({ code: 4, stdout: '' });
  });
});
