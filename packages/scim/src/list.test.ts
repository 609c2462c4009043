import { expect, it } from 'vitest';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { refusal } from './given/patches.ts';
import { listBody, project, readPage } from './list.ts';

it('a page is clamped to its bounds, and anything but a number refused', () => {
  expect(readPage({})).toEqual({ startIndex: 1, count: 100 });
  expect(readPage({ startIndex: '-3', count: '-1' })).toEqual({ startIndex: 1, count: 0 });
  expect(readPage({ startIndex: '999999999999999', count: '999999' })).toEqual({ startIndex: 2147483647, count: 200 });
  for (const bad of ['x', '1.5', '1e3', ['1', '2'], '9'.repeat(40)]) {
    expect(refusal(() => readPage({ count: bad }))).toBe('invalidValue');
  }
});

it('attributes are left out, but never the id', () => {
  const group = { schemas: [], id: 'g', displayName: 'G', members: [] };
  expect(Object.keys(project(group, { excludedAttributes: 'members,id' }))).toEqual(['schemas', 'id', 'displayName']);
  const attributes = 'urn:ietf:params:scim:schemas:core:2.0:Group:displayName';
  expect(Object.keys(project(group, { attributes }))).toEqual(['schemas', 'id', 'displayName']);
  expect(listBody({ startIndex: 11, count: 10 }, 45, [group])['itemsPerPage']).toBe(1);
});

it('the documents about the service have no gaps', () => {
  const documents = JSON.stringify([serviceProviderConfig('b'), resourceTypes('b'), schemas('b')]);
  expect(documents).not.toContain('undefined');
});
