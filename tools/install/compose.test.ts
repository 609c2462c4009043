import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { version } from '../../apps/cli/src/run/version.ts';
import schemaFile from '../fixtures/compose-spec.schema.json' with { type: 'json' };

// The file names draft 7 by an address that is not the draft's own, which Ajv refuses.
const { $schema: _, ...schema } = schemaFile;
const isValid = new Ajv({ strict: false }).compile(schema);

interface Service {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** `!reset` empties a list of the file before. */
const reset = { tag: '!reset', collection: 'seq' as const, resolve: () => [] };

function read(file: string): { services: Record<string, Service> } {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  return parse(text, { merge: true, customTags: [reset] });
}

it.each(['compose.yaml', 'compose.prod.yaml', 'compose.observability.yaml'])('%s is a valid compose file', (file) => {
  isValid(read(file));
  expect(isValid.errors).toBe(null);
});

it('runs the image of this version, with a read-only root and without a secret in the file', () => {
  const { services } = read('compose.yaml');
  const ours = Object.values(services).filter(({ image }) => image?.includes('/waymark:'));
  expect(ours).toHaveLength(5);
  for (const { image, read_only, environment } of ours) {
    expect(image).toBe(`\${WAYMARK_IMAGE:-ghcr.io/waymark/waymark:${version}}`);
    expect(read_only).toBe(true);
    for (const name of Object.keys(environment ?? {})) expect(name).not.toMatch(/(_URL|_KEY|PASSWORD)$(?<!PUBLIC_URL)/);
  }
});

it('opens one port, to this machine alone', () => {
  const { services } = read('compose.yaml');
  const open = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
  expect(open).toEqual(['api ${WAYMARK_BIND:-127.0.0.1}:${WAYMARK_PORT:-8080}:8080']);
});

it('lets only the migration have the role that owns the tables', () => {
  const { services } = read('compose.yaml');
  const owners = Object.entries(services).filter(
    ([, { environment }]) => 'WAYMARK_DATABASE_OWNER_URL_FILE' in (environment ?? {}),
  );
  expect(owners.map(([name]) => name)).toEqual(['migrate']);
});
