import { Option } from '@commander-js/extra-typings';
import { comingMoment } from '../../resources/options.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';

export const saOption = () => new Option('--sa <name>', 'service account that owns the key (default: you)');
export const expiresOption = () =>
  new Option('--expires <time>', 'a duration such as 90d, a date such as 2027-01-31, or never');

/** What the API takes: 0 for never. */
export function expiryOf(session: Session, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text === 'never' ? 0 : Math.floor(comingMoment(session, '--expires', text));
}

export function endText(session: Session, expiresAt: number): string {
  return expiresAt === 0 ? 'never' : showTime(expiresAt, session);
}

/** The note for a key that expires earlier than requested. */
export const limitedText = 'It expires with the key that you use: a key grants nothing beyond its own expiry';

export function ownerText(sa: string | undefined): string {
  return sa === undefined ? '' : ` of service account '${sa}'`;
}
