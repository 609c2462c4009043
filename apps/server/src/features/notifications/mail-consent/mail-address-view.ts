import { html } from '../../../platform/http/html.ts';
import type { Page } from '../../../platform/http/page.ts';
import type { AskedAddress } from './mail-address.service.ts';

export function answerPage(asked: AskedAddress, token: string): Page {
  if (asked.confirmed_at) return confirmedPage(asked, token);
  if (asked.declined_at) return declinedPage(asked, token);
  return {
    title: 'Confirm email notifications',
    body: html`
<p>The org <strong><bdi>${asked.org_name}</bdi></strong> wants to send notifications to <strong><bdi>${asked.address}</bdi></strong>.</p>
${form(token, 'confirmed', 'Confirm address')}
${form(token, 'declined', 'Decline')}
<p class="after quiet">You can unsubscribe with the link in every notification.</p>`,
  };
}

function confirmedPage(asked: AskedAddress, token: string): Page {
  return {
    title: 'Address confirmed',
    body: html`
<p class="note" role="status">Notifications from <strong><bdi>${asked.org_name}</bdi></strong> are sent to <strong><bdi>${asked.address}</bdi></strong>.</p>
${form(token, 'declined', 'Stop notifications')}`,
  };
}

function declinedPage(asked: AskedAddress, token: string): Page {
  return {
    title: 'Notifications declined',
    body: html`
<p class="note" role="status">No notifications from <strong><bdi>${asked.org_name}</bdi></strong> are sent to <strong><bdi>${asked.address}</bdi></strong>, and Waymark does not ask you again.</p>
${form(token, 'confirmed', 'Confirm address anyway')}`,
  };
}

export function unknownPage(): Page {
  return {
    title: 'This link is not valid',
    status: 404,
    body: html`
<p class="note bad" role="alert">It does not belong to a confirmation request, or it was not copied completely.</p>
<p>Open it from the email again, or ask an admin of the org to save the notification again tomorrow.</p>`,
  };
}

function form(token: string, answer: string, label: string) {
  return html`<form method="post" action="/confirm-address/${token}">
<button${answer === 'declined' ? html` class="second"` : ''} name="answer" value="${answer}">${label}</button>
</form>`;
}
