import { type Html, html } from '../../../platform/http/html.ts';
import type { Page } from '../../../platform/http/page.ts';
import type { NamedSubscription } from './mail-refusal.service.ts';

export function askPage(subscription: NamedSubscription, address: string, token: string): Page {
  const isNotification = subscription.source_name !== null;
  return {
    title: 'Stop these mails?',
    body: html`
<p>${sourceOf(subscription)} sends ${isNotification ? 'mail' : 'warnings about API keys'} to <strong><bdi>${address}</bdi></strong>.</p>
<form method="post" action="/unsubscribe/${token}">
<button>${isNotification ? 'Stop mails of this notification' : 'Stop these warnings'}</button>
</form>
${orgForm(subscription, token)}
<p class="after quiet">Warnings about your own API keys go on.</p>`,
  };
}

const NOTIFIED =
  'It stays so, also when somebody puts the address on this notification again, or on a new one of its name. If you want ' +
  'these mails back, ask in your org for a notification of another name with your address.';
const CONFIGURED =
  'It stays so, also when somebody configures the address again. If you want these warnings back, ask in your org for ' +
  'another address of yours.';

/** The page after one notification was refused. It offers to refuse the whole org as well. */
export function refusedPage(subscription: NamedSubscription, address: string, token: string): Page {
  return {
    title: 'These mails have stopped',
    body: html`
<p class="note" role="status">${sourceOf(subscription)} sends no more ${subscription.source_name === null ? 'warnings about API keys' : 'mail'} to <strong><bdi>${address}</bdi></strong>.</p>
<p class="quiet">${subscription.source_name === null ? CONFIGURED : NOTIFIED}</p>
${orgForm(subscription, token)}`,
  };
}

export function orgRefusedPage({ org_name }: NamedSubscription, address: string): Page {
  return {
    title: 'All these mails have stopped',
    body: html`
<p class="note" role="status">No notification of <strong><bdi>${org_name}</bdi></strong> sends mail to <strong><bdi>${address}</bdi></strong>.</p>
<p class="quiet">It stays so, also for notifications that the org makes later. Warnings about your own API keys go on.</p>`,
  };
}

export function unknownPage(): Page {
  return {
    title: 'This link does not work',
    status: 404,
    body: html`
<p class="note bad" role="alert">It belongs to no mail that is still sent, or not all of it was copied.</p>
<p>Open it from the mail again. If that does not help, and mails go on, ask an admin of the org that the mail names to take your address off.</p>`,
  };
}

function orgForm({ org_name }: NamedSubscription, token: string): Html {
  return html`<form method="post" action="/unsubscribe/${token}">
<button class="second" name="stop" value="org">Stop all notification mails of <bdi>${org_name}</bdi></button>
</form>`;
}

function sourceOf({ org_name, source_name }: NamedSubscription): Html {
  if (source_name === null) return html`The org <strong><bdi>${org_name}</bdi></strong>`;
  return html`The notification <strong><bdi>${source_name}</bdi></strong> of <strong><bdi>${org_name}</bdi></strong>`;
}
