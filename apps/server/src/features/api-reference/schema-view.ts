import { breakable, type Html, html, prose } from '../../platform/http/html.ts';
import { alternatives, type OpenApiSchema, type Schemas } from './openapi-document.ts';
import { descriptionOf, wordsFor } from './schema-words.ts';

interface Field {
  readonly name: string;
  readonly place?: string;
  readonly schema: OpenApiSchema;
  readonly required: boolean;
  readonly description?: string | undefined;
}

export function schemasSection(schemas: Schemas): Html {
  return html`<section class="group" id="schemas">
<h2>Schemas</h2>
${Object.entries(schemas).map(([name, schema]) => schemaArticle(name, schema))}
</section>`;
}

function schemaArticle(name: string, schema: OpenApiSchema): Html {
  return html`<article id="schema-${name}">
<h3><a class="heading" href="#schema-${name}">${name}</a></h3>
${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
${schemaFields(schema)}
</article>`;
}

/** The fields of an object, nested ones as `outer.inner`; any other schema in words. */
export function schemaFields(schema: OpenApiSchema): Html {
  const fields = fieldsOf(schema, '');
  if (fields.length === 0) return html`<p>${wordsFor(schema)}</p>`;
  return html`<table class="fields">
${FIELD_HEAD}
<tbody>
${fields.map(fieldRow)}
</tbody>
</table>
${schema.additionalProperties === false && html`<p class="note">Other fields are rejected.</p>`}`;
}

export const FIELD_HEAD = html`<thead><tr><th scope="col">Name</th><th scope="col">Content</th></tr></thead>`;

export function fieldRow({ name, place, schema, required, description = descriptionOf(schema) }: Field): Html {
  return html`<tr><th scope="row"><code>${breakable(name, /(?<=[._])/)}</code>
<span class="${required ? 'required' : 'optional'}">${place && `${place}, `}${required ? 'required' : 'optional'}</span></th>
<td>${wordsFor(schema)}${description !== undefined && html`<p>${prose(description)}</p>`}</td></tr>
`;
}

function fieldsOf(schema: OpenApiSchema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix + key;
    return [{ name, schema: property, required: schema.required?.includes(key) ?? false }, ...inner(property, name)];
  });
}

/** The nested fields of a field, unless it is a named schema with its own entry. */
function inner(schema: OpenApiSchema, name: string): Field[] {
  const { items, additionalProperties } = schema;
  return [
    ...fieldsOf(schema, `${name}.`),
    ...(items ? inner(items, `${name}[]`) : []),
    ...(typeof additionalProperties === 'object' ? inner(additionalProperties, `${name}.*`) : []),
    ...alternatives(schema).flatMap((option) => inner(option, name)),
  ];
}
