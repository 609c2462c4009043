import type { Zone } from '../../lib/time.ts';

const two = (value: number) => String(value).padStart(2, '0');

/** A time as in a browser input, such as `2026-11-15T09:30`, in the zone in which times are shown. */
export function momentText(seconds: number, zone: Zone): string {
  const at = new Date(seconds * 1000);
  if (zone === 'utc') return at.toISOString().slice(0, 16);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The reverse; undefined for anything else. */
export function momentSeconds(text: string, zone: Zone): number | undefined {
  const ms = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}
