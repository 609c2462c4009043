import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './Button.tsx';
import { Empty } from './States.tsx';

/** Pages with numbers. */
export function Pager({
  page,
  pages,
  total,
  onPage,
  what,
}: {
  readonly page: number;
  readonly pages: number;
  readonly total?: number;
  readonly onPage: (page: number) => void;
  /** What is counted, such as `environments`. */
  readonly what: string;
}) {
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2 text-[13px] text-quiet"
    >
      <span>{total !== undefined && `${total.toLocaleString('en')} ${what}`}</span>
      {(pages > 1 || (pages === 1 && page > 1)) && (
        <span className="ml-auto flex items-center gap-2">
          <Button
            variant="quiet"
            isDisabled={page <= 1}
            onPress={() => onPage(Math.min(page - 1, pages))}
            aria-label="Previous page"
          >
            <ChevronLeft size={15} aria-hidden />
          </Button>
          Page {page.toLocaleString('en')} of {pages.toLocaleString('en')}
          <Button variant="quiet" isDisabled={page >= pages} onPress={() => onPage(page + 1)} aria-label="Next page">
            <ChevronRight size={15} aria-hidden />
          </Button>
        </span>
      )}
    </nav>
  );
}

/** Shown for a page without rows. The list is empty only if the total is 0: otherwise it ends before this page. */
export function NoRows({
  total,
  pages,
  onPage,
  children,
}: {
  readonly total: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
  /** Shown for an empty list. */
  readonly children: React.ReactNode;
}) {
  if (total === 0) return children;
  return (
    <Empty title="This page does not exist">
      <p className="mb-3">The list ends on page {pages.toLocaleString('en')}. It may have been longer before.</p>
      <Button onPress={() => onPage(pages)}>Go to the last page</Button>
    </Empty>
  );
}

/** Pages by cursor: `after` is the cursor of the current page, undefined for the first. */
export function CursorPager({
  after,
  next,
  onMove,
}: {
  readonly after: string | undefined;
  readonly next: string | null | undefined;
  /** undefined leads to the first page. */
  readonly onMove: (after: string | undefined) => void;
}) {
  if (after === undefined && !next) return null;
  return (
    <nav aria-label="Pages" className="flex items-center justify-end gap-2 border-t border-line px-4 py-2">
      <Button variant="quiet" isDisabled={after === undefined} onPress={() => onMove(undefined)}>
        First page
      </Button>
      <Button variant="plain" isDisabled={!next} onPress={() => onMove(next ?? undefined)}>
        Next page <ChevronRight size={15} aria-hidden />
      </Button>
    </nav>
  );
}
