import { collect, given, readPairs } from '../../resources/options.ts';
import { sendControl } from '../../resources/put-control.ts';
import { inWords, noteDryRun } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'When there is a control of that identifier, what is given is changed and the rest stays. Doing it twice changes ' +
    'nothing. An identifier is taken for ever.',
  examples: [
    { say: 'A control', run: "waymark control create SDLC-7 --name 'Independent review'" },
    {
      say: 'With a link to what explains it',
      run: "waymark control create SDLC-7 --name 'Independent review' --link runbook=https://example.com/sdlc-7",
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<identifier>', 'identifier of the control')
      .requiredOption('--name <text>', 'what people call it')
      .option('--description <text>', 'what it asks for')
      .option('--link <label=url>', 'where more is said; can be repeated', collect),
  async run(session, [identifier], { name, description, link }) {
    const change = { name, ...given({ description, links: link && readPairs('--link', link) }) };
    const { put, control } = await sendControl(session, identifier, change, session.settings.dryRun === true);
    noteDryRun(session);
    return {
      data: control,
      text: inWords(session, `Control '${identifier}' ${put}`),
      page: session.pageOf(session.need('org'), 'controls', identifier),
    };
  },
});
