import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';
import { identityText, type KnownValue, knownValues } from './known-values.ts';
import { placesOf, trustOf } from './setting-places.ts';

const SETTINGS = ['host', 'org', 'flow', 'trail'] as const;

export const command = defineCommand({
  description:
    'Shows every value that evidence of this build would carry, with its source and how far it is trusted: reported ' +
    'by the CI system, read from the checkout, or given by the user. Sends nothing.',
  examples: [
    { say: 'Debug a pipeline', run: 'waymark ci context --explain' },
    { say: 'Only the commit', run: 'waymark ci context --jq \'.values[] | select(.name == "commit").value\'' },
  ],
  settings: ['flow', 'trail'],
  build: (command) => command.option('--explain', 'also show which places were checked, what was ignored, and why'),
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
          { title: 'name', of: ({ name }) => name },
          { title: 'value', of: ({ value }) => value },
          { title: 'source', of: ({ source }) => source },
          { title: 'trust', of: ({ trust }) => trust },
        ],
        name: ({ name }) => name,
        none: 'Nothing detected: this is neither a CI job nor a git checkout, and no settings are given.',
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
      ? 'Not running in a known CI system'
      : `Running in ${ci.providerName}; identity token: ${identityText(ci)}`,
    ...(ci.dirty ? ['The checkout has uncommitted changes'] : []),
    ...(missing.length > 0 ? [`Unknown: ${missing.join(', ')}`] : []),
  ];
}

function explanationOf(places: ReturnType<typeof placesOf>, notes: readonly string[]): string[] {
  return [
    '',
    'Places checked, in order of precedence:',
    ...places.map(({ setting, place, state }) => `  ${setting.padEnd(6)} ${state.padEnd(12)} ${oneLine(place)}`),
    '',
    notes.length > 0 ? 'Ignored or decided:' : 'Nothing was ignored.',
    ...notes.map((note) => `  ${oneLine(note)}`),
  ];
}
