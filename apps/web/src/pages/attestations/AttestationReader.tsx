import type { Attestation } from '@waymark/contract';
import { Empty } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { CustomReader } from './CustomReader.tsx';
import { DecisionReader } from './DecisionReader.tsx';
import { FindingsReader } from './FindingsReader.tsx';
import { GenericReader } from './GenericReader.tsx';
import { IssuesReader } from './IssuesReader.tsx';
import { OverrideReader } from './OverrideReader.tsx';
import { PullRequestReader } from './PullRequestReader.tsx';
import { SbomReader } from './SbomReader.tsx';
import { SonarReader } from './SonarReader.tsx';
import { StatementReader } from './StatementReader.tsx';
import { kindOf } from './summary.ts';
import { TestsReader } from './TestsReader.tsx';
import { VexReader } from './VexReader.tsx';

type Reader = (props: { readonly of: Attestation }) => React.ReactNode;

const READERS: Readonly<Record<string, Reader>> = {
  junit: TestsReader,
  snyk: FindingsReader,
  sonar: SonarReader,
  jira: IssuesReader,
  pull_request: PullRequestReader,
  sbom: SbomReader,
  vex: VexReader,
  in_toto: StatementReader,
  custom: CustomReader,
  decision: DecisionReader,
  system: DecisionReader,
};

/** The evidence as a person reads it, by its kind. An override has the type of what it overrides, and a reason. */
export function AttestationReader({ of }: { readonly of: Attestation }) {
  if (of.unreadable) {
    return (
      <Empty title="Couldn’t read this attestation">
        Its stored content is damaged. Ask an operator to restore the row that the server log names.
      </Empty>
    );
  }
  if (of.erased) {
    return (
      <Empty title="Content erased">
        Erased on <Time at={of.erased.at} as="exact" /> by {of.erased.by}: {of.erased.reason}
      </Empty>
    );
  }
  if (of.overrides !== null || of.attestation_type === 'override') return <OverrideReader of={of} />;
  const Reader = READERS[kindOf(of.attestation_type)] ?? GenericReader;
  return <Reader of={of} />;
}
