import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { getPolicy, POLICY_EXAMPLE, putPolicy } from '@waymark/contract';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { isThere } from '../../lib/free-name.ts';
import { paths, withQuery } from '../../lib/paths.ts';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Fields.tsx';
import { type Filled, Form } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { storeDraft, UNNAMED, useDraft } from './drafts.ts';
import { PolicyEditor } from './PolicyEditor.tsx';

/**
 * Saving under a name that is taken would add a version to that policy, which is not what this page is for. A name is
 * free only when the server says that no policy has it.
 */
async function isTaken(org: string, name: string): Promise<boolean> {
  let isArchived = false;
  const isKnown = await isThere(async () => {
    isArchived = (await client.call(getPolicy, { params: { org, name } })).archived;
  });
  return isKnown && !isArchived;
}

export function NewPolicyPage() {
  const org = useOrg();
  const navigate = useNavigate();
  const [draft, setDraft] = useDraft(org, UNNAMED);
  const [name, setName] = useState('');
  const [taken, setTaken] = useState<string>();
  const text = draft ?? POLICY_EXAMPLE;
  const create = useWrite(putPolicy, {
    done: (policy) => `Policy ${policy.name} created`,
    onDone: (policy) => {
      setDraft(undefined);
      void navigate({ href: paths.policy(org, policy.name) });
    },
  });
  const check = useMutation({ mutationFn: () => isTaken(org, name) });
  const unlessTaken = (goOn: () => void) =>
    check.mutate(undefined, {
      onSuccess: (isThere) => {
        setTaken(isThere ? name : undefined);
        if (!isThere) goOn();
      },
    });
  const createIt = ({ description = '', comment = '' }: Filled) =>
    create.mutate({
      params: { org, name },
      body: {
        policy_yaml: text,
        ...(description !== '' && { description }),
        ...(comment !== '' && { comment }),
      },
    });
  const test = () => {
    storeDraft(org, name, text);
    void navigate({ href: withQuery(paths.policyTest(org, name), { run: 'now' }) });
  };
  return (
    <>
      <PageHead
        title="Create policy"
        crumbs={[{ href: paths.policies(org), label: 'Policies' }]}
        note="Define the evidence that an artifact needs. A policy has no effect until it is attached to an environment."
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
        <Panel title="Policy">
          <PolicyEditor org={org} label="Policy (YAML)" value={text} onChange={setDraft} />
        </Panel>
        <Panel title="Name and description">
          <Form
            submit="Create policy"
            error={check.error ?? create.error}
            isPending={check.isPending || create.isPending}
            whyNot={useWhyNot('manage_policies')}
            onSubmit={(filled) => unlessTaken(() => createIt(filled))}
          >
            <Field
              name="name"
              label="Name"
              value={name}
              onChange={setName}
              isRequired
              help="For example, prod-release. It cannot be changed later."
            />
            {taken !== undefined && (
              <Notice kind="bad" announce>
                Policy{' '}
                <Link href={paths.policy(org, taken)} className="underline">
                  {taken}
                </Link>{' '}
                already exists. Choose another name, or edit that policy.
              </Notice>
            )}
            <Field name="description" label="Description" lines={2} help="Its purpose, in one sentence." />
            <Field name="comment" label="Change note" help="Saved with version 1." />
          </Form>
          <div className="mt-4 border-t border-line pt-3">
            <p className="mb-2 text-[13px] text-quiet">
              Preview the recent verdicts that the draft would have changed. Nothing is saved.
            </p>
            <Button onPress={() => unlessTaken(test)} {...(name === '' && { whyNot: 'Enter a name first' })}>
              Back-test
            </Button>
          </div>
        </Panel>
      </div>
    </>
  );
}
