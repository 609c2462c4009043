import { requireContext } from '../../auth/contexts.ts';
import { factsText } from '../../resources/show.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { readUserFile } from '../../run/config-files.ts';

export const command = defineCommand({
  examples: [
    { say: 'The current context', run: 'waymark context show' },
    { say: 'A context by name', run: 'waymark context show work' },
  ],
  build: (command) => command.argument('[name]', 'name of the context (default: the current one)'),
  async run({ io, settings }, [asked]) {
    const name = asked ?? settings.context ?? readUserFile(io).current;
    if (name === undefined) {
      throw new CliError('notFound', 'No context is in use', {
        fix: "Choose one with 'waymark context use NAME', or create one with 'waymark auth login --host URL'",
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
