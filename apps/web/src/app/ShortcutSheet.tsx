import { SHORTCUTS } from '../lib/shortcuts.ts';
import { Dialog } from '../ui/Dialog.tsx';

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {() => (
        <dl className="grid grid-cols-[max-content_1fr] gap-x-5 gap-y-1.5">
          {SHORTCUTS.map(({ keys, does }) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded border border-line bg-raised px-1.5 font-mono text-[12px]">{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      )}
    </Dialog>
  );
}
