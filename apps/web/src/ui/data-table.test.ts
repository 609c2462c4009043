import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { DataTable } from './DataTable.tsx';

interface Row {
  readonly name: string;
}

const COLUMNS = [
  { key: 'name', title: 'Name', sort: 'name', cell: ({ name }: Row) => name },
  { key: 'changed', title: 'Last change', sort: 'changed', cell: () => 'now' },
  { key: 'owner', title: 'Owner', cell: () => 'ada' },
];

/** Returns the icon in each header, such as `arrow-up`. */
function signs(): readonly (string | undefined)[] {
  const page = renderToStaticMarkup(
    createElement(DataTable<Row>, {
      caption: 'Things',
      columns: COLUMNS,
      rows: [{ name: 'one' }],
      rowKey: ({ name }) => name,
      sort: { by: 'name', direction: 'desc' },
      onSort: () => undefined,
    }),
  );
  return (page.match(/<th .*?<\/th>/g) ?? []).map((head) => /lucide-(arrow-[a-z-]+)/.exec(head)?.[1]);
}

it('each column that can be sorted has a sign, also while another one is sorted', () => {
  expect(signs()).toEqual(['arrow-down', 'arrow-up-down', undefined]);
});
