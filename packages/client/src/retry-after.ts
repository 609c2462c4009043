/** The seconds that a `Retry-After` asks for, which has them or a date; null without one that can be read. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim();
  if (!text) return null;
  if (/^\d+$/.test(text)) return Number(text);
  // A date alone has letters in it; Date.parse would also take '-1' and '1.5' for one.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
