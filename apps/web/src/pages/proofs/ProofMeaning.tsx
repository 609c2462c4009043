import { withBase } from '../../lib/base-path.ts';
import { paths } from '../../lib/paths.ts';
import { Panel } from '../../ui/Panel.tsx';

const PROVES = [
  'This entry was in the ledger when the checkpoint was signed, and has not changed since.',
  'The checkpoint was seen by the witnesses that cosigned it. Nobody can show them another history, not even the operator.',
];
const DOES_NOT_PROVE = [
  'That the recorded facts are true: a reporter may have sent something false. The trust of each piece of evidence says who sent it.',
  'That nothing is missing: for that, a person has to read the whole log.',
  'When it happened, other than by the clock of the service, unless a time stamp confirms it.',
];

export function ProofMeaning() {
  return (
    <Panel title="Meaning">
      <h3 className="font-medium">What a proof proves</h3>
      <Points of={PROVES} />
      <h3 className="mt-3 font-medium">What it does not prove</h3>
      <Points of={DOES_NOT_PROVE} />
      <p className="mt-3">
        <a href={withBase(paths.ledgerHelp())} className="underline">
          How the ledger works
        </a>
      </p>
    </Panel>
  );
}

function Points({ of }: { readonly of: readonly string[] }) {
  return (
    <ul className="mt-1 list-disc space-y-1 pl-5">
      {of.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  );
}
