import { useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/Button.tsx';
import { useConfirmedNews } from './use-confirmed-news.ts';

/** Like the notice above lists, for changes that only a request can tell from those in the rest of the org. */
export function ConfirmedNotice({
  kinds,
  loadedAt,
  count,
  what,
  onShow,
}: {
  readonly kinds: readonly string[];
  readonly loadedAt: number;
  readonly count: () => Promise<number>;
  /** In the singular, such as `new trail`. */
  readonly what: string;
  readonly onShow: () => void;
}) {
  const queries = useQueryClient();
  const found = useConfirmedNews(kinds, loadedAt, count);
  const show = () => {
    onShow();
    // The other parts of the page are refetched too, so that nothing old stays beside what is new.
    void queries.invalidateQueries({}, { cancelRefetch: false });
  };
  return (
    <div aria-live="polite" className="no-print">
      {found > 0 && (
        <div className="mb-3 flex items-center justify-center rounded-md bg-accent-wash px-3 py-1.5 text-[13px]">
          <span>{`${found} ${what}${found === 1 ? '' : 's'} since this was loaded`}</span>
          <Button variant="quiet" className="!py-0.5 text-accent" onPress={show}>
            Show
          </Button>
        </div>
      )}
    </div>
  );
}
