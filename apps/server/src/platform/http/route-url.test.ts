import { getFlow, getRepo } from '@waymark/contract';
import { expect, it } from 'vitest';
import { pathParams, routeUrl } from './route-url.ts';

it('leaves named parameters to the router, and gives it the rest of a path by its own name', () => {
  expect(routeUrl(getFlow)).toBe('/api/v2/flows/:org/:flow_name');
  expect(routeUrl(getRepo)).toBe('/api/v2/repos/:org/*');
});

it('calls the rest of a path what the contract calls it, even if it is empty', () => {
  expect(pathParams(getFlow, { org: 'acme', flow_name: 'a' })).toEqual({ org: 'acme', flow_name: 'a' });
  expect(pathParams(getRepo, { org: 'acme', '*': 'acme/web' })).toEqual({ org: 'acme', repo_name: 'acme/web' });
  expect(pathParams(getRepo, { org: 'acme', '*': '' })).toEqual({ org: 'acme', repo_name: '' });
});
