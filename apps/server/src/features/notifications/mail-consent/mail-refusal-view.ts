import { type Html, html } from '../../../platform/http/html.ts';
import type { Page } from '../../../platform/http/page.ts';
import type { NamedSubscription } from './mail-refusal.service.ts';

export function askPage(subscription: NamedSubscription, address: string, token: string): Page {
  const isNotification = subscription.source_name !== null;
  return {
    title: 'Unsubscribe from these emails',
    body: html`
<p>${sourceOf(subscription)} sends ${isNotification ? 'email' : 'warnings about API keys'} to <strong><bdi>${address}</bdi></strong>.</p>
<form method="post" action="/unsubscribe/${token}">
<button>${isNotification ? 'Stop emails of this notification' : 'Stop these warnings'}</button>
</form>
${orgForm(subscription, token)}
<p class="after quiet">You still receive warnings about your own API keys.</p>`,
  };
}

const NOTIFIED =
  'This stays in effect even if your address is added to this notification again, or to a new one with the same ' +
  'name. To receive these emails again, ask your org to add your address to a notification with another name.';
const CONFIGURED =
  'This stays in effect even if your address is configured again. To receive these warnings again, ask your org ' +
  'to use another address of yours.';

/** The page after one notification was refused. It offers to refuse the whole org as well. */
export function refusedPage(subscription: NamedSubscription, address: string, token: string): Page {
  return {
    title: 'You are unsubscribed from these emails',
    body: html`
<p class="note" role="status">${sourceOf(subscription)} sends no more ${subscription.source_name === null ? 'warnings about API keys' : 'emails'} to <strong><bdi>${address}</bdi></strong>.</p>
<p class="quiet">${subscription.source_name === null ? CONFIGURED : NOTIFIED}</p>
${orgForm(subscription, token)}`,
  };
}

export function orgRefusedPage({ org_name }: NamedSubscription, address: string): Page {
  return {
    title: 'You are unsubscribed from all notification emails',
    body: html`
<p class="note" role="status">No notification of <strong><bdi>${org_name}</bdi></strong> sends email to <strong><bdi>${address}</bdi></strong>.</p>
<p class="quiet">This also applies to notifications that the org creates later. You still receive warnings about your own API keys.</p>`,
  };
}

export function unknownPage(): Page {
  return {
    title: 'This link is not valid',
    status: 404,
    body: html`
<p class="note bad" role="alert">It does not belong to a current subscription, or it was not copied completely.</p>
<p>Open it from the email again. If that does not help and you still receive emails, ask an admin of the org named in the email to remove your address.</p>`,
  };
}

function orgForm({ org_name }: NamedSubscription, token: string): Html {
  return html`<form method="post" action="/unsubscribe/${token}">
<button class="second" name="stop" value="org">Stop all notification emails of <bdi>${org_name}</bdi></button>
</form>`;
}

function sourceOf({ org_name, source_name }: NamedSubscription): Html {
  if (source_name === null) return html`The org <strong><bdi>${org_name}</bdi></strong>`;
  return html`The notification <strong><bdi>${source_name}</bdi></strong> of <strong><bdi>${org_name}</bdi></strong>`;
}
