import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import schemaFile from '../fixtures/compose-spec.schema.json' with { type: 'json' };
import { defaultPortBase, endpoints, portsFrom } from './endpoints.ts';
import { natsServer, versitygw } from './install.ts';

// The file names draft 7 by an address that is not the draft's own, which Ajv refuses.
const { $schema: _, ...schema } = schemaFile;
const isValid = new Ajv({ strict: false }).compile(schema);

const compose = parse(readFileSync(new URL('./compose.yaml', import.meta.url), 'utf8'));

it('is a valid compose file', () => {
  isValid(compose);

  expect(isValid.errors).toBe(null);
});

it('would not be valid with a misspelt key', () => {
  const { image, ...rest } = compose.services.s3;

  expect(isValid({ ...compose, services: { s3: { ...rest, imge: image } } })).toBe(false);
});

it('publishes the ports of the local services, on the loopback interface only', () => {
  const { postgres, nats, natsMonitor, s3 } = portsFrom(defaultPortBase);

  expect(compose.services.postgres.ports).toEqual([`127.0.0.1:${postgres}:5432`]);
  expect(compose.services.nats.ports).toEqual([`127.0.0.1:${nats}:4222`, `127.0.0.1:${natsMonitor}:8222`]);
  expect(compose.services.s3.ports).toEqual([`127.0.0.1:${s3}:7070`]);
});

it('takes the credentials of the local services', () => {
  const { accessKey, secretKey, region } = endpoints().s3;

  expect(compose.services.s3.environment).toMatchObject({
    ROOT_ACCESS_KEY: accessKey,
    ROOT_SECRET_KEY: secretKey,
    VGW_REGION: region,
  });
});

it('names the versions that the local services are built from', () => {
  const version = (module: string): string | undefined => module.split('@v')[1];

  expect(compose.services.nats.image).toBe(`nats:${version(natsServer.module)}-alpine`);
  expect(compose.services.s3.image).toBe(`versity/versitygw:v${version(versitygw.module)}`);
});
