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
        Statements that were or will be signed with this {what} no longer count as proof. Waymark re-evaluates every
        environment with a policy: what relied on such a signature becomes non-compliant.
      </p>
      <p className="text-quiet">Recorded attestations stay.</p>
    </ConfirmDialog>
  );
}
