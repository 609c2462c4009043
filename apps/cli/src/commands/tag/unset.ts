import { changeTags, taggable } from '../../resources/change-tags.ts';
import { outcomeOf } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Removing a tag that does not exist changes nothing.',
  examples: [{ say: 'Remove a tag', run: 'waymark tag unset env prod team' }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<type>', taggable.join(', '))
      .argument('<name>', 'name of the flow, environment, or repository; identifier of the control')
      .argument('<key...>', 'keys of the tags'),
  async run(session, [type, name, keys]) {
    return outcomeOf(
      session,
      { type, name, removed: keys },
      await changeTags(session, type, name, { remove_tags: keys }),
    );
  },
});
