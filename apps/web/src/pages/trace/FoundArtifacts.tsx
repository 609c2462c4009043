import { useState } from 'react';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty } from '../../ui/States.tsx';
import { Travelled } from './Travelled.tsx';
import type { FoundArtifact } from './trace-subject.ts';

const SHOWN_PER_STEP = 3;

/** One line for each artifact found. */
export function FoundArtifacts({ found }: { readonly found: readonly FoundArtifact[] }) {
  const [count, setCount] = useState(SHOWN_PER_STEP);
  const left = found.length - count;
  return (
    <>
      {found.slice(0, count).map(({ flow, fingerprint }) => (
        <Travelled key={`${flow} ${fingerprint}`} flow={flow} fingerprint={fingerprint} />
      ))}
      {left > 0 && (
        <Button onPress={() => setCount(count + SHOWN_PER_STEP)}>
          Show {Math.min(left, SHOWN_PER_STEP)} more of {left} artifacts
        </Button>
      )}
    </>
  );
}

export function NothingFound({ what }: { readonly what: string }) {
  const org = useOrg();
  return (
    <Panel>
      <Empty
        title={`No results for ‘${what}’`}
        command={`waymark attest artifact dist/app.tgz --name app --flow my-flow --trail my-trail --org ${org}`}
      >
        Find an artifact by its commit, pull request, or ticket after a pipeline has reported it:
      </Empty>
    </Panel>
  );
}
