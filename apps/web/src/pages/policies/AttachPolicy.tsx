import { useMutation, useQueryClient } from '@tanstack/react-query';
import { attachPolicies, type Policy } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { leaveIfSignedOut, sendWrite } from '../../lib/queries.ts';
import { useWhyNot } from '../../lib/session.ts';
import { showToast } from '../../lib/toasts.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { attachEach, attachedWords } from './attach-each.ts';
import { EnvironmentPicker } from './EnvironmentPicker.tsx';

interface AttachPolicyProps {
  readonly org: string;
  readonly policy: Policy;
}

/** Attaches the policy to environments, from its own page. */
export function AttachPolicy({ org, policy }: AttachPolicyProps) {
  const whyNot = useWhyNot('manage_environments');
  return (
    <DialogButton
      label="Attach policy"
      variant={policy.consuming_envs.length === 0 ? 'primary' : 'plain'}
      title={`Attach ${policy.name}`}
      inAddress="attach-policy"
      whyNot={whyNot}
    >
      {(close) => <Attach org={org} policy={policy} onClose={close} />}
    </DialogButton>
  );
}

function Attach({ org, policy, onClose }: AttachPolicyProps & { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const queries = useQueryClient();
  const attach = useMutation({
    mutationFn: () =>
      attachEach(chosen, (env_name) =>
        sendWrite(attachPolicies, { params: { org, env_name }, body: { policy_names: [policy.name] } }),
      ),
    onSuccess: async ({ attached, error }) => {
      if (attached.length > 0) showToast('good', attachedWords(policy.name, attached));
      if (error !== null) leaveIfSignedOut(error);
      await queries.invalidateQueries();
      setChosen((names) => names.filter((name) => !attached.includes(name)));
      if (error === null) onClose();
    },
  });
  return (
    <Form
      submit="Attach policy"
      error={attach.error ?? attach.data?.error ?? null}
      isPending={attach.isPending}
      onCancel={onClose}
      whyNot={chosen.length === 0 ? 'Choose an environment first' : undefined}
      onSubmit={() => attach.mutate()}
    >
      <EnvironmentPicker org={org} chosen={chosen} onChange={setChosen} leaveOut={policy.consuming_envs} />
      <p className="text-quiet">
        Waymark re-evaluates these environments at once and records the result in a new snapshot of each. One that runs
        an artifact that fails the policy becomes non-compliant.
      </p>
      <Link href={paths.policyTest(org, policy.name)}>Back-test it first</Link>
    </Form>
  );
}
