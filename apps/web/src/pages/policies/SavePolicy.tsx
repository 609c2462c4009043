import { type Policy, putPolicy } from '@waymark/contract';
import { useWrite } from '../../lib/queries.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';

/** What saving will do, shown before it is done. */
function consequence(policy: Policy | undefined): string {
  if (!policy) return 'It has no effect until it is attached to an environment.';
  const count = policy.consuming_envs.length;
  if (count === 0) return 'It is not attached to any environment, so no verdict changes.';
  return `Waymark re-evaluates ${count === 1 ? policy.consuming_envs[0] : `${count} environments`} within seconds.`;
}

export function SavePolicy({
  org,
  name,
  policy,
  text,
  whyNot,
  onSaved,
}: {
  readonly org: string;
  readonly name: string;
  /** As stored; undefined for a new one. */
  readonly policy: Policy | undefined;
  readonly text: string;
  readonly whyNot: string | undefined;
  readonly onSaved: () => void;
}) {
  const next = (policy?.versions.at(-1)?.version ?? 0) + 1;
  const save = useWrite(putPolicy, {
    done: (saved) => `Version ${saved.versions.at(-1)?.version} of ${saved.name} saved`,
    onDone: onSaved,
  });
  return (
    <DialogButton
      label="Save as new version"
      variant="primary"
      title={`Save version ${next} of ${name}`}
      whyNot={whyNot}
    >
      {(close) => (
        <Form
          submit={`Save version ${next}`}
          error={save.error}
          isPending={save.isPending}
          onCancel={close}
          onSubmit={({ comment = '' }) =>
            save.mutate({ params: { org, name }, body: { policy_yaml: text, ...(comment !== '' && { comment }) } })
          }
        >
          <p>{consequence(policy)}</p>
          <Field name="comment" label="Change note" help="One sentence, stored with the version" maxLength={10_000} />
        </Form>
      )}
    </DialogButton>
  );
}
