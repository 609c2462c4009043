import { expect, it } from 'vitest';
import { settingsTabs } from './settings-parts.ts';

it('settings of the org come before those of the person, each group with its name', () => {
  const groups: [string, string[]][] = [];
  for (const { group, label } of settingsTabs('acme')) {
    if (group !== undefined) groups.push([group, []]);
    groups.at(-1)?.[1].push(label);
  }
  expect(groups.map(([group]) => group)).toEqual(['Org', 'Personal']);
  expect(groups[1]?.[1]).toEqual(['Your keys', 'Your sessions']);
});
