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
    done: ({ experimental_features_enabled: on }) => `Beta features are ${on ? 'on' : 'off'}`,
    onDone: () => setAsking(false),
  });
  const put = (on: boolean) => write.mutate({ params: { org: org.name }, body: { experimental_features_enabled: on } });
  return (
    <Panel title="Beta features" note={isOn ? 'On' : 'Off'}>
      <p className="mb-3 text-quiet">
        While beta features are on, all members of the org can use them without the <code>Waymark-Beta</code> header.
        Beta features can change.
      </p>
      <Button whyNot={whyNot} isDisabled={write.isPending} onPress={() => (isOn ? setAsking(true) : put(true))}>
        {isOn ? 'Turn off beta features' : 'Turn on beta features'}
      </Button>
      {write.error && !asking && <p className="mt-2 text-bad">{write.error.message}</p>}
      {asking && (
        <ConfirmDialog
          title="Turn off beta features"
          confirm="Turn off beta features"
          write={write}
          onConfirm={() => put(false)}
          onClose={() => setAsking(false)}
        >
          <p>Waymark now rejects requests that use beta features without the header.</p>
          <p className="text-quiet">Recorded data is kept.</p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
