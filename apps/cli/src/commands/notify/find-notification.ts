import { type Action, getAction, listActions } from '@waymark/contract';
import { CliError, usageError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';

/** By number or by name. */
export async function findNotification(session: Session, asked: string): Promise<Action> {
  const org = session.need('org');
  const { signal } = session.io;
  if (/^[1-9]\d{0,9}$/.test(asked)) {
    return session.client().call(getAction, { params: { org, number: asked }, signal });
  }
  const all = await session.client().call(listActions, { params: { org }, signal });
  const [found, other] = all.filter(({ name }) => name === asked);
  if (!found) {
    throw new CliError('notFound', `Notification '${asked}' does not exist`, {
      fix: "Run 'waymark notify list' to list existing ones",
    });
  }
  if (!other) return found;
  throw usageError(`Two notifications are named '${asked}'`, `Use the number: ${found.number} or ${other.number}`);
}
