import { Dialog } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';

interface Write {
  readonly error: Error | null;
  readonly isPending: boolean;
}

/** Asks before something ends, and says what will stop working. */
export function ConfirmDialog({
  title,
  confirm,
  write,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  /** The verb on the button. */
  readonly confirm: string;
  readonly write: Write;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <Dialog title={title} isOpen onOpenChange={(open) => !open && onClose()}>
      {(close) => (
        <Form
          danger
          submit={confirm}
          error={write.error}
          isPending={write.isPending}
          onSubmit={onConfirm}
          onCancel={close}
        >
          <div className="space-y-2">{children}</div>
        </Form>
      )}
    </Dialog>
  );
}
