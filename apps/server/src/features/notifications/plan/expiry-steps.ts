import { API_KEY_EXPIRY_STEPS } from '@waymark/contract';

/** Always 24 hours: a calendar day follows the clock changes of a time zone. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** An expiry is still reported this many days late. */
const LATE_DAYS = 7;

/** The latest step that has come, in days before the expiry, for keys that expire after `from` and by `until`. */
export interface StepWindow {
  readonly step: number;
  readonly from: Date;
  readonly until: Date;
}

/** With `since`, only for keys whose step came after that. */
export function stepWindows(now: Date, since: Date | undefined): StepWindow[] {
  const ends = [...API_KEY_EXPIRY_STEPS.slice(1), -LATE_DAYS];
  return API_KEY_EXPIRY_STEPS.map((step, i) => {
    const from = after(now, ends[i] ?? 0);
    const fresh = since && after(since, step);
    return { step, from: fresh && fresh > from ? fresh : from, until: after(now, step) };
  });
}

/** This step and earlier ones that came after the key was created. */
export function stepsUntil(key: { readonly created_at: Date; readonly expires_at: Date }, step: number): number[] {
  return API_KEY_EXPIRY_STEPS.filter((days) => days >= step && after(key.expires_at, -days) > key.created_at);
}

/** May differ from the step when its message is late; 0 after the expiry. */
export function daysLeft(expiresAt: Date, now: Date): number {
  return Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / DAY_MS));
}

function after(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}
