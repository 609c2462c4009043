import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { html, startFaultyServer } from '../../../packages/client/test/faulty-server.ts';
import { allEntries, catalog } from '../src/catalog/catalog.ts';
import { commandOf } from '../src/main.ts';
import { splitLine } from '../src/run/find-command.ts';
import { helpTopicNames } from '../src/run/help-topics.ts';
import { type AnySettingName, globalSettings, settingOf } from '../src/run/settings.ts';
import { callsIn, everyCommand, type Listed } from './given-catalog.ts';
import { givenCli } from './given-cli.ts';

const HELP = join(import.meta.dirname, 'outputs/help');
const FORGETS = /^(archive|delete|remove|revoke|drop|prune)$/;
/** These remove local settings only, which can be set again. */
const LOCAL = ['context remove', 'spool drop'];
const PATIENCE_MS = 120_000;

const commands = await everyCommand();
const server = await startFaultyServer();
afterAll(() => server.close());
beforeEach(() => server.behave(html(500)));

const cli = givenCli({
  WAYMARK_HOST: server.baseUrl,
  WAYMARK_ORG: 'acme',
  WAYMARK_TOKEN: 'wmk_e0000',
  WAYMARK_FLOW: 'shop',
  WAYMARK_TRAIL: 'release-1',
});
const run = (line: readonly string[], env: Record<string, string> = {}) =>
  cli.run(line, { env, signal: AbortSignal.timeout(PATIENCE_MS) });

const helpFile = (path: string) => `${path.replaceAll(' ', '-')}.txt`;
const settingsOf = ({ definition }: Listed) =>
  [...Object.keys(globalSettings), ...definition.settings] as AnySettingName[];

describe.each(commands)('waymark $path', (listed) => {
  const { path, entry, definition, line, calls } = listed;

  it('has a summary: an imperative sentence without a full stop', () => {
    expect(entry.summary).toMatch(/^[A-Z][^.]*[^.!?:;, ]$/);
    expect(entry.summary.length).toBeLessThanOrEqual(60);
    expect(entry.summary).not.toMatch(/^(Lists|Shows|Creates|Deletes|Prints|This|The|A|An|Listing|Showing) /);
  });

  it('has help', async () => {
    const { code, stdout, stderr } = await run([...path.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`waymark ${path} `);
    expect(stdout).not.toMatch(/undefined|\[object/);
    await expect(stdout).toMatchFileSnapshot(join(HELP, helpFile(path)));
  });

  it('has examples that parse', () => {
    expect(definition.examples.length).toBeGreaterThan(0);
    expect(definition.examples.map(({ say }) => say)).toEqual(
      definition.examples.map(() => expect.stringMatching(/^[A-Z`'-].*[^.]$/)),
    );
    expect(calls.map((call) => splitLine(allEntries, call).words.join(' '))).toContain(path);
    for (const call of calls) expect(() => parse(call)).not.toThrow();
  });

  it('describes each of its flags and arguments, without a full stop', () => {
    const command = listed.build();
    for (const { flags, description } of command.options) expect([flags, description]).toEqual([flags, DESCRIPTION]);
    for (const argument of command.registeredArguments) {
      expect([argument.name(), argument.description]).toEqual([argument.name(), DESCRIPTION]);
    }
  });

  it('refuses an empty value, by the name of the flag', async () => {
    for (const option of listed.build().options.filter(({ required, optional }) => required || optional)) {
      const name = option.long ?? option.short ?? '';
      const { code, stdout, stderr } = await run([...line, name, '']);
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(name) });
    }
    expect(server.received).toEqual([]);
  });

  it('refuses an empty value, by the name of the variable', async () => {
    for (const name of settingsOf(listed)) {
      const { env } = settingOf(name);
      if (env === undefined || isGiven(name, line)) continue;
      const { code, stderr } = await run(line, { [env]: '' });
      expect({ env, code, stderr }).toEqual({ env, code: 2, stderr: expect.stringContaining(env) });
    }
    expect(server.received).toEqual([]);
  });

  it('refuses an empty argument', async () => {
    const { rest } = splitLine(allEntries, line);
    const args = listed.build().parse(rest, { from: 'user' }).args;
    for (const arg of new Set(args)) {
      const { code, stdout } = await run(line.map((word) => (word === arg ? '' : word)));
      expect({ arg, code, stdout }).toEqual({ arg, code: 2, stdout: '' });
    }
    expect(server.received).toEqual([]);
  });

  it('refuses an unknown flag, and suggests a similar one', async () => {
    const { code, stderr } = await run([...line, '--hots', 'x']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "✕ Unknown flag '--hots'\n  fix: Did you mean --host?\n",
    });
    const strange = await run([...line, '--xyzzyplugh']);
    expect(strange).toEqual({
      code: 2,
      stdout: '',
      stderr: `✕ Unknown flag '--xyzzyplugh'\n  fix: Run 'waymark ${path} --help' for usage\n`,
    });
    expect(server.received).toEqual([]);
  });

  it('refuses more arguments than it takes', async () => {
    const command = listed.build();
    if (command.registeredArguments.some(({ variadic }) => variadic)) return;
    const more = command.registeredArguments.map((_, at) => `more-${at}`);
    const words = path.split(' ');
    const { code, stderr } = await run([...words, ...more, 'one-more', ...line.slice(words.length)]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Too many arguments') });
    expect(server.received).toEqual([]);
  });
});

const isGiven = (name: AnySettingName, line: readonly string[]) =>
  new Option(settingOf(name).flags).long === '--output' && line.includes('-o')
    ? true
    : line.some((word) => word.split('=')[0] === new Option(settingOf(name).flags).long);

const DESCRIPTION = expect.stringMatching(/^.*[^.\s]$/s);

function parse(call: readonly string[]): void {
  const { words, rest } = splitLine(allEntries, call);
  const found = commands.find(({ path }) => path === words.join(' '));
  if (!found) throw new Error(`there is no command 'waymark ${call.join(' ')}'`);
  if (!rest.includes('--help')) commandOf(found.entry, found.definition).parse(rest, { from: 'user' });
}

/** A command or a group without arguments only names what to look up. */
it('the commands of the page on common tasks parse', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/common-tasks.md'), 'utf8');
  const inline = [...page.matchAll(/(?<!\[)`(waymark [^`]+)`/g)].map(([, command = '']) =>
    command.replace(/\s+/g, ' '),
  );
  expect(inline.length).toBeGreaterThan(10);
  const isNamed = (words: string) => commands.some(({ path }) => `${path} `.startsWith(`${words} `));
  const called = inline.filter((command) => !isNamed(command.slice('waymark '.length)));
  const calls = callsIn(called.map((command) => [command])).flat();
  expect(calls.length).toBe(called.length);
  for (const call of calls) expect(() => parse(call), call.join(' ')).not.toThrow();
});

const forgetful = commands.filter(({ path }) => FORGETS.test(path.split(' ').at(-1) ?? '') && !LOCAL.includes(path));

it.each(forgetful)('waymark $path asks for confirmation, and does nothing without a terminal', async ({ line }) => {
  const bare = line.filter((word) => word !== '--yes' && word !== '--dry-run');
  const { code, stdout, stderr } = await run(bare);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
  expect(server.received).toEqual([]);

  const declined = await cli.run(bare, { isTty: true, stdin: 'n\n', env: { NO_COLOR: '1' } });
  expect(declined.code).not.toBe(0);
  expect(server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('no two commands share a name, and none hides another', () => {
  const paths = allEntries.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.filter((path) => paths.some((other) => other.startsWith(`${path} `)))).toEqual([]);
  expect(forgetful.length).toBeGreaterThan(5);
});

it('no help file is left of a removed command', () => {
  const known = [...commands.map(({ path }) => helpFile(path)), ...helpTopicNames.map((name) => `_${name}.txt`)];
  expect(readdirSync(HELP).toSorted()).toEqual([...known, '_all.txt'].toSorted());
});

it.each(helpTopicNames)('waymark help %s', async (topic) => {
  const { code, stdout } = await run(['help', topic]);
  expect(code).toBe(0);
  await expect(stdout).toMatchFileSnapshot(join(HELP, `_${topic}.txt`));
});

it('help without a command shows all groups, and that of a group its commands', async () => {
  const { code, stdout } = await run([]);
  expect(code).toBe(0);
  await expect(stdout).toMatchFileSnapshot(join(HELP, '_all.txt'));
  for (const { path } of catalog.flatMap(({ entries }) => entries)) expect(stdout).toContain(path.split(' ')[0]);

  for (const { path } of allEntries) {
    const group = path.split(' ').slice(0, -1);
    if (group.length > 0) expect((await run([...group, '--help'])).stdout).toContain(`waymark ${group.join(' ')} `);
    if (group.length > 0) expect((await run(group)).code).toBe(2);
  }
});

it('suggests a similar command for an unknown one', async () => {
  for (const { path } of allEntries) {
    const typo = `${path.slice(0, -2)}${path.at(-1)}${path.at(-2)}`;
    if (typo === path || allEntries.some((other) => other.path === typo)) continue;
    const { code, stderr } = await run(typo.split(' '));
    expect({ typo, code, stderr }).toEqual({ typo, code: 2, stderr: expect.stringContaining('Did you mean') });
  }
});
