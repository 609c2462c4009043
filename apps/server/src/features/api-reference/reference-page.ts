import { type Html, html, trusted } from '../../platform/http/html.ts';
import { topicSection, topicsOf } from './introduction.ts';
import { type ApiDocument, type Operation, operationsOf } from './openapi-document.ts';
import { methodBadge, operationArticle } from './operation-view.ts';
import { STYLE } from './reference-style.ts';
import { schemasSection } from './schema-view.ts';

interface Group {
  readonly tag: string;
  readonly operations: readonly Operation[];
}

/** The whole reference as one page that needs no script and loads nothing. */
export function referencePage(emitted: Record<string, unknown>): string {
  // The emitter returns plain JSON; these are the parts of OpenAPI that it always writes.
  const document = emitted as unknown as ApiDocument;
  const groups = document.tags.map(({ name }) => ({ tag: name, operations: operationsOf(document, name) }));
  const { title, version, description } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${version}</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header id="top">
<h1>${title} <span class="version">${version}</span></h1>
<p class="lead">${description}</p>
<p class="base"><span>Base URL</span> <code>${document.servers[0].url}</code></p>
</header>
${navigation(document, groups)}
<main id="content">
${topicsOf(document).map(topicSection)}
${groups.map((group) => groupSection(document, group))}
${schemasSection(document.components.schemas)}
</main>
</body>
</html>
`.markup;
}

function groupSection(document: ApiDocument, { tag, operations }: Group): Html {
  return html`<section class="group" id="${tagId(tag)}">
<h2>${tag}</h2>
${operations.map((operation) => operationArticle(document, operation))}
</section>
`;
}

function navigation(document: ApiDocument, groups: readonly Group[]): Html {
  return html`<nav aria-label="Contents">
<p class="brand"><a href="#top">Waymark</a></p>
${navigationList(
  'Basics',
  'content',
  topicsOf(document).map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`),
)}
${groups.map(({ tag, operations }) =>
  navigationList(
    tag,
    tagId(tag),
    operations.map(
      ({ operationId, method, summary }) =>
        html`<li><a href="#${operationId}">${methodBadge(method)} <span>${summary}</span></a></li>`,
    ),
  ),
)}
${navigationList(
  'Schemas',
  'schemas',
  Object.keys(document.components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`),
)}
</nav>`;
}

function navigationList(title: string, id: string, items: readonly Html[]): Html {
  return html`<h2><a href="#${id}">${title}</a></h2>
<ul>${items}</ul>
`;
}

function tagId(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;
}
