import type { Policy } from '@waymark/contract';
import { TextDiff } from '../../editor/TextDiff.tsx';
import { paths } from '../../lib/paths.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { useDraft } from './drafts.ts';
import { PolicyEditor } from './PolicyEditor.tsx';
import { usePolicyCheck } from './policy-knowledge.ts';
import { SavePolicy } from './SavePolicy.tsx';

/** The draft of the next version, private to its author until it is saved. */
export function EditPolicy({
  org,
  policy,
  onClose,
}: {
  readonly org: string;
  readonly policy: Policy;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useDraft(org, policy.name);
  const latest = policy.versions.at(-1);
  const stored = latest?.policy_yaml ?? '';
  const text = draft ?? stored;
  const whyNotSaved = useWhyNotSaved(org, text, stored);
  const end = () => {
    setDraft(undefined);
    onClose();
  };
  return (
    <div className="space-y-4">
      <Notice kind="info">
        The draft stays in this tab, even after a reload, until you save or discard it. Only you can see it.
      </Notice>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Panel
          title={`Draft of version ${(latest?.version ?? 0) + 1}`}
          actions={
            <Button variant="quiet" onPress={end}>
              {text === stored ? 'Stop editing' : 'Discard draft'}
            </Button>
          }
        >
          <PolicyEditor org={org} label="Policy (YAML)" value={text} onChange={setDraft} />
          <div className="mt-4 flex flex-wrap items-start gap-2">
            <SavePolicy org={org} name={policy.name} policy={policy} text={text} whyNot={whyNotSaved} onSaved={end} />
            <LinkButton href={paths.policyTest(org, policy.name)}>Back-test</LinkButton>
          </div>
        </Panel>
        <Panel title={`Differences from version ${latest?.version}`}>
          <TextDiff label={`The draft compared with version ${latest?.version}`} before={stored} after={text} />
        </Panel>
      </div>
    </div>
  );
}

/** Why a text cannot be saved as a version now. */
export function useWhyNotSaved(org: string, text: string, stored: string | undefined): string | undefined {
  const { problems, error } = usePolicyCheck(org, text);
  const notPermitted = useWhyNot('manage_policies');
  if (notPermitted !== undefined) return notPermitted;
  if (text === stored) return 'No changes';
  if (error) return 'Couldn’t validate the policy';
  if (problems === undefined) return 'The policy is being validated';
  return problems.length > 0 ? 'The policy has problems' : undefined;
}
