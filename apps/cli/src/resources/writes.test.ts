import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contract from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../server/test/given/environments.ts';
import { givenFlow } from '../../../server/test/given/evidence.ts';
import { givenPolicy, REQUIRES_TESTS } from '../../../server/test/given/policies.ts';
import { startApi } from '../../../server/test/harness.ts';
import { givenSignedIn } from '../../test/given-cli.ts';
import { A, givenWorld } from '../../test/given-world.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const world = { attestationId: '', attachedId: '' };
const stranger = await givenSignedIn(api, (await api.givenOrg('others')).keys.admin);

beforeAll(async () => {
  Object.assign(world, await givenWorld(api));
  await givenFlow(api, 'old');
  await givenFlow(api, 'gone');
  await givenEnvironment(api, 'staging');
  await givenEnvironment(api, 'attic');
  await givenPolicy(api, 'spare');
  await api.call(contract.postAttestationType, { body: { name: 'unused' } });
  writeFileSync(join(cli.cwd, 'template.yml'), 'version: 1\n');
  writeFileSync(join(cli.cwd, 'release.yml'), REQUIRES_TESTS);
  writeFileSync(join(cli.cwd, 'schema.json'), '{"type": "object"}');
});

interface Write {
  readonly line: string;
  readonly says: string;
  /** The output of a repeat; the same unless given. */
  readonly again?: string;
  readonly code?: number;
  /** Its data, where that is not a name and a message. */
  readonly data?: { parse(value: unknown): unknown };
  readonly unknown?: string;
}

const writes: readonly Write[] = [
  { line: 'flow create web --description x', says: "Flow 'web' created", again: "Flow 'web' unchanged" },
  {
    line: 'flow update web --description y --template template.yml',
    says: "Flow 'web' updated",
    again: "Flow 'web' unchanged",
    unknown: 'flow update nope --description y',
  },
  {
    line: 'flow update web --clear-description',
    says: "Flow 'web' updated",
    again: "Flow 'web' unchanged",
  },
  {
    line: 'flow rename old new',
    says: "Flow renamed to 'new'",
    again: "Flow is already named 'new'",
    unknown: 'flow rename nope new-name',
  },
  {
    line: 'flow template shop --file template.yml',
    says: "Flow 'shop' updated",
    again: "Flow 'shop' unchanged",
    unknown: 'flow template nope --file template.yml',
  },
  {
    line: 'flow archive gone --yes',
    says: "Flow 'gone' archived",
    again: "Flow 'gone' does not exist",
    code: 5,
    unknown: 'flow archive nope --yes',
  },
  {
    line: 'attestation-type create lint --rule .ok --schema schema.json --summary what=.what',
    says: "Attestation type 'lint' has version 1",
    again: "Attestation type 'lint' unchanged at version 1",
  },
  {
    line: 'attestation-type create lint --rule .fine',
    says: "Attestation type 'lint' has version 2",
    again: "Attestation type 'lint' unchanged at version 2",
  },
  {
    line: 'attestation-type archive unused --yes',
    says: "Attestation type 'unused' archived",
    again: 'does not exist',
    code: 5,
    unknown: 'attestation-type archive nope --yes',
  },
  {
    line: 'env create test --type server --expect-every 15m',
    says: "Environment 'test' created",
    again: "Environment 'test' unchanged",
    unknown: 'env create test2 --type server --policy nope',
  },
  {
    line: 'env update test --description x --policy spare',
    says: "Environment 'test' updated",
    again: "Environment 'test' unchanged",
    unknown: 'env update nope --description x',
  },
  { line: 'env update test --expect-every 0', says: "Environment 'test' updated", again: 'unchanged' },
  {
    line: 'env rename staging stage',
    says: "Environment renamed to 'stage'",
    again: "Environment is already named 'stage'",
    unknown: 'env rename nope stage-2',
  },
  {
    line: 'env join eu test',
    says: "Environment 'eu' now includes 'test'",
    again: "Environment 'eu' already includes 'test'",
    unknown: 'env join eu nope',
  },
  {
    line: 'env archive attic --yes',
    says: "Environment 'attic' archived",
    again: 'does not exist',
    code: 5,
    unknown: 'env archive nope --yes',
  },
  {
    line: 'env policies detach test spare',
    says: "spare is no longer attached to environment 'test'",
    unknown: 'env policies detach nope spare',
  },
  {
    line: 'env policies attach prod spare',
    says: "spare is attached to environment 'prod'",
    unknown: 'env policies attach prod nope',
  },
  {
    line: 'policy create --file release.yml --description x',
    says: "Policy 'release' created, version 1",
    again: "Policy 'release' unchanged, version 1",
    data: contract.Policy,
  },
  {
    line: 'policy apply spare -f release.yml --comment stricter',
    says: "Policy 'spare' updated, version 2; it judges prod",
    again: "Policy 'spare' unchanged, version 2",
    data: contract.Policy,
  },
  { line: 'policy archive release --yes', says: "Policy 'release' archived", unknown: 'policy archive nope --yes' },
  {
    line: 'control create CC8.1 --name Change --link runbook=https://example.com/x',
    says: "Control 'CC8.1' created",
    again: "Control 'CC8.1' unchanged",
    data: contract.getControl.reply,
  },
  {
    line: 'control create CC8.1 --name Changes',
    says: "Control 'CC8.1' updated",
    again: "Control 'CC8.1' unchanged",
    data: contract.getControl.reply,
  },
  {
    line: 'control update CC8.1 --description x',
    says: "Control 'CC8.1' updated",
    again: "Control 'CC8.1' unchanged",
    data: contract.getControl.reply,
    unknown: 'control update nope --description x',
  },
  {
    line: 'control archive CC8.1 --yes',
    says: "Control 'CC8.1' is archived",
    data: contract.getControl.reply,
    unknown: 'control archive nope --yes',
  },
  {
    line: 'control unarchive CC8.1',
    says: "Control 'CC8.1' is unarchived",
    data: contract.getControl.reply,
    unknown: 'control unarchive nope',
  },
  {
    line: `waiver add sha256:${A} --env prod --reason Hotfix`,
    says: 'app-a.tgz is waived in prod until it is removed',
    data: contract.Waiver,
    unknown: `waiver add ${A} --env nope --reason Hotfix`,
  },
  {
    line: `waiver remove ${A} --env prod --yes`,
    says: 'aaaaaaaaaaaa is no longer waived in prod',
    again: 'has no waiver',
    code: 5,
    unknown: `waiver remove ${A} --env nope --yes`,
  },
  {
    line: 'tag set env prod stage=prod team=shop',
    says: "Tags of environment 'prod' updated",
    unknown: 'tag set env nope stage=prod',
  },
  {
    line: 'tag unset environment prod team',
    says: "Tags of environment 'prod' updated",
    unknown: 'tag unset env nope team',
  },
];

describe.each(writes)('waymark $line', ({ line, says, again = says, code = 0, data, unknown }) => {
  const words = line.split(' ');

  it('is refused without permission', async () => {
    expect((await stranger.run(words, { cwd: cli.cwd })).code).toBe(4);
  });

  it('refuses an empty value', async () => {
    const at = words.findIndex((word, place) => place > 1 && !/^(attach|detach|--.*)$/.test(word));
    const { code, stdout, stderr } = await cli.run(words.with(at, ''));

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('is empty');
  });

  it('can be tried without being recorded', async () => {
    const before = (await api.journal()).length;

    const { code, stdout, stderr } = await cli.run([...words, '--dry-run', '-o', 'json']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '(dry run: nothing was recorded)\n' });
    if (data) data.parse(JSON.parse(stdout));
    else expect(JSON.parse(stdout)).toMatchObject({ message: says });
    expect((await api.journal()).length).toBe(before);
  });

  it('makes the change, and reports it', async () => {
    expect(await cli.run(words)).toEqual({ code: 0, stderr: '', stdout: `${says}\n` });
  });

  it('changes nothing more when repeated', async () => {
    const before = (await api.journal()).length;

    const { code: ended, stdout, stderr } = await cli.run(words);

    expect({ ended, printed: stdout || stderr }).toEqual({ ended: code, printed: expect.stringContaining(again) });
    expect((await api.journal()).length).toBe(before);
  });

  if (unknown === undefined) return;

  it('reports a missing resource', async () => {
    const { code, stdout, stderr } = await cli.run(unknown.split(' '));

    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/^✕ /);
  });
});

it.each([
  'flow archive shop',
  'env archive prod',
  'policy archive spare',
  'control archive SDLC-7',
  `waiver remove ${A} --env prod`,
])('does not do %s without confirmation', async (line) => {
  const before = (await api.journal()).length;

  const { code, stderr } = await cli.run(line.split(' '));

  expect(code).toBe(2);
  expect(stderr).toContain('there is no terminal to ask for it');
  expect(stderr).toContain('Add --yes');
  expect((await api.journal()).length).toBe(before);
});

it('asks for confirmation, and accepts a no', async () => {
  const { code, stderr } = await cli.run(['flow', 'archive', 'shop'], { isTty: true, stdin: 'n' });

  expect(code).toBe(2);
  expect(stderr).toContain('Canceled; nothing was changed');
  expect((await cli.run(['flow', 'get', 'shop'])).code).toBe(0);
});

it.each([
  ['flow update shop', 'No changes are specified'],
  ['env update prod', 'No changes are specified'],
  ['env create x', '--type is missing'],
  ['env create x --type blah', 'type must be one of K8S'],
  ['env create prod --type K8S', 'type'],
  ['env update prod --expect-every soon', '--expect-every must be a duration'],
  ['policy create --file -', 'standard input has no file name'],
  ['policy apply x --file missing.yml', 'No such file'],
  ['control create X --name x --link nowhere', "--link must be key=value, not 'nowhere'"],
  ['waiver add aaaaa --env prod --reason x', 'an incomplete fingerprint'],
  [`waiver add ${A} --env prod --reason x --expires never`, 'must be a duration or a time'],
  ['tag set thing x a=b', "'thing' cannot have tags"],
  ['tag set env prod a', "A tag must be key=value, not 'a'"],
])('refuses %s and explains why', async (line, why) => {
  const { code, stderr } = await cli.run(line.split(' '));

  expect(code).toBe(2);
  expect(stderr).toContain(why);
});

it.each([
  ['flow create dry', "Flow 'dry' would be created"],
  ['flow archive shop', "Flow 'shop' would be archived"],
  ['flow rename shop shop-2', "Flow would be renamed to 'shop-2'"],
  ['env policies detach prod spare', "spare would no longer be attached to environment 'prod'"],
  ['env join eu stage', "Environment 'eu' would include 'stage'"],
  ['policy apply dry -f release.yml', "Policy 'dry' would be created, version 1"],
  ['control create DRY-1 --name x', "Control 'DRY-1' would be created"],
])('describes %s conditionally in a dry run', async (line, says) => {
  expect(await cli.run([...line.split(' '), '--dry-run'])).toMatchObject({ code: 0, stdout: `${says}\n` });
});

it('sends only what is given', async () => {
  await cli.run(['env', 'create', 'kept', '--type', 'server', '--description', 'stays', '--policy', 'prod-release']);

  await cli.run(['env', 'update', 'kept', '--expect-every', '1h']);

  expect(await environmentOf(api, 'kept')).toMatchObject({
    description: 'stays',
    policies: ['prod-release'],
    expected_report_interval_s: 3600,
  });
});

it('says that an archived control must be restored first', async () => {
  await cli.run(['control', 'create', 'OLD-1', '--name', 'Old']);
  await cli.run(['control', 'archive', 'OLD-1', '--yes']);

  const { code, stderr } = await cli.run(['control', 'create', 'OLD-1', '--name', 'Old']);

  expect(code).toBe(6);
  expect(stderr).toContain("'waymark control unarchive OLD-1'");
});

it('says that a policy in force cannot be archived', async () => {
  const { code, stderr } = await cli.run(['policy', 'archive', 'prod-release', '--yes']);

  expect(code).toBe(6);
  expect(stderr).toContain("'waymark env policies detach prod prod-release'");
});

describe('waymark attestation erase', () => {
  it('erases once, shows the tombstone, and says why it is refused', async () => {
    const { headers } = await api.call(contract.attestGeneric, {
      params: { flow_name: 'web', trail_name: 'secret' },
      body: { attestation_name: 'notes', is_compliant: true, description: 'Grace Hopper' },
    });
    const id = String(headers['waymark-attestation']).split('; ')[0] ?? '';
    const line = ['attestation', 'erase', id, '--reason', 'Request 114'];
    expect((await cli.run(line)).code).toBe(2);
    for (const time of [1, 2]) {
      const { code, stdout } = await cli.run([...line, '--yes']);
      expect([code, stdout], `time ${time}`).toEqual([0, 'Erased attestation notes of web/secret\n']);
    }
    const shown = (await cli.run(['attestation', 'get', id])).stdout;
    expect(shown).toMatch(/erased +.* by acme-admin: Request 114/);
    expect(shown).not.toContain('Grace');
    const unknown = await cli.run([
      'attestation',
      'erase',
      world.attestationId.replace(/.$/, 'f'),
      '--reason',
      'r',
      '--yes',
    ]);
    expect(unknown.code).toBe(5);
  });
});

describe('waymark attestation download', () => {
  it('saves an attachment completely, under its name', async () => {
    const { code, stdout } = await cli.run(['attestation', 'download', world.attachedId]);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^build\.log \(12 bytes, sha256 [0-9a-f]{64}\)\n$/);
    expect(readFileSync(join(cli.cwd, 'build.log'), 'utf8')).toBe('all is well\n');
    expect(readdirSync(cli.cwd).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('overwrites nothing without --force', async () => {
    writeFileSync(join(cli.cwd, 'mine.log'), 'mine');
    const line = ['attestation', 'download', world.attachedId, '--to', 'mine.log'];

    expect((await cli.run(line)).stderr).toContain('mine.log already exists');
    expect(readFileSync(join(cli.cwd, 'mine.log'), 'utf8')).toBe('mine');

    expect((await cli.run([...line, '--force'])).code).toBe(0);
    expect(readFileSync(join(cli.cwd, 'mine.log'), 'utf8')).toBe('all is well\n');
  });

  it('writes nothing else to standard output', async () => {
    const line = ['attestation', 'download', world.attachedId, '--to', '-'];

    expect(await cli.run(line)).toEqual({ code: 0, stderr: '', stdout: 'all is well\n' });
  });

  it('reports a missing attachment, and is refused without permission', async () => {
    expect((await cli.run(['attestation', 'download', world.attestationId])).code).toBe(5);
    expect((await cli.run(['attestation', 'download', ''])).code).toBe(2);
    expect((await stranger.run(['attestation', 'download', world.attachedId])).code).toBe(4);
  });
});
