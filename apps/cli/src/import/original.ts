/** When and by whom something was recorded at the source, and under which id. */
export interface Original {
  readonly id: string | null | undefined;
  readonly created_at?: string | number | null | undefined;
  readonly author?: string | null | undefined;
  readonly html_url?: string | null | undefined;
  readonly is_compliant?: boolean | null | undefined;
}

export const IMPORTED_ID = 'imported_id';
const MARKS = ['imported_from', IMPORTED_ID, 'original_time', 'original_author', 'original_verdict'];

/** Returns seconds since 1970. Services write times as numbers, as digits, or as ISO 8601. */
export function secondsOf(moment: string | number | null | undefined): number | undefined {
  if (moment === null || moment === undefined || moment === '') return undefined;
  const seconds = Number.isNaN(Number(moment)) ? Date.parse(String(moment)) / 1000 : Number(moment);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** Annotations for what the API records itself, and so cannot be told: time, id, author and verdict. */
export function marksOf(original: Original, source: { host: string; org: string }): Record<string, string> {
  const { id, author, html_url, is_compliant: isCompliant } = original;
  const seconds = secondsOf(original.created_at);
  return {
    imported_from: html_url || `${source.host}/${source.org}`,
    ...(id && { [IMPORTED_ID]: id }),
    ...(seconds !== undefined && { original_time: new Date(seconds * 1000).toISOString() }),
    ...(author && { original_author: author }),
    ...(typeof isCompliant === 'boolean' && { original_verdict: isCompliant ? 'compliant' : 'non-compliant' }),
  };
}

export function withoutMarks(annotations: Readonly<Record<string, unknown>> | null | undefined): object {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !MARKS.includes(key)));
}

/** The header for the original time. What counts for a verdict is still when Waymark received it. */
export function claimedAt(moment: string | number | null | undefined): { 'waymark-claimed-at'?: string } {
  const seconds = secondsOf(moment);
  return seconds === undefined ? {} : { 'waymark-claimed-at': seconds.toFixed(6) };
}
