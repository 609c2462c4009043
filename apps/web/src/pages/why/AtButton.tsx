import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';

/** Explains a snapshot instead of what runs now. */
export function AtButton({
  at,
  onAt,
}: {
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
}) {
  return (
    <DialogButton label="As of snapshot…" title="Explain a snapshot">
      {(close) => (
        <Form
          submit="Show"
          error={null}
          isPending={false}
          onCancel={close}
          onSubmit={({ at: typed = '' }) => {
            onAt(typed.trim() || undefined);
            close();
          }}
        >
          <Field
            label="Snapshot"
            name="at"
            mono
            isRequired
            defaultValue={at ?? ''}
            placeholder="42, ~1, or @{2.days.ago}"
            help="A number, a count back from the latest, or a time. Shows the decisions made then."
          />
        </Form>
      )}
    </DialogButton>
  );
}
