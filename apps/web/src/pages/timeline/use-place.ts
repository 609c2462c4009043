import { useCallback, useEffect, useState } from 'react';

/**
 * A time on the picture that is stored in the address once a drag has ended. Until the address has changed, the dragged
 * time applies, so that nothing jumps back for a moment.
 */
export function usePlace(stored: number | undefined, sent: number | undefined, store: (sent: number) => void) {
  const [moved, setMoved] = useState<number>();
  // A changed address is newer than the drag.
  useEffect(() => setMoved(undefined), [sent]);
  const move = useCallback(
    (time: number, isDone: boolean) => {
      setMoved(time);
      if (isDone) store(Math.floor(time));
    },
    [store],
  );
  return [moved ?? stored, move] as const;
}
