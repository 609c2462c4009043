import { ApiError } from '@waymark/client';
import { describe, expect, it } from 'vitest';
import { givenCli } from '../../test/given-cli.ts';
import { failureOf } from './failure.ts';

const cli = givenCli({ WAYMARK_HOST: 'http://127.0.0.1:9', WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_x' });

describe('an error in a line', () => {
  it.each([
    [['waiver', 'remove', 'x', '--enb', 'y'], "✕ Unknown flag '--enb'\n  fix: Did you mean --env?\n"],
    [['flow', 'get'], "✕ NAME is missing\n  fix: Run 'waymark flow get --help' for usage\n"],
    [
      ['waiver', 'remove', 'shop.tgz'],
      "✕ --env is missing\n  fix: Add --env <name>. Run 'waymark waiver remove --help' for usage\n",
    ],
    [
      ['flow', 'list', '--limit'],
      "✕ --limit needs a value: --limit <number>\n  fix: Run 'waymark flow list --help' for usage\n",
    ],
    [
      ['flow', 'list', '--limit', 'many'],
      "✕ --limit must be a whole number, 0 or greater, not 'many'\n  fix: Run 'waymark flow list --help' for usage\n",
    ],
    [
      ['member', 'invite', 'a@example.com', '--role', 'boss'],
      expect.stringMatching(/^✕ --role must be one of [a-z, ]+, not 'boss'\n/),
    ],
    [['member', 'role', 'ada', 'boss'], expect.stringMatching(/^✕ ROLE must be one of [a-z, ]+, not 'boss'\n/)],
    [['flow', 'get', 'a', 'b'], expect.stringContaining('Too many arguments: expected 1, got 2')],
    [['audit', 'log', 'prod'], expect.stringContaining('Too many arguments: expected none, got 1')],
    [['flow', 'list', '-o', 'xml'], expect.stringContaining('--output must be one of table, ')],
    [
      ['flow', 'list', '-o', 'csv', '--json', 'name'],
      expect.stringContaining('--output csv and --json are different formats'),
    ],
    [
      ['flow', 'list', '-o', 'csv', '--jq', '.'],
      expect.stringContaining('--output csv and --jq are different formats'),
    ],
    [['--org', 'acme'], "✕ Missing command\n  fix: Run 'waymark help' to list the commands\n"],
  ])('%j', async (line, stderr) => {
    expect(await cli.run(line)).toEqual({ code: 2, stdout: '', stderr });
  });

  it('a password in an address is not repeated', async () => {
    const { code, stderr } = await cli.run(['flow', 'list', '--host', 'https://me:hunter2@waymark.example.com']);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('hunter2')]);
  });
});

it.each([['attest'], ['--org', 'acme', 'attest']])('a group alone lists its commands: %j', async (...line) => {
  const { code, stdout, stderr } = await cli.run(line);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('attest junit     Attest test results');
});

describe('a confirmation', () => {
  it('names the action and the host, where there is no terminal', async () => {
    const { code, stderr } = await cli.run(['flow', 'archive', 'shop']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/'shop'.* in acme at http:\/\/127\.0\.0\.1:9: confirmation is required/);
  });

  it('is given with -y', async () => {
    expect((await cli.run(['flow', 'archive', 'shop', '-y'])).code).toBe(7);
  });
});

describe('a refusal of the service', () => {
  const refused = (status: number, message: string, fields: Record<string, string> | null = null) =>
    failureOf(new ApiError(status, message, fields, 'r1'), undefined);

  it.each([
    ["Flow 'x' does not exist in this org", "'waymark flow list'"],
    ["Trail 'x' does not exist in this org", "'waymark trail list --flow FLOW'"],
    ["Environment 'x' does not exist in this org", "'waymark env list'"],
    ["Service account 'x' does not exist in this org", "'waymark sa list'"],
    ["Policy version 'prod@v7' does not exist in this org", "'waymark policy get prod'"],
    ["Snapshot 9 of 'prod' does not exist: it has 1 to 3", "'waymark env snapshots prod'"],
    ["You have no API key 'x'", "'waymark key list'"],
    ["Artifact 'x' has no waiver in environment 'prod'", "'waymark waiver list'"],
  ])('%s', (message, command) => {
    expect(refused(404, message).fix).toContain(`${command} lists what exists`);
  });

  it('has no fix for a resource without a list', () => {
    expect(refused(404, "Something 'x' does not exist in this org").fix).toBeUndefined();
    expect(refused(404, 'There is nothing here').fix).toBeUndefined();
  });

  it.each([
    ['attestation_name', '--name'],
    ['template_reference_name', '--name'],
    ['flow_name', '--flow'],
    ['query.flow_name', '--flow'],
    ['trail_name', '--trail'],
    ['fingerprint', 'artifact'],
    ['env_name', 'environment'],
    ['targets.0.webhook', 'targets.0.webhook'],
  ])('%s is called %s', (field, name) => {
    const place = field.startsWith('query.') ? `query parameter '${field.slice(6)}'` : `field '${field}'`;
    const one = refused(400, `Missing ${place}`, { [field]: 'is required' });
    const shown = name === field ? place : name;
    expect([one.message, one.why]).toEqual([`Missing ${shown} (400)`, `${name} is required`]);
    const more = refused(400, `Missing ${place} (and 1 more)`, { [field]: 'is required', other: 'is not known here' });
    expect(more.why).toBe(`${name} is required; other is not known here`);
  });
});
