import { getControl } from '@waymark/contract';
import { factsText, tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description: "Shows the definition of the control. 'control decisions' and 'control coverage' show how it is met.",
  examples: [{ say: 'One control', run: 'waymark control get SDLC-7' }],
  build: (command) => command.argument('<identifier>', 'identifier of the control'),
  async run(session, [identifier]) {
    const org = session.need('org');
    const control = await session.client().call(getControl, { params: { org, identifier }, signal: session.io.signal });
    return {
      data: control,
      text: (style) =>
        factsText(
          `${style.strong(control.identifier)} ${oneLine(control.name)}${control.archived ? ' (archived)' : ''}`,
          [
            ['description', control.description],
            ['policies', control.policies_referencing.join(', ') || 'none requires it'],
            ...Object.entries(control.links).map(([label, url]): [string, string] => [oneLine(label), url]),
            ['tags', tagsText(control.tags)],
            ['version', control.version],
            ['created', `${showTime(control.created_at, session)} by ${control.created_by}`],
          ],
        ),
      page: session.pageOf(org, 'controls', control.identifier),
    };
  },
});
