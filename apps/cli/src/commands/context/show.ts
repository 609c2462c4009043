import { requireContext } from '../../auth/contexts.ts';
import { factsText } from '../../resources/show.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { readUserFile } from '../../run/config-files.ts';

export const command = defineCommand({
  examples: [
    { say: 'The one in use', run: 'waymark context show' },
    { say: 'Another one', run: 'waymark context show work' },
  ],
  build: (command) => command.argument('[name]', 'name of the context; the one in use unless given'),
  async run({ io, settings }, [asked]) {
    const name = asked ?? settings.context ?? readUserFile(io).current;
    if (name === undefined) {
      throw new CliError('notFound', 'No context is in use', {
        fix: "'waymark context use NAME' chooses one, 'waymark auth login --host URL' makes one",
      });
    }
    const { host, org, flow } = requireContext(io, name);
    return {
      data: { name, host: host ?? null, org: org ?? null, flow: flow ?? null },
      text: (style) =>
        factsText(style.strong(name), [
          ['host', host],
          ['org', org],
          ['flow', flow],
        ]),
    };
  },
});
