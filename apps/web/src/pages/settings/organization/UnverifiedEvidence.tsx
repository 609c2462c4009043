import { type Organization, putRefuseUnverified } from '@waymark/contract';
import { useWrite } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Panel } from '../../../ui/Panel.tsx';

export function UnverifiedEvidence({ org }: { readonly org: Organization }) {
  const isOn = org.refuse_unverified;
  const whyNot = useWhyNot('manage_org');
  const write = useWrite(putRefuseUnverified, {
    done: ({ refuse_unverified: on }) => `Unverified evidence is ${on ? 'refused' : 'recorded as non-compliant'}`,
  });
  return (
    <Panel title="Unverified evidence" note={isOn ? 'Refused' : 'Recorded as non-compliant'}>
      <p className="mb-3 text-quiet">
        A signed statement whose signature does not verify, or whose signer the org does not trust, is recorded as
        non-compliant, or refused so that the pipeline fails.
      </p>
      <Button
        whyNot={whyNot}
        isDisabled={write.isPending}
        onPress={() => write.mutate({ params: { org: org.name }, body: { refuse_unverified: !isOn } })}
      >
        {isOn ? 'Record unverified evidence' : 'Refuse unverified evidence'}
      </Button>
      {write.error && <p className="mt-2 text-bad">{write.error.message}</p>}
    </Panel>
  );
}
