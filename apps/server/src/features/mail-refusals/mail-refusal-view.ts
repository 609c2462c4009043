import { html } from '../../platform/http/html.ts';
import type { Page } from '../../platform/http/page.ts';
import type { SubscriptionRow } from './mail-refusal.store.ts';

export function askPage(subscription: SubscriptionRow, address: string, token: string): Page {
  return {
    title: 'Stop these mails?',
    body: html`
<p>${sourceOf(subscription)} sends mail to <strong><bdi>${address}</bdi></strong>.</p>
<form method="post" action="/unsubscribe/${token}">
<button>Stop these mails</button>
</form>
<p class="after quiet">Other notifications, and warnings about API keys, go on.</p>`,
  };
}

export function refusedPage(subscription: SubscriptionRow, address: string): Page {
  return {
    title: 'These mails have stopped',
    body: html`
<p class="note" role="status">${sourceOf(subscription)} sends no more mail to <strong><bdi>${address}</bdi></strong>.</p>
<p class="quiet">It stays so, also when somebody puts the address on this notification again. If you want these mails back,
ask in your org for a new notification with your address.</p>`,
  };
}

export function unknownPage(): Page {
  return {
    title: 'This link does not work',
    status: 404,
    body: html`
<p class="note bad" role="alert">It belongs to no mail of this service, or not all of it was copied.</p>
<p>Open it from the mail again. If that does not help, ask an admin of the org that the mail names to take your address off.</p>`,
  };
}

function sourceOf({ org_name, source_name }: SubscriptionRow) {
  if (source_name === null) return html`The org <strong><bdi>${org_name}</bdi></strong>`;
  return html`The notification <strong><bdi>${source_name}</bdi></strong> of <strong><bdi>${org_name}</bdi></strong>`;
}
