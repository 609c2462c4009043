import { type Html, html } from '../../../platform/http/html.ts';

const MARKS: Record<string, readonly [string, string]> = {
  COMPLIANT: ['good', '✓'],
  APPROVED: ['good', '✓'],
  'NON-COMPLIANT': ['bad', '✗'],
  UNAPPROVED: ['bad', '✗'],
};

/** A word, a sign and a color, so that no reader depends on one of them. */
export function verdictMark(status: string): Html {
  const [tone, sign] = MARKS[status] ?? ['open', '○'];
  return html`<span class="verdict ${tone}">${sign} ${status}</span>`;
}

export function complianceMark(isCompliant: boolean): Html {
  return verdictMark(isCompliant ? 'COMPLIANT' : 'NON-COMPLIANT');
}
