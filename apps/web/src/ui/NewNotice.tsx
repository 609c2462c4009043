import { useQueryClient } from '@tanstack/react-query';
import { useNewCount } from '../lib/live.ts';
import { Button } from './Button.tsx';

/** Rows never move while somebody reads: new ones are counted, and shown on request. */
export function NewNotice({
  kinds,
  loadedAt,
  onShow,
  subjectId,
}: {
  /** The kinds of subject whose events matter here, such as `environment`. */
  readonly kinds: readonly string[];
  /** `dataUpdatedAt` of the query. */
  readonly loadedAt: number;
  readonly onShow: () => void;
  readonly subjectId?: string;
}) {
  const queries = useQueryClient();
  const count = useNewCount(kinds, loadedAt, subjectId);
  const show = () => {
    onShow();
    // The head of the page and its other parts are refetched too, so that nothing old stays beside what is new.
    void queries.invalidateQueries({}, { cancelRefetch: false });
  };
  return (
    <div aria-live="polite" className="no-print">
      {count > 0 && (
        <div className="mb-3 flex items-center justify-center rounded-md bg-accent-wash px-3 py-1.5 text-[13px]">
          <span>{count === 1 ? '1 change' : `${count} changes`} since this was loaded</span>
          <Button variant="quiet" className="!py-0.5 text-accent" onPress={show}>
            Show
          </Button>
        </div>
      )}
    </div>
  );
}
