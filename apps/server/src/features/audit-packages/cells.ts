import { type Html, html, type Part } from '../../platform/http/html.ts';
import { isLate } from '../receipts/receipt.service.ts';
import { utcSeconds } from './utc-seconds.ts';

/** Parts that cells of several tables are made of. Addresses that were sent are text and never links. */

/** Text of others, whose direction must not turn around what stands beside it. */
export function text(value: string | null): Part {
  return value ? html`<bdi>${value}</bdi>` : '';
}

export function digest(value: string | null): Part {
  return value ? html`<code class="digest">${value}</code>` : '';
}

export function quiet(value: Part): Html {
  return html`<span class="quiet">${value}</span>`;
}

export function lines(...parts: readonly Part[]): Part {
  return parts
    .filter((part) => part !== '' && part !== undefined && part !== false)
    .map((part) => html`<div>${part}</div>`);
}

export function time(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${utcSeconds(at)}</time>`;
}

/** When the server got it and, if that was long after, when whoever sent it says that it happened. */
export function received(row: { created_at: Date; claimed_at: Date | null; created_by: string }): Part {
  const { created_at: at, claimed_at: claimed } = row;
  return lines(
    time(at),
    claimed !== null && isLate(at, claimed) && html`<span class="open">late</span>, claimed for ${time(claimed)}`,
    html`${quiet('by')} ${text(row.created_by)}`,
  );
}

/** The last digits of an id are the ones that differ. */
export function recordLink(kind: 'artifact' | 'attestation', id: string): Html {
  return html`<a href="records/${kind}s/${id}.json"><code>${id.slice(-12)}</code></a>`;
}
