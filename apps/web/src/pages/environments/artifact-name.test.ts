import { expect, it } from 'vitest';
import { nameAndVersion } from './artifact-name.ts';

it.each([
  ['ghcr.io/acme/payments:1.13.0', 'ghcr.io/acme/payments', '1.13.0'],
  ['localhost:5000/payments', 'localhost:5000/payments', ''],
  [`ghcr.io/acme/payments:1.2@sha256:${'a'.repeat(64)}`, 'ghcr.io/acme/payments', '1.2'],
  [`vendor/tool@sha256:${'0'.repeat(64)}`, 'vendor/tool', ''],
  ['/opt/shop/app.jar', '/opt/shop/app.jar', ''],
  ['', '', ''],
  ['<b>x</b>:<i>', '<b>x</b>:<i>', ''],
])('%s is called %s, version %s', (text, name, version) => expect(nameAndVersion(text)).toEqual({ name, version }));
