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
deep; operations that accept a file also accept <code>multipart/form-data</code>, with the JSON text as
one part and the file as the other. Times are in seconds since 1970-01-01
UTC.</p>
<p>Machine-readable version: <a href="${url}/openapi.json">the OpenAPI 3.1 document</a>.</p>`,
      samples: sample('A first request', `curl '${url}/openapi.json'`),
    },
    {
      id: 'authentication',
      title: 'Authentication',
      text: html`<p>Send an API key as a bearer token with every request. A key belongs to a person or a service account and
has the role of its owner in the org of the path: ${joined(
        roles.map((role) => html`<b>${role}</b>`),
        ', ',
      )}. Each role includes the permissions of the previous ones. Every operation lists the role it requires.</p>
<p>A missing, mistyped, expired, or revoked key answers 401. An org you are not a member of answers 403, and so
does an org that does not exist.</p>`,
      samples: sample('Sending the key', KEY_USE),
    },
    {
      id: 'errors',
      title: 'Errors',
      text: html`<p>Every error is JSON with a <code>message</code> for people. A 400 also has <code>errors</code>: the problem
of each field, by its dotted path, or null if no field is at fault. Fields of the query
string are named like <code>query.page</code>.</p>
<p>429 and 503 carry <code>Retry-After</code>, in seconds. A 500 is an internal error and contains the request id to report.</p>`,
      samples: sample('Two errors', PROBLEMS),
    },
    {
      id: 'paging',
      title: 'Paging',
      text: html`<p>Lists that can grow long take <code>page</code> and <code>per_page</code>. With either of them, the response is
one page in an envelope. Without them, it is a plain array of at most ${ARRAY_MAX.toLocaleString('en')} items; if there
are more, a <code>Link</code> header with <code>rel="next"</code> points to the rest. Follow it unchanged.</p>`,
      samples: sample('One page', PAGE),
    },
    {
      id: 'rate-limits',
      title: 'Rate limits',
      text: html`<p>Each key has a request budget that refills steadily; requests without a valid key share one per IP
address. <code>RateLimit-Limit</code> is the size of the budget, <code>RateLimit-Remaining</code> the remaining requests,
<code>RateLimit-Reset</code> the seconds until it is full again. When the budget is exhausted, the response is 429: wait for
<code>Retry-After</code> seconds.</p>`,
      samples: sample('Budget exhausted', LIMITS),
    },
    {
      id: 'repeating-requests',
      title: 'Retries and idempotency',
      text: html`<p>PUT requests are idempotent. To retry a POST safely, send an <code>Idempotency-Key</code> header of 1 to
255 visible ASCII characters, unique for each operation. For 24 hours, the same request with the same key returns the
first response without being executed again. The same key with another request answers 400; while the first is still
in progress, 503. A failed request changes nothing and can be retried with the same key.</p>`,
      samples: sample('Header', 'Idempotency-Key: 0198c5a2-release-41'),
    },
    {
      id: 'request-ids',
      title: 'Request ids',
      text: html`<p>Every response has an <code>X-Request-Id</code>; include it when you ask for help. Send your own to trace a request
through your systems: 1 to 128 letters, digits, and <code>. _ : -</code>. Any other value is replaced.</p>`,
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
