import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What in a picture can be pressed, dragged, or selected. */
const INTERACTIVE = ['EvidenceChain', 'StateBar', 'TimelineHandle', 'TimelineOverview', 'WhyTree'];

it('the accent color means interaction, and no amount and no state', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.tsx'));
  const using = files.filter((name) => /accent/.test(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')));
  expect(using).toEqual(INTERACTIVE.map((name) => `${name}.tsx`));
});
