import { useState } from 'react';

/** Renders its content only when it is expanded. */
export function Unfolded({
  summary,
  children,
}: {
  readonly summary: string;
  readonly children: () => React.ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="border-t border-line px-4 py-2.5 no-print"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="cursor-pointer text-[13px] text-quiet hover:text-ink">{summary}</summary>
      {isOpen && <div className="pt-3">{children()}</div>}
    </details>
  );
}
