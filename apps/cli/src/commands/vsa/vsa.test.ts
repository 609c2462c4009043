import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { fingerprint } from '../../../../server/test/given/evidence.ts';
import { givenAttached } from '../../../../server/test/given/policies.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenTested } from '../../../test/given-tested.ts';

const { privateKey: KEY } = generateKeyPairSync('ed25519');
const { publicKey: OTHER } = generateKeyPairSync('ed25519');
const api = await startApi({ statementKeys: [KEY] });
const cli = await givenSignedIn(api);
const at = (name: string) => join(cli.home, name);
const GOOD = `sha256:${fingerprint('a')}`;
const BAD = `sha256:${fingerprint('b')}`;

const offline = (reference: string, file: string, ...more: string[]) =>
  cli.run(['assert', 'artifact', reference, '--env', 'prod', '--offline', at(file), '--keys', at('keys.pem'), ...more]);

beforeAll(async () => {
  await givenTested(api);
  for (const name of ['prod', 'free']) await givenEnvironment(api, name);
  await givenAttached(api, 'prod', ['tested']);
  api.clock.now = new Date();
  expect((await cli.run(['vsa', 'keys', '--to', at('keys.pem')])).code).toBe(0);
  for (const [reference, file] of [
    [GOOD, 'good.json'],
    [BAD, 'bad.json'],
  ] as const)
    expect((await cli.run(['vsa', 'get', reference, '--env', 'prod', '--to', at(file)])).code).toBe(0);
  api.clock.now = new Date(Date.now() - 2 * 3_600_000);
  expect((await cli.run(['vsa', 'get', GOOD, '--env', 'prod', '--to', at('old.json')])).code).toBe(0);
  writeFileSync(at('other.pem'), OTHER.export({ type: 'spki', format: 'pem' }));
});

describe('an assertion from a signed verdict', () => {
  it('0: it says that the artifact is compliant', async () => {
    const { code, stdout } = await offline(GOOD, 'good.json');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^✓ COMPLIANT sha256:aaaaaaaaaaaa for prod, from .*good\.json — Policy 'tested' .* Judged at 20/,
    );
  });

  it('3: it says that the artifact is not compliant', async () => {
    const { code, stdout } = await offline(BAD, 'bad.json');
    expect(code).toBe(3);
    expect(stdout).toContain("Policy 'tested' requires a compliant attestation named 'unit-tests'");
  });

  it.each([
    ['about another artifact', BAD, 'good.json', [], 'It is about another artifact'],
    ['older than an hour', GOOD, 'old.json', [], 'It is too old: its verdict is of'],
    ['older than asked', GOOD, 'old.json', ['--max-age', '90m'], 'It is too old: its verdict is of'],
  ])('8: it is %s', async (_, reference, file, more, because) => {
    const { code, stdout } = await offline(reference, file, ...more);
    expect([code, stdout]).toEqual([8, expect.stringContaining(because)]);
    expect(stdout).toContain('fix: Get it again while the service is there: waymark vsa get');
  });

  it('0: it is as old as allowed', async () => {
    expect((await offline(GOOD, 'old.json', '--max-age', '3h')).code).toBe(0);
  });

  it('8: another key signed it, or it was changed', async () => {
    const line = ['assert', 'artifact', GOOD, '--env', 'prod', '--offline', at('good.json'), '--keys', at('other.pem')];
    expect(await cli.run(line)).toMatchObject({ code: 8, stdout: expect.stringContaining('No given key') });
    const envelope = JSON.parse(readFileSync(at('bad.json'), 'utf8')) as { payload: string };
    const payload = Buffer.from(envelope.payload, 'base64').toString().replace('"FAILED"', '"PASSED"');
    writeFileSync(at('forged.json'), JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString('base64') }));
    expect((await offline(BAD, 'forged.json')).code).toBe(8);
  });

  it('2: what it needs is missing, or contradicts it', async () => {
    const line = ['assert', 'artifact', GOOD, '--offline', at('good.json')];
    expect((await cli.run(line)).code).toBe(2);
    expect((await cli.run([...line, '--env', 'prod'])).code).toBe(2);
    expect((await cli.run(['assert', 'artifact', GOOD, '--env', 'prod', '--max-age', '1h'])).code).toBe(2);
    expect((await offline(GOOD, 'nothing.json')).code).toBe(2);
    expect((await offline(GOOD, 'good.json', '--wait', '1m')).code).toBe(2);
    expect((await offline(GOOD, 'good.json', '--max-age', 'soon')).code).toBe(2);
    expect((await cli.run([...line, '--env', 'prod', '--keys', at('good.json')])).code).toBe(2);
  });
});

it('6: there is no verdict to sign where no policy is attached', async () => {
  const { code, stderr } = await cli.run(['vsa', 'get', GOOD, '--env', 'free']);
  expect([code, stderr]).toEqual([6, expect.stringContaining('there is no verdict to sign')]);
});
