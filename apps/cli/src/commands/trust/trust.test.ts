import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrustedKey, WorkloadIdentity } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const add = async (...line: string[]) => {
  const ran = await cli.run(['trust', 'add', ...line, '-o', 'json']);
  return ran.code === 0 ? WorkloadIdentity.parse(JSON.parse(ran.stdout)) : ran;
};

describe('jobs', () => {
  it('of GitHub are trusted by the id and the name of the repository', async () => {
    expect(
      await add('github', 'acme/web', '--repository-id', '1296269', '--sa', 'member', '--branch', 'main'),
    ).toMatchObject({
      name: 'acme-web-main',
      service_account: 'member',
      issuer: 'https://token.actions.githubusercontent.com',
      claims: { repository_id: '1296269', repository: 'acme/web', ref: 'refs/heads/main' },
    });
    const more = ['--tag', 'v*', '--environment', 'production', '--event', 'push', '--name', 'releases'];
    expect(await add('github', 'acme/web', '--repository-id', '1296269', '--sa', 'member', ...more)).toMatchObject({
      name: 'releases',
      claims: { ref: 'refs/tags/v*', environment: 'production', event_name: 'push' },
    });
  });

  it('of GitLab are distinguished by branch and tag', async () => {
    const line = [
      'gitlab',
      'acme/sub/web',
      '--project-id',
      '278964',
      '--sa',
      'member',
      '--branch',
      'main',
      '--protected',
    ];
    expect(await add(...line)).toMatchObject({
      name: 'acme-sub-web-main',
      issuer: 'https://gitlab.com',
      claims: {
        project_id: '278964',
        project_path: 'acme/sub/web',
        ref: 'main',
        ref_type: 'branch',
        ref_protected: 'true',
      },
    });
  });

  it('are limited to a scope, with a note when they are not', async () => {
    const line = [
      'issuer',
      'limited',
      '--issuer',
      'https://ci.example.com',
      '--sa',
      'member',
      '--claim',
      'sub=limited',
    ];
    expect(await add(...line, '--scope', 'evidence', '--flow', 'shop')).toMatchObject({
      scope: { kind: 'evidence', flows: ['shop'] },
    });
    expect((await cli.run(['trust', 'list', '-o', 'csv'])).stdout).toContain(',member,evidence: shop,');
    expect(await add(...line, '--env', 'prod')).toMatchObject({ code: 2 });
    const more = ['trust', 'add', 'issuer', 'wide', '--issuer', 'https://ci.example.com', '--sa', 'member'];
    expect(await cli.run([...more, '--claim', 'sub=wide'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The jobs get all permissions of 'member'"),
    });
  });

  it('of any issuer are trusted by claims', async () => {
    const line = ['issuer', 'mine', '--issuer', 'https://ci.example.com', '--sa', 'member'];
    expect(await add(...line, '--claim', 'sub=pipeline=7', '--claim', 'env=prod')).toMatchObject({
      claims: { sub: 'pipeline=7', env: 'prod' },
    });
    expect(await add(...line, '--claim', 'sub')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('key=value'),
    });
    expect(await add(...line, '--claim', 'name=x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must contain'),
    });
  });

  it('of Bitbucket and CircleCI are trusted by UUIDs', async () => {
    const uuid = '1b2c3d4e-5f60-4718-92a3-b4c5d6e7f809';
    const bitbucket = 'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc';
    const circleci = `https://oidc.circleci.com/org/${uuid}`;
    const line = (name: string, issuer: string, claim: string) =>
      add('issuer', name, '--issuer', issuer, '--sa', 'member', '--claim', claim);
    expect(await line('bitbucket', bitbucket, `repositoryUuid={${uuid}}`)).toMatchObject({
      claims: { repositoryUuid: `{${uuid}}` },
    });
    expect(await line('circleci', circleci, `oidc.circleci.com/project-id=${uuid}`)).toMatchObject({
      claims: { 'oidc.circleci.com/project-id': uuid },
    });
    expect(await line('by-subject', circleci, 'sub=x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must contain oidc.circleci.com/project-id or oidc.circleci.com/org-id'),
    });
    expect(await line('by-name', bitbucket, 'repositoryUuid=web')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be the UUID, not the name'),
    });
  });

  it('need all required claims, and every branch only with a warning', async () => {
    expect(await add('github', 'acme/web', '--sa', 'member')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'gh api repos/acme/web --jq .id' prints it"),
    });
    expect(await add('github', 'web', '--repository-id', '1', '--sa', 'member')).toMatchObject({ code: 2 });
    expect(await add('github', 'acme/web', '--repository-id', '1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sa'),
    });
    expect(await add('gitlab', 'acme/web', '--project-id', 'web', '--sa', 'member')).toMatchObject({ code: 2 });
    const open = await cli.run([
      'trust',
      'add',
      'github',
      'acme/open',
      '--repository-id',
      '7',
      '--sa',
      'member',
      '--dry-run',
    ]);
    expect(open).toMatchObject({ code: 0, stderr: expect.stringContaining('This accepts jobs of every branch') });
    expect((await cli.run(['trust', 'list'])).stdout).not.toContain('acme/open');
  });

  it('are listed, and removed by name', async () => {
    await add('issuer', 'gone', '--issuer', 'https://ci.example.com', '--sa', 'member', '--claim', 'sub=1');

    expect(await cli.run(['trust', 'remove', 'gone'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("This removes the workload identity 'gone'"),
    });
    expect(await cli.run(['trust', 'remove', 'gone', '--yes'])).toMatchObject({ code: 0 });
    expect(await cli.run(['trust', 'remove', 'gone', '--yes'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('trust list'),
    });
    expect(await cli.run(['trust', 'remove', 'gone'], { isTty: true, stdin: 'y' })).toMatchObject({ code: 5 });
    const list = await cli.run(['trust', 'list', '-o', 'json']);
    const names = WorkloadIdentity.array()
      .parse(JSON.parse(list.stdout))
      .map(({ name }) => name);
    expect(names).toContain('mine');
    expect(names).not.toContain('gone');
  });
});

it('trusts a public key, and sends no private one', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(cli.home, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(join(cli.home, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));

  expect(await cli.run(['trust', 'keys', 'add', 'release', 'key.pem'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('private key'),
  });
  expect(await cli.run(['trust', 'keys', 'add', 'release', 'missing.pub'])).toMatchObject({ code: 2 });
  expect(await cli.run(['trust', 'keys', 'add', 'release', 'key.pub'])).toMatchObject({
    code: 0,
    stdout: "Key 'release' (ed25519) is trusted\n",
  });
  const list = await cli.run(['trust', 'keys', 'list', '-o', 'json']);
  expect(TrustedKey.array().parse(JSON.parse(list.stdout))).toMatchObject([{ name: 'release' }]);
  expect(await cli.run(['trust', 'keys', 'remove', 'release', '--yes'])).toMatchObject({ code: 0 });
  expect(await cli.run(['trust', 'keys', 'list'])).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('trust keys add'),
  });
});

it('reads the root of a Sigstore, and says what is wrong with it', async () => {
  const line = [
    'trust',
    'identities',
    'add',
    'release',
    '--issuer',
    'https://ci.example.com',
    '--subject',
    'a@example.com',
  ];
  writeFileSync(join(cli.home, 'root.json'), '[]');

  expect(await cli.run([...line, '--trusted-root', 'root.json'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not a JSON object'),
  });
  writeFileSync(join(cli.home, 'root.json'), '{}');
  expect(await cli.run([...line, '--trusted-root', 'root.json'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('trusted_root'),
  });
  expect(await cli.run(['trust', 'identities', 'list'])).toMatchObject({ code: 0, stdout: '' });
  expect(await cli.run(['trust', 'identities', 'remove', 'release', '--yes'])).toMatchObject({ code: 5 });
});
