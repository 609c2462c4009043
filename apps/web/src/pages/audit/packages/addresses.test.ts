import {
  getArtifactPackage,
  getAttestationPackage,
  getEnvironmentReport,
  getTrailPackage,
  getTrailReport,
} from '@waymark/contract';
import { expect, it } from 'vitest';
import { environmentReport, packages, trailReport } from './addresses.ts';

/** The path of an operation with a value for each of its parameters. */
function filled({ path }: { readonly path: string }): string {
  return `/api/v2${path.replaceAll(/:(\w+)/g, (_, name) => name)}`;
}

it('leads to the operations of the API', () => {
  expect(packages.trail('org', 'flow_name', 'trail_name')).toBe(filled(getTrailPackage));
  expect(packages.artifact('org', 'flow_name', 'fingerprint')).toBe(filled(getArtifactPackage));
  expect(packages.attestation('org', 'flow_name', 'trail_name', 'attestation_id')).toBe(filled(getAttestationPackage));
  expect(trailReport('org', 'flow_name', 'trail_name')).toBe(filled(getTrailReport));
  expect(environmentReport('org', 'env_name', 1, 2)).toBe(`${filled(getEnvironmentReport)}?from=1&to=2`);
});

it('escapes whatever is in a name', () => {
  expect(packages.trail('acme', 'a/b', '../c?d')).toBe('/api/v2/trails/acme/a%2Fb/..%2Fc%3Fd/audit_package');
});
