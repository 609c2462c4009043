import { isLate } from '../../../platform/evidence-receipt.ts';
import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { lines, quiet, text, time } from '../kit/cells.ts';
import type { Medium } from './medium.ts';

/** When the server received it and, if that was much later, when the sender says it happened. */
export function received(row: { created_at: Date; claimed_at: Date | null; created_by: string }): Part {
  const { created_at: at, claimed_at: claimed } = row;
  return lines(
    time(at),
    claimed !== null && isLate(at, claimed) && html`<span class="open">late</span>, claimed for ${time(claimed)}`,
    html`${quiet('by')} ${text(row.created_by)}`,
  );
}

/** The last digits of an id are the ones that differ. */
export function recordLink(kind: 'artifact' | 'attestation', id: string, medium: Medium = 'package'): Html {
  const label = html`<code>${id.slice(-12)}</code>`;
  return medium === 'report' ? label : html`<a href="records/${kind}s/${id}.json">${label}</a>`;
}
