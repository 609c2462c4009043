import { Argument } from '@commander-js/extra-typings';
import { type NotificationConfig, NotificationType } from '@waymark/contract';
import { factsText } from '../../resources/show.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { healthText, targetText } from './notification-text.ts';

export const typeArgument = () => new Argument('<type>', 'type of notification').choices(NotificationType.options);

export function configOutcome(session: Session, config: NotificationConfig): Outcome {
  const { targets, last_notified_at, last_failure } = config;
  return {
    data: config,
    text: (style) =>
      factsText(style.strong(config.notification_type), [
        ['recipients', targets.length === 0 ? 'by email: owners of keys, creators of service accounts, admins' : null],
        ...targets.map((target) => [`target ${target.id}`, `${targetText(target)}, ${healthText(target)}`] as const),
        ['last notified', showTime(last_notified_at, session)],
        ['last failure', last_failure && `${showTime(last_failure.failed_at, session)}: ${last_failure.error}`],
      ]),
  };
}
