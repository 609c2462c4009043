import { defineCommand } from '../../run/command.ts';
import { configDirectory } from '../../run/config-files.ts';
import { rowsOf } from '../../run/outcome.ts';
import { longFlag } from '../../run/resolve-settings.ts';
import type { Session } from '../../run/session.ts';
import { type AnySettingName, commandSettings, globalSettings, settingOf } from '../../run/settings.ts';

interface Shown {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly flag: string;
  readonly variable: string;
}

const HIDDEN = '(hidden)';
const SECRETS: readonly AnySettingName[] = ['token'];
/** Settings of a single command line don't apply to the next one. */
const PASSING: readonly AnySettingName[] = ['json', 'jq', 'web', 'yes'];

export const command = defineCommand({
  description:
    'Flags take precedence over variables, then .waymark.yml, then your context, then the CI system. Keys are not ' +
    'shown.',
  examples: [
    { say: 'The effective settings', run: 'waymark config' },
    { say: 'The org, for a script', run: 'waymark config --jq \'.settings[] | select(.name == "org").value\'' },
  ],
  settings: ['flow', 'trail', 'dryRun', 'onUnavailable', 'strict'],
  build: (command) => command,
  async run(session) {
    const settings = shownSettings(session);
    return {
      data: {
        settings,
        project_file: session.project?.path ?? null,
        user_directory: configDirectory(session.io),
        spool_directory: session.spoolDirectory,
      },
      rows: rowsOf({
        items: settings,
        columns: [
          { title: 'setting', of: ({ name }) => name },
          { title: 'value', of: ({ value }) => value },
          { title: 'source', of: ({ source }) => source },
          { title: 'flag', of: ({ flag }) => flag, wide: true },
          { title: 'variable', of: ({ variable }) => variable, wide: true },
        ],
        name: ({ name }) => name,
        none: '',
      }),
      text: [
        '',
        `project file  ${session.project?.path ?? "none; create one with 'waymark init'"}`,
        `config files  ${configDirectory(session.io)}`,
        `spool         ${session.spoolDirectory}`,
      ].join('\n'),
    };
  },
});

function shownSettings(session: Session): Shown[] {
  const names = [...Object.keys(globalSettings), ...Object.keys(commandSettings)] as AnySettingName[];
  return names
    .filter((name) => !PASSING.includes(name))
    .flatMap((name) => {
      const value = session.settings[name];
      const source = session.sources[name];
      if (value === undefined || source === undefined) return [];
      const flag = longFlag(name);
      return [
        {
          name: flag.replace(/^--(no-)?/, ''),
          value: shownValue(name, value),
          source,
          flag,
          variable: settingOf(name).env ?? '',
        },
      ];
    });
}

function shownValue(name: AnySettingName, value: unknown): string {
  if (SECRETS.includes(name)) return HIDDEN;
  return name === 'timeout' ? `${Number(value) / 1000}s` : String(value);
}
