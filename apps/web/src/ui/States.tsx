import { ApiError } from '@waymark/client';
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { CopyButton } from './Copy.tsx';
import { Notice } from './Panel.tsx';

const PATIENCE_MS = 150;

/** Empty for a moment, then gray lines, so that fast responses do not flicker. */
export function Loading({ lines = 6 }: { readonly lines?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading" data-loading className="space-y-3 py-4">
      {shown &&
        Array.from({ length: lines }, (_, line) => (
          <div
            key={line}
            className="h-4 animate-pulse rounded bg-raised"
            style={{ width: `${92 - ((line * 17) % 40)}%` }}
          />
        ))}
    </div>
  );
}

/** The place of a line of text that will arrive. What follows is shown when it has. */
export function LineLoading() {
  return (
    <span data-loading className="block">
      &nbsp;
    </span>
  );
}

/** A browser would break the line after the first hyphen of `--org`. */
function wholeWords(command: string): React.ReactNode {
  return command.split(/(\s+)/).map((word, place) =>
    /\S/.test(word) ? (
      <span key={place} className="inline-block max-w-full [overflow-wrap:anywhere]">
        {word}
      </span>
    ) : (
      word
    ),
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: React.ReactNode;
  /** A command that creates the first item, to copy into a terminal. */
  readonly command?: string;
}

export function Empty({ title, children, command }: EmptyProps) {
  return (
    <div className="mx-auto max-w-2xl px-4 py-10 text-center">
      <p className="text-[15px] font-semibold">{title}</p>
      {children !== undefined && <div className="mt-1 text-quiet">{children}</div>}
      {command !== undefined && (
        <div className="mt-4 flex items-start gap-2 rounded-md border border-line bg-raised p-3 text-left">
          <pre className="min-w-0 flex-1 whitespace-pre-wrap">{wholeWords(command)}</pre>
          <CopyButton text={command} what="command" />
        </div>
      )}
    </div>
  );
}

/** What went wrong, why, and what can be done about it. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const status = error instanceof ApiError ? error.status : undefined;
  const requestId = error instanceof ApiError ? error.requestId : null;
  const titles: Record<number, string> = {
    403: 'You don’t have access to this',
    404: 'Not found',
    429: 'Too many requests',
    503: 'The service is busy',
  };
  return (
    <Notice
      kind="bad"
      announce
      title={(status !== undefined && titles[status]) || 'Couldn’t load this'}
      {...(retry && status !== 403 && status !== 404 && { actions: <Button onPress={retry}>Try again</Button> })}
    >
      <p>{error.message}</p>
      {status === 403 && <p>Ask an admin of the org for a role that allows it.</p>}
      {requestId !== null && (
        <p className="mt-1 text-[13px] text-quiet">
          Request <code>{requestId}</code>
        </p>
      )}
    </Notice>
  );
}

interface Answer<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** Shows the data of a query, that it is loading, or its error. Older data stays beside the error. */
export function Loaded<T>({
  of,
  lines,
  children,
}: {
  readonly of: Answer<T>;
  readonly lines?: number;
  readonly children: (data: T) => React.ReactNode;
}) {
  if (of.data === undefined) {
    if (of.error) return <Failure error={of.error} retry={() => void of.refetch()} />;
    return <Loading {...(lines !== undefined && { lines })} />;
  }
  return (
    <>
      {of.error && (
        <div className="mb-3">
          <Failure error={of.error} retry={() => void of.refetch()} />
        </div>
      )}
      {children(of.data)}
    </>
  );
}
