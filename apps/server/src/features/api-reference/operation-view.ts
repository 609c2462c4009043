import { breakable, type Html, html, prose } from '../../platform/http/html.ts';
import { curlExamples } from './curl-example.ts';
import {
  type ApiDocument,
  type OpenApiSchema,
  type Operation,
  type Parameter,
  type Response,
  refName,
  resolve,
} from './openapi-document.ts';
import { FIELD_HEAD, fieldRow, schemaFields } from './schema-view.ts';
import { schemaLink, wordsFor } from './schema-words.ts';

export function operationArticle(document: ApiDocument, operation: Operation): Html {
  const { operationId, method, path, summary, description } = operation;
  return html`<article class="split" id="${operationId}">
<div class="text">
<h3><a class="heading" href="#${operationId}">${summary}</a></h3>
<p class="endpoint">${methodBadge(method)} <code>${breakable(path, /(?<=[/])/)}</code></p>
${description !== undefined && html`<p>${prose(description)}</p>`}
<p class="access">${access(operation)}</p>
${operation.parameters.length > 0 && parametersTable(operation.parameters)}
${requestBody(document, operation)}
${responsesTable(operation)}
</div>
<div class="sample">
${curlExamples(document, operation).map(({ title, command }) => sample(title, command))}
</div>
</article>
`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

export function sample(title: string, text: string): Html {
  return html`<figure><figcaption>${title}</figcaption><pre><code>${text}</code></pre></figure>
`;
}

function access({ security, 'x-least-role': role, 'x-beta': beta }: Operation): Html {
  if (security.length === 0) return html`No credential needed.`;
  const basic =
    security.some((scheme) => 'basic' in scheme) && ' HTTP Basic is accepted, with the key as the user name.';
  return html`Required role: <b>${role}</b>.${basic}${beta !== undefined && ' Beta: subject to change.'}`;
}

function parametersTable(parameters: readonly Parameter[]): Html {
  return html`<h4>Parameters</h4>
<table class="fields">
${FIELD_HEAD}
<tbody>
${parameters.map((parameter) => fieldRow({ ...parameter, place: parameter.in }))}
</tbody>
</table>`;
}

function requestBody(document: ApiDocument, { requestBody }: Operation): Html {
  const forms = Object.entries(requestBody?.content ?? {});
  return html`${forms.map(([type, { schema }]) => bodyForm(type, schema, document))}`;
}

function bodyForm(type: string, schema: OpenApiSchema, document: ApiDocument): Html {
  const target = resolve(schema, document.components.schemas);
  const name = schema.$ref !== undefined && html`, ${schemaLink(refName(schema.$ref))}`;
  return html`<h4>Body <span class="media">${type}${name}</span></h4>
${target.description !== undefined && html`<p>${prose(target.description)}</p>`}
${schemaFields(target)}`;
}

function responsesTable({ responses }: Operation): Html {
  return html`<h4>Responses</h4>
<table class="responses">
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Content</th></tr></thead>
<tbody>
${Object.entries(responses).map(
  ([status, response]) => html`<tr><th scope="row"><code>${status}</code></th>
<td>${prose(response.description)}</td><td>${responseContents(response)}${responseHeaders(response)}</td></tr>
`,
)}
</tbody>
</table>`;
}

function responseContents({ content = {} }: Response): Html {
  return html`${Object.entries(content).map((one, i) => html`${i > 0 && ' or '}${responseContent(one)}`)}`;
}

function responseContent([type, { schema }]: [string, { schema: OpenApiSchema }]): Html {
  return html`${wordsFor(schema)}${type !== 'application/json' && html` <span class="media">${type}</span>`}`;
}

function responseHeaders({ headers = {} }: Response): Html {
  return html`${Object.entries(headers).map(
    ([name, { description }]) => html`<p>Header <code>${name}</code>: ${prose(description)}</p>`,
  )}`;
}
