import { CopyButton } from '../../ui/Copy.tsx';

/** Data as it was sent, shown as text whatever it contains. */
export function JsonView({ value, what }: { readonly value: unknown; readonly what: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-raised p-3">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by the keyboard. */}
      <pre className="max-h-[32rem] min-w-0 flex-1 overflow-auto text-[12.5px]" tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}
