/** All times of the API are in seconds since 1970. */

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });

/** Such as `3 hours ago`, `in 2 days`. */
export function ago(seconds: number, now: number): string {
  const difference = seconds - now;
  for (const [unit, length] of UNITS)
    if (Math.abs(difference) >= length) return relative.format(Math.trunc(difference / length), unit);
  return difference > 5 ? 'in a moment' : 'just now';
}

const SHORT: readonly [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** Such as `38 min`, `3 d 4 h`: the two largest parts. */
export function duration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, length] of SHORT) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

export type Zone = 'local' | 'utc';

/** Created once: creating one takes a hundred times as long as using it, and a picture may have thousands of times. */
export function formatsOf(options: Intl.DateTimeFormatOptions): Record<Zone, Intl.DateTimeFormat> {
  return {
    local: new Intl.DateTimeFormat('en-GB', options),
    utc: new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }),
  };
}

const TO_THE_MINUTE = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
const MINUTE = formatsOf(TO_THE_MINUTE);
const EXACT = formatsOf({ ...TO_THE_MINUTE, second: '2-digit' });
const SHORT_TIME = formatsOf({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const DAY = formatsOf({ day: 'numeric', month: 'short' });
const ZONE_NAME = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

/** To the second, for a tooltip. */
export function absolute(seconds: number, zone: Zone): string {
  return inZone(EXACT, seconds, zone);
}

/** To the minute, as pages show it. */
export function toTheMinute(seconds: number, zone: Zone): string {
  return inZone(MINUTE, seconds, zone);
}

function inZone(formats: Record<Zone, Intl.DateTimeFormat>, seconds: number, zone: Zone): string {
  const at = new Date(seconds * 1000);
  return `${formats[zone].format(at)} ${zone === 'utc' ? 'UTC' : zoneName(at)}`;
}

function zoneName(at: Date): string {
  const parts = ZONE_NAME.formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Without year and seconds, for places with many of them side by side. */
export function shortTime(seconds: number, zone: Zone): string {
  return SHORT_TIME[zone].format(new Date(seconds * 1000));
}

export function dayOf(seconds: number, zone: Zone): string {
  return DAY[zone].format(new Date(seconds * 1000));
}
