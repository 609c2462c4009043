import { useState } from 'react';
import { Checkbox, Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { missingIn, type NotificationDraft, triggerWords } from './notification-draft.ts';
import { ScopePicker } from './ScopePicker.tsx';
import { TargetsEditor } from './TargetsEditor.tsx';
import { useSaveNotification } from './use-save-notification.ts';

interface FormProps {
  readonly start: NotificationDraft;
  /** Names of other notifications of its kind. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

/** Scope, triggers and targets. */
export function NotificationForm({ start, taken, onClose }: FormProps) {
  const [draft, setDraft] = useState(start);
  const change = (changes: Partial<NotificationDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const isNew = draft.number === null;
  const { save, error, isPending } = useSaveNotification(
    isNew ? 'Notification created. Send a test to check that it arrives.' : 'Notification saved.',
    onClose,
  );
  const keepsName = draft.kind === 'flow' && !isNew;
  return (
    <Form
      submit={isNew ? 'Create notification' : 'Save'}
      error={error}
      isPending={isPending}
      whyNot={missingIn(draft, taken)}
      onSubmit={() => save(draft)}
      onCancel={onClose}
    >
      {keepsName ? (
        <p>
          <strong>{draft.name}</strong>{' '}
          <span className="text-quiet">The name of a flow notification cannot be changed.</span>
        </p>
      ) : (
        <Field
          label="Name"
          name="name"
          isRequired
          autoFocus
          maxLength={255}
          value={draft.name}
          onChange={(name) => change({ name })}
          help="For example, production-alerts."
        />
      )}
      <ScopePicker kind={draft.kind} chosen={draft.scopes} onChange={(scopes) => change({ scopes })} />
      <fieldset>
        <legend className="mb-1 text-[13px] font-medium">Triggers</legend>
        <div className="space-y-1.5">
          {triggerWords(draft.kind).map(([trigger, words]) => (
            <Checkbox
              key={trigger}
              isSelected={draft.triggers.includes(trigger)}
              onChange={(on) =>
                change({
                  triggers: on ? [...draft.triggers, trigger] : draft.triggers.filter((each) => each !== trigger),
                })
              }
            >
              {words}
            </Checkbox>
          ))}
        </div>
      </fieldset>
      <TargetsEditor targets={draft.targets} onChange={(targets) => change({ targets })} />
    </Form>
  );
}
