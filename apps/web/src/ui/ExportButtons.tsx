import { ApiError, type CallInput } from '@waymark/client';
import type { FileContract } from '@waymark/contract';
import { useState } from 'react';
import { client } from '../lib/client.ts';
import { leaveIfSignedOut } from '../lib/queries.ts';
import { saveAs } from '../lib/save-as.ts';
import { showToast } from '../lib/toasts.ts';
import { Button } from './Button.tsx';

type Format = 'csv' | 'json';

/** Saves everything that matches the filters, in the order of the list, not only the page that is shown. */
export function ExportButtons<C extends FileContract>({
  of,
  input,
  name,
  whyNot,
}: {
  readonly of: C;
  /** What the list was requested with, without its page. */
  readonly input: CallInput<C>;
  /** The name of the file, without its ending. */
  readonly name: string;
  readonly whyNot?: string | undefined;
}) {
  const [pending, setPending] = useState<Format>();
  const save = async (format: Format) => {
    setPending(format);
    try {
      const query = { ...(input as { query?: object }).query, format };
      const response = await client.download(of, { ...input, query });
      // Reading fails if the file is truncated, so that a part of a list never passes for all of it.
      saveAs(await response.blob(), `${name}.${format}`);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      leaveIfSignedOut(error);
      showToast('bad', error instanceof ApiError ? error.message : 'Couldn’t export the list. Try again');
    } finally {
      setPending(undefined);
    }
  };
  return (
    <div className="flex items-center gap-1 no-print">
      {(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          variant="quiet"
          className="!px-2"
          whyNot={whyNot}
          isDisabled={pending !== undefined}
          onPress={() => void save(format)}
        >
          {pending === format ? 'Exporting …' : `Export ${format.toUpperCase()}`}
        </Button>
      ))}
    </div>
  );
}
