import { type Html, html } from '../../../platform/http/html.ts';
import type { StateSpan } from '../../environment-history/timelines/spans.reads.ts';
import { time } from '../kit/cells.ts';
import type { Period } from './period.ts';

const WIDTH = 1_000;
const MAX_SPANS = 1_000;

/** Draws the period from left to right, with attributes alone: the policy of the page allows no style attributes. */
export function statusStrip(spans: readonly StateSpan<string>[], { from, to }: Period): Html {
  if (spans.length > MAX_SPANS) return html`<p class="quiet">Not drawn: the verdict changed ${spans.length} times.</p>`;
  const length = to.getTime() - from.getTime();
  const place = (at: number) => Math.round((100 * WIDTH * (at - from.getTime())) / length) / 100;
  return html`<svg class="strip" viewBox="0 0 ${WIDTH} 24" preserveAspectRatio="none" role="img" aria-label="Verdict over the period; the table below has the totals">
${spans.map((span) => {
  // Short spans stay visible.
  const least = span.state === 'non-compliant' ? 2 : 0;
  const width = Math.max(least, place(span.until) - place(span.from));
  return html`<rect class="is-${span.state}" x="${Math.min(place(span.from), WIDTH - width)}" y="0" width="${width}" height="24"/>\n`;
})}</svg>
<div class="ends">${time(from)}${time(to)}</div>`;
}
