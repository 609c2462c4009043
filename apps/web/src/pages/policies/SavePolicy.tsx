import { useMutation, useQueryClient } from '@tanstack/react-query';
import { attachPolicies, type Policy, putPolicy } from '@waymark/contract';
import { useRef, useState } from 'react';
import { leaveIfSignedOut, sendWrite } from '../../lib/queries.ts';
import { useMay } from '../../lib/session.ts';
import { showToast } from '../../lib/toasts.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { attachEach, attachedWords } from './attach-each.ts';
import { EnvironmentPicker } from './EnvironmentPicker.tsx';

/** What saving will do, shown before it is done. */
function consequence(policy: Policy | undefined, chosen: number): string {
  const environments = [...(policy?.consuming_envs ?? [])];
  const count = environments.length + chosen;
  if (count === 0)
    return policy
      ? 'It is not attached to any environment, so no verdict changes.'
      : 'It has no effect until it is attached to an environment.';
  const what = chosen === 0 && count === 1 ? environments[0] : count === 1 ? '1 environment' : `${count} environments`;
  return `Waymark re-evaluates ${what} within seconds.`;
}

interface SaveProps {
  readonly org: string;
  readonly name: string;
  /** As stored; undefined for a new one. */
  readonly policy: Policy | undefined;
  readonly text: string;
  readonly onSaved: () => void;
}

export function SavePolicy({ whyNot, ...rest }: SaveProps & { readonly whyNot: string | undefined }) {
  return (
    <DialogButton
      label="Save as new version"
      variant="primary"
      title={`Save version ${nextOf(rest.policy)} of ${rest.name}`}
      whyNot={whyNot}
    >
      {(close) => <Save {...rest} onClose={close} />}
    </DialogButton>
  );
}

function nextOf(policy: Policy | undefined): number {
  return (policy?.versions.at(-1)?.version ?? 0) + 1;
}

function Save({ org, name, policy, text, onSaved, onClose }: SaveProps & { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const mayAttach = useMay('manage_environments');
  const { isSaved, save } = useSaveAndAttach({ org, name, text, onSaved, setChosen });
  const [next] = useState(() => nextOf(policy));
  const consuming = policy?.consuming_envs ?? [];
  const submit = isSaved ? 'Attach policy' : `Save version ${next}${chosen.length > 0 ? ' and attach' : ''}`;
  return (
    <Form
      submit={submit}
      error={save.error ?? save.data?.error ?? null}
      isPending={save.isPending}
      onCancel={isSaved ? onSaved : onClose}
      whyNot={isSaved && chosen.length === 0 ? 'Choose an environment first' : undefined}
      onSubmit={({ comment = '' }) => save.mutate({ comment, chosen })}
    >
      <p>{consequence(policy, chosen.length)}</p>
      <Field name="comment" label="Change note" help="One sentence, stored with the version" maxLength={10_000} />
      {/* One that is attached already counts there from the moment it is saved. */}
      {mayAttach && consuming.length === 0 && (
        <EnvironmentPicker org={org} label="Attach to" chosen={chosen} onChange={setChosen} />
      )}
    </Form>
  );
}

interface Saving extends Pick<SaveProps, 'org' | 'name' | 'text' | 'onSaved'> {
  readonly setChosen: (names: string[]) => void;
}

/** Saves once, however often attaching is tried again. */
function useSaveAndAttach({ org, name, text, onSaved, setChosen }: Saving) {
  const queries = useQueryClient();
  const saved = useRef(false);
  const save = useMutation({
    mutationFn: async ({ comment, chosen }: { comment: string; chosen: readonly string[] }) => {
      if (!saved.current) {
        const body = { policy_yaml: text, ...(comment !== '' && { comment }) };
        const { versions } = await sendWrite(putPolicy, { params: { org, name }, body });
        saved.current = true;
        showToast('good', `Version ${versions.at(-1)?.version} of ${name} saved`);
      }
      const outcome = await attachEach(chosen, (env_name) =>
        sendWrite(attachPolicies, { params: { org, env_name }, body: { policy_names: [name] } }),
      );
      return { ...outcome, left: chosen.filter((each) => !outcome.attached.includes(each)) };
    },
    onSuccess: async ({ attached, error, left }) => {
      if (attached.length > 0) showToast('good', attachedWords(name, attached));
      if (error !== null) leaveIfSignedOut(error);
      await queries.invalidateQueries();
      setChosen(left);
      if (error === null) onSaved();
    },
    onError: async (error) => {
      leaveIfSignedOut(error);
      // A change that waits for an approval is now among the pending ones.
      await queries.invalidateQueries();
    },
  });
  return { isSaved: save.data !== undefined && save.data.error !== null, save };
}
