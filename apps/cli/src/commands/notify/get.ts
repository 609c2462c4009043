import { factsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import { findNotification } from './find-notification.ts';
import { healthText, targetText, watchedOf } from './notification-text.ts';
import { triggerText } from './triggers.ts';

export const command = defineCommand({
  description: 'Shows the targets with their ids and health.',
  examples: [{ say: 'One notification', run: 'waymark notify get production-alerts' }],
  build: (command) => command.argument('<notification>', 'name or number of the notification'),
  async run(session, [asked]) {
    const found = await findNotification(session, asked);
    return {
      data: found,
      text: (style) =>
        factsText(`${style.strong(found.name)} (number ${found.number})`, [
          [found.type === 'env' ? 'environments' : 'flows', watchedOf(found).join(', ') || 'none: all are archived'],
          ['events', found.triggers.map(triggerText).join(', ')],
          ...found.targets.map(
            (target) => [`target ${target.id}`, `${targetText(target)}, ${healthText(target)}`] as const,
          ),
          ['created', `${showTime(found.created_at, session)} by ${found.created_by}`],
        ]),
    };
  },
});
