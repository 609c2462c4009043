import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stepsOf } from './first-steps.ts';

const NOTHING = { flow: false, environment: false, snapshot: false, policy: false };
const steps = stepsOf('https://waymark.acme.test', 'acme', NOTHING);
const reference = readFileSync(join(import.meta.dirname, '../../../../../docs/cli.md'), 'utf8');

it('leads from signing in at this address to a policy', () => {
  expect(steps.map(({ title }) => title)).toEqual([
    'Connect the command line',
    'Create a flow',
    'Create an environment',
    'Report what runs there',
    'Attach a policy',
  ]);
  expect(steps[0]?.command).toContain('waymark auth login --host https://waymark.acme.test --org acme');
  expect(steps[4]?.command).toContain('waymark env policies attach production provenance --org acme');
});

it('names existing commands', () => {
  const lines = steps
    .flatMap(({ command }) => command?.split('\n') ?? [])
    .filter((line) => line.startsWith('waymark '));
  expect(lines).toHaveLength(8);
  const names = [...reference.matchAll(/^### (waymark .+)$/gm)].map(([, name]) => name);
  for (const line of lines) expect(names.filter((name) => line.startsWith(`${name} `))).not.toEqual([]);
});

it('checks off what exists', () => {
  const done = stepsOf('', 'acme', { ...NOTHING, flow: true, snapshot: true }).map(({ isDone }) => isDone);
  expect(done).toEqual([true, true, false, true, false]);
});

it('adds steps for those who may take them, and checks those off as well', () => {
  const titles = (has: object) => stepsOf('', 'acme', { ...NOTHING, ...has }).filter(({ isDone }) => isDone);
  const all = stepsOf('', 'acme', { ...NOTHING, serviceAccount: false, colleague: false });
  expect(all.map(({ title }) => title)).toEqual(
    expect.arrayContaining(['Connect your pipeline', 'Invite a colleague']),
  );
  expect(titles({ serviceAccount: true, colleague: true }).map(({ title }) => title)).toEqual(['Invite a colleague']);
  expect(titles({ serviceAccount: true, flow: true }).at(-1)?.title).toBe('Connect your pipeline');
});

it('names what the org calls its own', () => {
  const commandsFor = (environmentType: string) =>
    stepsOf('', 'acme', { ...NOTHING, environment: true, environmentName: 'live', environmentType })
      .map(({ command }) => command)
      .join('\n');
  expect(commandsFor('server')).toContain('waymark snapshot server live "$PWD/hello.sh" --org acme');
  expect(commandsFor('K8S')).toContain('waymark snapshot k8s live --org acme');
  expect(commandsFor('ECS')).not.toContain('waymark snapshot');
});

it('leads to guides that exist', () => {
  const all = stepsOf('', 'acme', { ...NOTHING, serviceAccount: false, colleague: false });
  const pages = all.flatMap(({ guides = [] }) =>
    guides.map(({ href }) => href.slice('/help/'.length, -'.html'.length)),
  );
  expect(pages.length).toBeGreaterThan(5);
  for (const page of pages) expect(existsSync(join(import.meta.dirname, `../../../../../docs/${page}.md`))).toBe(true);
});
