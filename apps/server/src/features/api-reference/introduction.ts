import { roles } from '@waymark/contract';
import { ARRAY_MAX } from '../../platform/db/paginate.ts';
import { type Html, html, joined } from '../../platform/http/html.ts';
import type { ApiDocument } from './openapi-document.ts';
import { sample } from './operation-view.ts';

const KEY_USE = `export WAYMARK_KEY=wmk_…
curl -H "Authorization: Bearer $WAYMARK_KEY" …`;

const PROBLEMS = `HTTP/1.1 400 Bad Request

{
  "message": "Missing field 'name'",
  "errors": { "name": "is required" }
}

HTTP/1.1 404 Not Found

{ "message": "Flow 'web' does not exist in this org" }`;

const PAGE = `{
  "data": [ … ],
  "pagination": {
    "total": 41,
    "page": 1,
    "per_page": 20,
    "page_count": 3
  }
}`;

const LIMITS = `HTTP/1.1 429 Too Many Requests
RateLimit-Limit: 5000
RateLimit-Remaining: 0
RateLimit-Reset: 1
Retry-After: 1`;

interface Topic {
  readonly id: string;
  readonly title: string;
  readonly text: Html;
  readonly samples?: Html;
}

/** The rules of every operation. Follows `platform/http`; change them together. */
export function topicsOf(document: ApiDocument): Topic[] {
  const { url } = document.servers[0];
  return [
    {
      id: 'requests',
      title: 'Requests',
      text: html`<p>Paths are relative to the base URL. Bodies are JSON, at most 1 MiB and 32 levels
deep; operations that take a file accept <code>multipart/form-data</code> as well, with the JSON text as
one part and the file as the other. Times are seconds since 1970-01-01
UTC.</p>
<p>This page in a form for machines: <a href="${url}/openapi.json">the OpenAPI 3.1 document</a>.</p>`,
      samples: sample('A first request', `curl '${url}/openapi.json'`),
    },
    {
      id: 'authentication',
      title: 'Authentication',
      text: html`<p>Send an API key as bearer token with every request. A key belongs to a person or to a service account and
acts with the role its owner has in the org of the path: ${joined(
        roles.map((role) => html`<b>${role}</b>`),
        ', ',
      )}. Each role may do all that the ones before it may. Every operation names the least role it needs.</p>
<p>A key that is missing, mistyped, expired or revoked answers 401. An org you are not a member of answers 403, and so
does an org that does not exist.</p>`,
      samples: sample('Sending the key', KEY_USE),
    },
    {
      id: 'errors',
      title: 'Errors',
      text: html`<p>Every failure is JSON with a <code>message</code> for a person. A 400 also has <code>errors</code>: what is
wrong, by dotted path of the field, or null when no field is at fault. Fields of the query
string are named like <code>query.page</code>.</p>
<p>429 and 503 carry <code>Retry-After</code>, in seconds. A 500 is our fault and names the request id to report.</p>`,
      samples: sample('Two failures', PROBLEMS),
    },
    {
      id: 'paging',
      title: 'Paging',
      text: html`<p>Lists that can grow long take <code>page</code> and <code>per_page</code>. With either of them the answer is
one page in an envelope. Without them it is a plain array of at most ${ARRAY_MAX.toLocaleString('en')} items; when there
are more, a <code>Link</code> header with <code>rel="next"</code> leads on. Follow it as it is.</p>`,
      samples: sample('One page', PAGE),
    },
    {
      id: 'rate-limits',
      title: 'Rate limits',
      text: html`<p>Each key has a budget of requests that refills steadily; requests without a valid key share one for each
address. <code>RateLimit-Limit</code> is the size of the budget, <code>RateLimit-Remaining</code> what is left of it,
<code>RateLimit-Reset</code> the seconds until it is full again. When it is used up the answer is 429: wait for as long
as <code>Retry-After</code> says.</p>`,
      samples: sample('Budget used up', LIMITS),
    },
    {
      id: 'repeating-requests',
      title: 'Repeating requests',
      text: html`<p>Repeating a PUT does no harm. To repeat a POST safely, send an <code>Idempotency-Key</code> header of 1 to
255 visible ASCII characters, new for each intent. For 24 hours the same request with the same key is answered as the
first time, without being carried out again. The same key with another request answers 400; while the first is still
running, 503. A request that failed leaves nothing behind and may be repeated with its key.</p>`,
      samples: sample('Header', 'Idempotency-Key: 0198c5a2-release-41'),
    },
    {
      id: 'request-ids',
      title: 'Request ids',
      text: html`<p>Every answer has an <code>X-Request-Id</code>; name it when you ask for help. Send your own to follow a request
through your systems: 1 to 128 letters, digits and <code>. _ : -</code>. Anything else is replaced by one of ours.</p>`,
      samples: sample('Header', 'X-Request-Id: build-1841.upload'),
    },
  ];
}

export function topicSection({ id, title, text, samples }: Topic): Html {
  return html`<section class="split topic" id="${id}">
<div class="text">
<h2><a class="heading" href="#${id}">${title}</a></h2>
${text}
</div>
${samples && html`<div class="sample">${samples}</div>`}
</section>
`;
}
