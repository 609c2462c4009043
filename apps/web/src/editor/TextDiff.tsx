import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense } from 'react';
import { changesInWords, type LineChange, lineChanges } from './line-changes.ts';
import type { TextDiffProps } from './text-diff-props.ts';

const UnifiedDiff = lazyRouteComponent(() => import('./UnifiedDiff.tsx'), 'UnifiedDiff');

/** What differs between two texts: in words, as one text with both, and line by line. */
export function TextDiff(props: TextDiffProps) {
  const changes = lineChanges(props.before, props.after);
  return (
    <div className="space-y-2">
      <p className="text-[13.5px]">{changesInWords(changes)}</p>
      <Suspense fallback={<ChangeTable changes={changes} label={props.label} />}>
        <UnifiedDiff {...props} />
      </Suspense>
      {changes.length > 0 && (
        <details>
          <summary className="cursor-pointer text-[13px] text-quiet">As a table</summary>
          <ChangeTable changes={changes} label={props.label} />
        </details>
      )}
    </div>
  );
}

function ChangeTable({ changes, label }: { readonly changes: readonly LineChange[]; readonly label: string }) {
  return (
    <table className="mt-2 w-full text-left text-[13px]">
      <caption className="sr-only">{label}</caption>
      <thead className="text-quiet">
        <tr>
          <th scope="col" className="pr-4 font-medium">
            Change
          </th>
          <th scope="col" className="pr-4 font-medium">
            Line
          </th>
          <th scope="col" className="w-full font-medium">
            Text
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ kind, line, text }) => (
          <tr key={`${kind} ${line}`} className="align-top">
            <td className={kind === 'added' ? 'pr-4 text-good' : 'pr-4 text-bad'}>{kind}</td>
            <td className="pr-4">{line}</td>
            <td>
              <code className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
