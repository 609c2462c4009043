import { Dialog } from './Dialog.tsx';
import { Form } from './Form.tsx';

interface Write {
  readonly error: Error | null;
  readonly isPending: boolean;
}

/** Asks for confirmation, and says what will stop working. */
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
    <Dialog title={title} onClose={onClose}>
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
