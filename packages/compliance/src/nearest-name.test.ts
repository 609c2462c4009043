import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

it.each([
  ['back-end', 'backend'],
  ['Backend', 'backend'],
  ['bakcend', 'backend'],
  ['bakcedn', 'backend'],
  ['bakcen', undefined],
  ['wbe', 'web'],
  ['bew', undefined],
  ['we', undefined],
  ['UI', 'ui'],
  ['ux', undefined],
  ['worker', undefined],
  ['brokre', 'broker'],
  ['backend', undefined],
  ['api2', 'api'],
  ['ap22', undefined],
  ['x', undefined],
  ['', undefined],
])('%j suggests %j', (name, suggestion) => {
  expect(nearestName(name, ['frontend', 'backend', 'api', 'web', 'ui', 'broker', 'z', ''])).toBe(suggestion);
});

it('prefers the closest name, and the first of equals', () => {
  expect(nearestName('report', ['reporter', 'reports', 'repor'])).toBe('reports');
});

it('compares a bounded number of names', () => {
  const many = Array.from({ length: 100 }, (_, number) => `other-${number}`);
  expect(nearestName('back-end', [...many.slice(1), 'backend'])).toBe('backend');
  expect(nearestName('back-end', [...many, 'backend'])).toBeUndefined();
});
