import { html, trusted } from '../../platform/http/html.ts';
import type { Page, Visit } from '../../platform/http/page.ts';

export interface SetUpFields {
  readonly org: string;
  readonly login: string;
  readonly email: string;
  readonly display_name: string;
}

interface SetUpForm {
  readonly token: string;
  readonly sent: Partial<SetUpFields>;
  /** Errors of the submitted form. */
  readonly problems: Partial<SetUpFields> & { readonly all?: string };
}

const FIELDS = [
  {
    name: 'org',
    label: 'Name of your org',
    hint: 'letters, digits, and . - _ ~',
    attributes: 'required maxlength="64" autocapitalize="none" spellcheck="false"',
  },
  {
    name: 'login',
    label: 'Your login',
    hint: 'also the name of your personal org',
    attributes: 'required maxlength="64" autocomplete="username" autocapitalize="none" spellcheck="false"',
  },
  {
    name: 'email',
    label: 'Your email address',
    hint: 'used to sign in',
    attributes: 'required type="email" maxlength="254" autocomplete="email"',
  },
  { name: 'display_name', label: 'Your name', hint: 'optional', attributes: 'maxlength="255" autocomplete="name"' },
] as const;

export function setUpPage({ csrfField }: Visit, { token, sent, problems }: SetUpForm): Page {
  const isBad = Object.keys(problems).length > 0;
  const focused = FIELDS.find(({ name }) => problems[name] !== undefined)?.name ?? 'org';
  return {
    title: 'Set up Waymark',
    ...(isBad && { status: 400 }),
    body: html`
<p>You become the first user of this installation, and the admin of its first org.</p>
${problems.all !== undefined && html`<p class="note bad" role="alert">${problems.all}</p>`}
<form method="post" action="/set-up">
${csrfField}
<input type="hidden" name="token" value="${token}">
${FIELDS.map(({ name, label, hint, attributes }) => {
  const problem = problems[name];
  return html`<label>${label} <span class="quiet">${hint}</span>
<input name="${name}" value="${sent[name] ?? ''}" ${trusted(attributes)}${name === focused && trusted(' autofocus')}${problem !== undefined && html` aria-invalid="true" aria-describedby="${name}-problem"`}></label>
${problem !== undefined && html`<p class="problem" id="${name}-problem">${label} ${problem}</p>`}`;
})}
<button>Set up</button>
</form>`,
  };
}

export const NO_GOOD: Page = {
  title: 'This link is not valid',
  status: 404,
  body: html`
<p class="note bad" role="alert">The link is unknown, expired, or already used: an installation is set up once.</p>
<p>As long as there are no users, an operator can create a new link with <code>waymark-server set-up</code>.</p>
<p><a class="button" href="/sign-in">Sign in</a></p>`,
};
