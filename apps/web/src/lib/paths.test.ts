import { expect, it } from 'vitest';
import { paths } from './paths.ts';

it('has every address that the API returns', () => {
  expect({
    environment: paths.environment('acme', 'prod'),
    snapshot: paths.snapshot('acme', 'prod', 7),
    flow: paths.flow('acme', 'web'),
    trail: paths.trail('acme', 'web', '9f14efa'),
    attestation: paths.trail('acme', 'web', '9f14efa', 'id-1'),
    artifact: paths.artifact('acme', 'web', 'ab12', 'id-2'),
  }).toEqual({
    environment: '/acme/environments/prod',
    snapshot: '/acme/environments/prod/snapshots/7',
    flow: '/acme/flows/web',
    trail: '/acme/flows/web/trails/9f14efa',
    attestation: '/acme/flows/web/trails/9f14efa?attestation_id=id-1',
    artifact: '/acme/flows/web/artifacts/ab12?artifact_id=id-2',
  });
});

it('makes names harmless', () => {
  expect(paths.trail('acme', 'a/b?c', '../x')).toBe('/acme/flows/a%2Fb%3Fc/trails/..%2Fx');
  expect(paths.snapshot('acme', 'prod', '@{2.days.ago}')).toBe('/acme/environments/prod/snapshots/%40%7B2.days.ago%7D');
});
