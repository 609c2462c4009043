import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { utcSeconds } from './utc-seconds.ts';

/** Parts of documents. Addresses that were sent are shown as text, never as links. */

/** User text, isolated so that its direction does not affect the text beside it. */
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
