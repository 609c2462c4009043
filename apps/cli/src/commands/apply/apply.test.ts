import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getControl, getFlow, listActions, putFlow } from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { environmentOf } from '../../../../server/test/given/environments.ts';
import { policyNamed } from '../../../../server/test/given/policies.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const root = join(cli.cwd, 'way');

beforeEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const ENVIRONMENTS = `kind: environment
name: eu
type: logical
included_environments: [prod]
---
kind: environment
name: prod
type: server
policies: [release]
tags: { stage: prod }
`;

const FLOW = `kind: flow
name: shop
description: Builds the shop
template_file: templates/shop.txt
`;

const RULES = `kind: policy
name: release
policy:
  _schema: https://example.com/policy/v1
  artifacts:
    attestations:
      - { name: review, type: decision, for_control: SDLC-7 }
---
kind: control
identifier: SDLC-7
name: Independent review
---
kind: notification
name: red
environments: [prod]
triggers: [ON_NON_COMPLIANT_ENV]
targets: [{ type: WEBHOOK, webhook: 'https://hooks.example.org/in/secret-token' }]
`;

function writeAll(): void {
  write('environments.yml', ENVIRONMENTS);
  write('flows/shop.yaml', FLOW);
  write('flows/templates/shop.txt', 'version: 1\n');
  write('rules/rules.yml', RULES);
  write('README.md', 'kind: nothing');
}

const outcomes = async (...line: string[]) => {
  const { code, stdout, stderr } = await cli.run(['apply', '-f', 'way', ...line, '-o', 'json']);
  if (code !== 0) throw new Error(stderr);
  const applied = JSON.parse(stdout) as { outcome: string; kind: string; name: string; file: string | null }[];
  return applied.map(({ outcome, kind, name }) => `${outcome} ${kind} ${name}`);
};

const ALL = [
  'control SDLC-7',
  'policy release',
  'flow shop',
  'environment prod',
  'environment eu',
  'notification red',
] as const;

describe('a directory of documents', () => {
  it('is tried as a whole, with the dependencies between its parts, and nothing is recorded', async () => {
    writeAll();
    const before = (await api.journal()).length;

    expect(await outcomes('--dry-run')).toEqual(ALL.map((one) => `created ${one}`));
    const { stdout } = await cli.run(['apply', 'way', '--dry-run']);
    expect(stdout).toMatch(/^would be created +control +SDLC-7 /m);
    expect(stdout).toMatch(/^6 would be created$/m);
    expect((await api.journal()).length).toBe(before);
  });

  it('is applied in the order of its dependencies', async () => {
    writeAll();

    const { code, stdout, stderr } = await cli.run(['apply', '-f', 'way']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/created {2}flow {10}shop {5}way\/flows\/shop\.yaml/);
    expect(stdout).toMatch(/\n6 created\n$/);
    expect(await environmentOf(api, 'prod')).toMatchObject({
      policies: ['release'],
      tags: { stage: 'prod', 'managed-by': 'waymark-apply' },
    });
    expect(await environmentOf(api, 'eu')).toMatchObject({ included_environments: ['prod'] });
    expect((await policyNamed(api, 'release')).versions).toHaveLength(1);
    expect((await api.call(getFlow, { params: { flow_name: 'shop' } })).body).toMatchObject({
      template: 'version: 1\n',
    });
    expect((await api.call(listActions)).body).toMatchObject([{ name: 'red', environments: ['prod'] }]);
  });

  it('changes nothing when it is applied again', async () => {
    writeAll();
    const before = (await api.journal()).length;

    expect(await outcomes()).toEqual(ALL.map((one) => `unchanged ${one}`));
    expect((await api.journal()).length).toBe(before);
  });

  it('changes what differs, and leaves other fields alone', async () => {
    writeAll();
    write('flows/shop.yaml', 'kind: flow\nname: shop\ntags: { team: web }\n');
    write(
      'rules/rules.yml',
      RULES.replace('Independent review', 'Review by another').replace('ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'),
    );

    expect(await outcomes()).toEqual([
      'updated control SDLC-7',
      'unchanged policy release',
      'updated flow shop',
      'unchanged environment prod',
      'unchanged environment eu',
      'updated notification red',
    ]);
    expect((await api.call(getFlow, { params: { flow_name: 'shop' } })).body).toMatchObject({
      description: 'Builds the shop',
      tags: { team: 'web', 'managed-by': 'waymark-apply' },
    });
  });
});

describe('--prune', () => {
  it('archives resources that it created and no file declares any more, once that is confirmed', async () => {
    await api.call(putFlow, { body: { name: 'by-hand' } });
    write('flow.yml', 'kind: flow\nname: shop\n');
    const before = (await api.journal()).length;

    const unconfirmed = await cli.run(['apply', '-f', 'way', '--prune']);
    expect(unconfirmed.code).toBe(2);
    expect(unconfirmed.stderr).toContain("Archiving environment 'eu', environment 'prod', control 'SDLC-7'");
    expect((await api.journal()).length).toBe(before);

    const pruned = ['archived environment eu', 'archived environment prod', 'archived control SDLC-7'];
    expect(await outcomes('--prune', '--dry-run')).toEqual(['unchanged flow shop', ...pruned]);
    expect((await api.journal()).length).toBe(before);

    expect(await outcomes('--prune', '--yes')).toEqual(['unchanged flow shop', ...pruned]);
    expect((await cli.run(['env', 'get', 'prod'])).code).toBe(5);
    expect((await api.call(getControl, { params: { identifier: 'SDLC-7' } })).body).toMatchObject({ archived: true });
    expect((await cli.run(['flow', 'get', 'by-hand'])).code).toBe(0);
    expect(await outcomes('--prune')).toEqual(['unchanged flow shop']);
  });

  it('does nothing when there is no document at all', async () => {
    mkdirSync(root);
    const { code, stderr } = await cli.run(['apply', '-f', 'way', '--prune', '--yes']);

    expect(code).toBe(2);
    expect(stderr).toContain('No documents found in way');
    expect((await cli.run(['flow', 'get', 'shop'])).code).toBe(0);
  });
});

describe('an error', () => {
  it('is reported with all others, by file and document, before anything is sent', async () => {
    write('a.yml', "kind: flow\nname: fine\n---\nkind: flow\nname: 'sh op'\ncolour: red\ntags: { 'a b': x }\n");
    write('b.yml', 'kind: thing\n---\nkind: policy\nname: x\n---\nkind: flow\nname: fine\n---\n- 1\n---\nname: x\n');
    write(
      'c.yml',
      'kind: notification\nname: red\nenvironments: [prod]\ntriggers: [NEVER]\ntargets: [{ type: WEBHOOK, webhook: "http://example.org/secret-token" }]\n',
    );
    const before = (await api.journal()).length;

    const { code, stdout, stderr } = await cli.run(['apply', '-f', 'way']);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatchInlineSnapshot(`
      "✕ Nothing was sent: 10 errors
        way/a.yml, document 2: name must start with a letter or digit and contain only letters, digits, and . - _ ~
        way/a.yml, document 2: unknown fields: colour
        way/a.yml, document 2: tags.a b is not a valid key: use letters, digits, and . - _ ~
        way/b.yml, document 1: kind 'thing' is unknown; it must be one of flow, environment, policy, control, notification
        way/b.yml, document 2: needs one of policy_yaml, policy, policy_file; it has 0
        way/b.yml, document 3: flow 'fine' is already defined in way/a.yml, document 1
        way/b.yml, document 4: must be a mapping with a kind and a name
        way/b.yml, document 5: kind is missing; it must be one of flow, environment, policy, control, notification
        way/c.yml, document 1: triggers.0 must be one of ON_STARTED_ARTIFACT, ON_EXITED_ARTIFACT, ON_SCALED_ARTIFACT, ON_ALLOWED_ARTIFACT, ON_NON_COMPLIANT_ENV, ON_COMPLIANT_ENV, ON_EXPIRING_EVIDENCE
        way/c.yml, document 1: targets.0.webhook must begin with https://
        fix: See /api/v2/openapi.json for the fields of each kind
      "
    `);
    expect(stderr).not.toContain('secret-token');
    expect((await api.journal()).length).toBe(before);
  });

  it('has its line and column when a document is not YAML', async () => {
    const { code, stderr } = await cli.run(['apply', '-f', '-'], { stdin: 'kind: flow\n---\nname: ]\n' });

    expect(code).toBe(2);
    expect(stderr).toMatch(/Standard input, document 2 is not YAML, line 3, column \d+/);
  });

  it('is reported by the service before anything is applied', async () => {
    write('a.yml', 'kind: flow\nname: first\n---\nkind: flow\nname: second\ntemplate: "version: 7"\n');
    write('b.yml', 'kind: environment\nname: e\ntype: server\npolicies: [nope]\n');

    const { code, stderr } = await cli.run(['apply', '-f', 'way']);

    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was applied: the service refuses 2 of 3');
    expect(stderr).toContain("way/a.yml, document 2 (flow 'second')");
    expect(stderr).toContain('line 1, column 10');
    expect(stderr).toContain("way/b.yml, document 1 (environment 'e'): Policy 'nope' does not exist");
    expect((await cli.run(['flow', 'get', 'first'])).code).toBe(5);
  });

  it('may be in a policy, besides those that controls to be created will fix', async () => {
    write('a.yml', RULES.replaceAll('SDLC-7', 'NEW-1').replace('artifacts:', 'things: 1\n  artifacts:'));

    const { code, stderr } = await cli.run(['apply', '-f', 'way', '--dry-run']);

    expect(code).toBe(2);
    expect(stderr).toContain("way/a.yml, document 1 (policy 'release')");
    expect(stderr).toContain('things');
    expect(stderr).not.toContain('There is no control');
  });

  it('may be a file outside of the directory, also behind a link', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'waymark-elsewhere-'));
    writeFileSync(join(elsewhere, 'secret.txt'), 'version: 1\n');
    write('a.yml', `kind: flow\nname: a\ntemplate_file: ${join(elsewhere, 'secret.txt')}\n`);
    write('b.yml', 'kind: flow\nname: b\ntemplate_file: link.txt\n');
    symlinkSync(join(elsewhere, 'secret.txt'), join(root, 'link.txt'));

    const { code, stderr } = await cli.run(['apply', '-f', 'way', '--dry-run']);
    rmSync(elsewhere, { recursive: true });

    expect(code).toBe(2);
    expect(stderr).toContain('way/a.yml, document 1: ');
    expect(stderr).toContain(
      'way/b.yml, document 1: link.txt is outside of the directories that documents can read from',
    );
  });

  it('lists the documents already applied, when only the real run reveals it', async () => {
    write('a.yml', 'kind: environment\nname: fresh\ntype: server\n');
    write(
      'b.yml',
      'kind: notification\nname: n\nenvironments: [fresh]\ntriggers: [ON_COMPLIANT_ENV]\ntargets: [{ type: EMAIL }]\n',
    );

    const { code, stderr } = await cli.run(['apply', '-f', 'way']);

    expect(code).toBe(2);
    expect(stderr).toContain("way/b.yml, document 1 (notification 'n')");
    expect(stderr).toContain('1 of 2 documents were applied before it');
    expect(stderr).toContain('Fix the problem and run it again; applied documents stay unchanged');
    expect((await cli.run(['env', 'get', 'fresh'])).code).toBe(0);
  });

  it('has the right exit code for missing permissions, missing files and empty ones', async () => {
    write('a.yml', 'kind: flow\nname: shop\n');
    const stranger = await givenSignedIn(api, (await api.givenOrg('others')).keys.admin);
    const reader = await givenSignedIn(api, api.org.keys.reader);

    expect((await stranger.run(['apply', '-f', 'way'], { cwd: cli.cwd })).code).toBe(4);
    expect((await reader.run(['apply', '-f', 'way'], { cwd: cli.cwd })).code).toBe(4);
    expect((await cli.run(['apply', '-f', 'nope'])).code).toBe(2);
    expect((await cli.run(['apply', '-f', ''])).code).toBe(2);
    expect((await cli.run(['apply'])).stderr).toContain('as PATH');
  });
});
