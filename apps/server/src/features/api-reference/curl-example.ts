import { exampleOf, placeholder } from './example-value.ts';
import type { ApiDocument, OpenApiSchema, Operation } from './openapi-document.ts';

interface Example {
  readonly title: string;
  readonly command: string;
}

/** One command per form of body that the operation accepts. The key comes from `$WAYMARK_KEY`. */
export function curlExamples(document: ApiDocument, operation: Operation): Example[] {
  const forms = Object.entries(operation.requestBody?.content ?? {});
  if (forms.length === 0) return [{ title: 'curl', command: command(document, operation, []) }];
  return forms.map(([type, { schema }]) => ({
    title: forms.length > 1 ? `curl, ${type}` : 'curl',
    command: command(document, operation, bodyOptions(type, schema, document)),
  }));
}

function command(document: ApiDocument, operation: Operation, body: readonly string[]): string {
  const { method, security, responses, 'x-beta': beta } = operation;
  const streams = Object.values(responses).some(({ content }) => content?.['text/event-stream']);
  return [
    `curl${streams ? ' --no-buffer' : ''}${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $WAYMARK_KEY"'] : []),
    ...(beta === undefined ? [] : [`-H 'Waymark-Beta: ${beta}'`]),
    ...body,
    quoted(url(document, operation)),
  ].join(' \\\n  ');
}

function url(document: ApiDocument, { path, parameters }: Operation): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema ?? {};
    return encodeURIComponent(String(exampleOf(schema, name, document.components.schemas)));
  });
  const search = new URLSearchParams();
  for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'query' && parameter.required)) {
    search.append(name, String(exampleOf(schema, name, document.components.schemas)));
  }
  return document.servers[0].url + filled + (search.size > 0 ? `?${search}` : '');
}

function bodyOptions(type: string, schema: OpenApiSchema, document: ApiDocument): string[] {
  const { schemas } = document.components;
  if (type !== 'multipart/form-data') {
    const json = JSON.stringify(exampleOf(schema, 'body', schemas), null, 2).replaceAll('\n', '\n  ');
    return [`-H ${quoted(`Content-Type: ${type}`)}`, `--data ${quoted(json)}`];
  }
  return Object.entries(schema.properties ?? {}).map(([part, content]) => {
    if (content.contentMediaType !== undefined) return `-F ${quoted(`${part}=@${placeholder(part)}`)}`;
    return `-F ${quoted(`${part}=${JSON.stringify(exampleOf(content, part, schemas))}`)}`;
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
