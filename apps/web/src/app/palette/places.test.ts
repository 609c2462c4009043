import { expect, it } from 'vitest';
import { doorsOf } from '../doors.ts';
import { iconOf, pagesAtFirst } from './places.ts';

it('offers the pages of the side bar before anything is typed, each with its icon', () => {
  const doors = doorsOf('acme').flatMap((group) => group.doors);
  expect(pagesAtFirst('acme').map(({ href }) => href)).toEqual(doors.map(({ href }) => href));
  expect(doors.map(({ href }) => iconOf('acme', { href }))).toEqual(doors.map(({ icon }) => icon));
});

it('gives what it finds the icon of its kind', () => {
  const environments = iconOf('acme', { href: '/acme/environments' });
  expect(iconOf('acme', { href: '/acme/environments/production' })).toBe(environments);
  expect(iconOf('acme', { href: '/acme/flows/shop/trails/1' })).not.toBe(environments);
});
