import type { Session } from './session.ts';

/**
 * A time of the API for people, to the minute, in the zone of the machine unless --utc is given. CSV is read by
 * spreadsheets, often elsewhere and much later: there it has seconds and its zone.
 */
export function showTime(seconds: number | null | undefined, { settings }: Pick<Session, 'settings'>): string {
  if (seconds === null || seconds === undefined) return '';
  const date = new Date(seconds * 1000);
  if (settings.output === 'csv') return date.toISOString().replace(/\.\d+Z$/, 'Z');
  const shift = settings.utc ? 0 : date.getTimezoneOffset() * 60_000;
  return new Date(date.getTime() - shift).toISOString().slice(0, 16).replace('T', ' ');
}
