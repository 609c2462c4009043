import { type Organization, putExperimentalFeatures } from '@waymark/contract';
import { useState } from 'react';
import { useWrite } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Panel } from '../../../ui/Panel.tsx';

export function ExperimentalFeatures({ org }: { readonly org: Organization }) {
  const isOn = org.experimental_features_enabled;
  const whyNot = useWhyNot('manage_org');
  const [asking, setAsking] = useState(false);
  const write = useWrite(putExperimentalFeatures, {
    done: ({ experimental_features_enabled: on }) => `Experimental features are ${on ? 'on' : 'off'}`,
    onDone: () => setAsking(false),
  });
  const put = (on: boolean) => write.mutate({ params: { org: org.name }, body: { experimental_features_enabled: on } });
  return (
    <Panel title="Experimental features" note={isOn ? 'On' : 'Off'}>
      <p className="mb-3 text-quiet">
        While they are on, what is beta is open to all members of the org, without the header <code>Waymark-Beta</code>.
        It may still change.
      </p>
      <Button whyNot={whyNot} isDisabled={write.isPending} onPress={() => (isOn ? setAsking(true) : put(true))}>
        {isOn ? 'Turn them off' : 'Turn them on'}
      </Button>
      {write.error && !asking && <p className="mt-2 text-bad">{write.error.message}</p>}
      {asking && (
        <ConfirmDialog
          title="Turn experimental features off"
          confirm="Turn them off"
          write={write}
          onConfirm={() => put(false)}
          onClose={() => setAsking(false)}
        >
          <p>Programs that use what is beta without the header are refused from their next request on.</p>
          <p className="text-quiet">Nothing that was recorded is taken away.</p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
