import { getControl, updateControl } from '@waymark/contract';
import { collect, given, readPairs } from '../../resources/options.ts';
import { contentOf } from '../../resources/put-control.ts';
import { sameJson } from '../../resources/same-json.ts';
import { inWords, noteDryRun, requireChange, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Changes what is given; the rest stays as it is. --link replaces all links that there were.',
  examples: [{ say: 'Another name', run: "waymark control update SDLC-7 --name 'Review by another'" }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<identifier>', 'identifier of the control')
      .option('--name <text>', 'what people call it')
      .option('--description <text>', 'what it asks for')
      .option('--clear-description', 'take the description away')
      .option('--link <label=url>', 'where more is said; can be repeated', collect),
  async run(session, [identifier], { name, description, clearDescription, link }) {
    const params = { org: session.need('org'), identifier };
    const body = given({
      name,
      description: clearDescription ? '' : description,
      links: link && readPairs('--link', link),
    });
    requireChange(body, 'control update');
    const { client, io } = session;
    const before = await client().call(getControl, { params, signal: io.signal });
    const control = await client().call(updateControl, { params, body, ...writing(session) });
    noteDryRun(session);
    const isSame = sameJson(contentOf(before), contentOf(control));
    return { data: control, text: inWords(session, `Control '${identifier}' ${isSame ? 'unchanged' : 'updated'}`) };
  },
});
