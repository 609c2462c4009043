import type { Activity } from '@waymark/contract';
import { expect, it } from 'vitest';
import { partsOf } from './entry-parts.ts';

const entry = (text: string, name: string | null, html_path: string | null = '/acme/x'): Activity => ({
  ...{ id: '1', type: 'flow.created', actor: 'ada', recorded_at: 0, text, html_path },
  subject: { kind: 'flow', id: '2', name },
});

it.each([
  [entry('ada created flow shop', 'shop'), ['Created flow ', 'shop', '']],
  [entry('ada renamed flow shop to store', 'store'), ['Renamed flow shop to ', 'store', '']],
  [entry('ada created flow a', 'a'), ['Created flow ', 'a', '']],
  [entry('Snapshot 1 of prod was created', 'prod'), ['Snapshot 1 of ', 'prod', ' was created']],
  [entry('ada changed the org', null), ['', 'Changed the org', '']],
  [entry('ada changed a flow', 'shop'), ['', 'Changed a flow', '']],
  [entry('ada archived flow shop', 'shop', null), ['Archived flow shop', '', '']],
  [entry('adam left', 'adam', null), ['Adam left', '', '']],
])('%j', (one, [before, linked, after]) => {
  expect(partsOf(one)).toEqual({ before, linked, after });
});
