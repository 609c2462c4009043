import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';

export function StopTrusting({
  name,
  what,
  write,
  onConfirm,
  onClose,
}: {
  readonly name: string;
  readonly what: 'key' | 'identity';
  readonly write: { readonly error: Error | null; readonly isPending: boolean };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={`Stop trusting ${name}`}
      confirm="Stop trusting"
      write={write}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        Statements that are signed with this {what} from now on no longer count as proof. Waymark marks new evidence
        with such a signature as not verified.
      </p>
      <p className="text-quiet">Past verdicts stay.</p>
    </ConfirmDialog>
  );
}
