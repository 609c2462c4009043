import { Columns3 } from 'lucide-react';
import { useRef } from 'react';
import type { ColumnChoice } from '../lib/column-choice.ts';
import { Checkbox } from './Fields.tsx';

/** Chooses the columns of a table. */
export function ColumnsMenu({ of: { choices, toggle } }: { readonly of: ColumnChoice }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute('open');
  return (
    <details
      ref={menu}
      className="relative no-print"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) close();
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        close();
        currentTarget.querySelector('summary')?.focus();
      }}
    >
      <summary className="inline-flex min-h-6 cursor-pointer list-none items-center gap-1.5 rounded-md px-2 py-1.5 text-[13px] leading-5 font-medium text-quiet hover:bg-raised hover:text-ink [&::-webkit-details-marker]:hidden">
        <Columns3 size={14} aria-hidden />
        Columns
      </summary>
      <fieldset className="absolute left-0 z-20 sm:right-0 sm:left-auto mt-1 flex min-w-44 flex-col gap-2 rounded-md border border-line bg-panel p-3 shadow-lg">
        <legend className="sr-only">Columns</legend>
        {choices.map(({ key, title, isShown }) => (
          <Checkbox key={key} isSelected={isShown} onChange={() => toggle(key)}>
            {title}
          </Checkbox>
        ))}
      </fieldset>
    </details>
  );
}
