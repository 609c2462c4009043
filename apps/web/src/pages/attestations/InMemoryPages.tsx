import { useState } from 'react';
import { Pager } from '../../ui/Pager.tsx';

/** Pages of a list that came in one response and is too long to show at once. */
export function InMemoryPages<Row>({
  rows,
  perPage,
  what,
  children,
}: {
  readonly rows: readonly Row[];
  readonly perPage: number;
  readonly what: string;
  readonly children: (rows: readonly Row[]) => React.ReactNode;
}) {
  const [page, setPage] = useState(1);
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  return (
    <>
      {children(rows.slice((page - 1) * perPage, page * perPage))}
      {pages > 1 && <Pager page={page} pages={pages} total={rows.length} what={what} onPage={setPage} />}
    </>
  );
}
