import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';
import { identityText, type KnownValue, knownValues } from './known-values.ts';
import { placesOf, trustOf } from './setting-places.ts';

const SETTINGS = ['host', 'org', 'flow', 'trail'] as const;

export const command = defineCommand({
  description:
    'Every value that evidence of this build would carry, with where it was found and whose word it is: that of the CI ' +
    'system, of the checkout, or of whoever gave it. Nothing is sent.',
  examples: [
    { say: 'In a pipeline, when something is not as expected', run: 'waymark ci context --explain' },
    { say: 'The commit alone', run: 'waymark ci context --jq \'.values[] | select(.name == "commit").value\'' },
  ],
  settings: ['flow', 'trail'],
  build: (command) => command.option('--explain', 'tell as well where was looked, and what was left out and why'),
  async run(session, _, { explain }) {
    const ci = session.ci();
    const values = [...settingValues(session), ...knownValues(ci)];
    const places = SETTINGS.flatMap((name) => placesOf(session, name));
    return {
      data: {
        provider: ci.provider,
        provider_name: ci.providerName,
        identity_token: identityText(ci),
        ...(ci.dirty !== undefined && { dirty: ci.dirty }),
        values,
        ...(explain && { looked_at: places, notes: ci.notes }),
      },
      rows: rowsOf({
        items: values,
        columns: [
          { title: 'what', of: ({ name }) => name },
          { title: 'value', of: ({ value }) => value },
          { title: 'from', of: ({ source }) => source },
          { title: 'trust', of: ({ trust }) => trust },
        ],
        name: ({ name }) => name,
        none: 'Nothing is known: this is neither a CI job nor a git checkout, and nothing is set.',
      }),
      text: ['', ...summaryOf(session), ...(explain ? explanationOf(places, ci.notes) : [])].join('\n'),
    };
  },
});

function settingValues(session: Session): KnownValue[] {
  return SETTINGS.flatMap((name) => {
    const value = session.settings[name];
    const source = session.sources[name];
    return value === undefined || source === undefined ? [] : [{ name, value, source, trust: trustOf(session, name) }];
  });
}

function summaryOf(session: Session): string[] {
  const ci = session.ci();
  const missing = SETTINGS.filter((name) => session.settings[name] === undefined);
  return [
    ci.provider === 'none'
      ? 'This is no job of a CI system that is known'
      : `This is a job of ${ci.providerName}; its identity token: ${identityText(ci)}`,
    ...(ci.dirty ? ['The checkout has changes that no commit holds'] : []),
    ...(missing.length > 0 ? [`Not known: ${missing.join(', ')}`] : []),
  ];
}

function explanationOf(places: ReturnType<typeof placesOf>, notes: readonly string[]): string[] {
  return [
    '',
    'Looked at, the first that is set wins:',
    ...places.map(({ setting, place, state }) => `  ${setting.padEnd(6)} ${state.padEnd(12)} ${oneLine(place)}`),
    '',
    notes.length > 0 ? 'Left out or decided:' : 'Nothing was left out.',
    ...notes.map((note) => `  ${oneLine(note)}`),
  ];
}
