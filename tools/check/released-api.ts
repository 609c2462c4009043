import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oasdiff } from '../services/install.ts';
import type { CanaryRun } from './canaries.ts';
import type { Gate } from './gates.ts';

const ROOT = join(import.meta.dirname, '../..');
export const DESCRIPTION = 'docs/api/openapi.json';
/** The description as of the last tag. There is none before the first. */
export const RELEASED = 'docs/api/released.json';

export function isAnyReleased(): boolean {
  return existsSync(join(ROOT, RELEASED));
}

/** What is beta may still change. */
const BREAKING = ['breaking', '--fail-on', 'ERR', '--filter-extension', 'x-beta'];

export const releasedApi: Gate = {
  name: 'API of the last release still served',
  command: oasdiff.path,
  args: [...BREAKING, RELEASED, DESCRIPTION],
};

interface Description {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The description without a field that replies have. */
function descriptionWithout(schema: string, field: string): string {
  const description = JSON.parse(readFileSync(join(ROOT, DESCRIPTION), 'utf8')) as Description;
  const { properties, required } = description.components.schemas[schema] as {
    properties: Record<string, unknown>;
    required: string[];
  };
  delete properties[field];
  required.splice(required.indexOf(field), 1);
  return JSON.stringify(description);
}

export function releasedApiCanary(): CanaryRun {
  const file = 'docs/api/canary-removed-field.json';
  return {
    command: oasdiff.path,
    args: [...BREAKING, DESCRIPTION, file],
    canaries: [
      {
        name: 'a reply loses a field',
        file,
        text: descriptionWithout('Flow', 'description'),
        mustSay: ['[response-required-property-removed]', 'GET /flows/{org}/{flow_name}'],
      },
    ],
  };
}
