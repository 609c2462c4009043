import type { Attestation } from '@waymark/contract';
import { counted } from '../../lib/counted.ts';
import { Digits } from '../../ui/Copy.tsx';
import { Facts, Notice, Panel } from '../../ui/Panel.tsx';
import { statementOf } from './evidence.ts';
import { PlainTable } from './PlainTable.tsx';
import { StatementFacts } from './StatementFacts.tsx';
import { SEAL_WORDS, sealOf } from './seal.ts';
import { predicateName } from './summary.ts';
import { VexReader } from './VexReader.tsx';

const SUBJECTS_SHOWN = 50;

export function StatementReader({ of }: { readonly of: Attestation }) {
  const read = statementOf(of);
  if (!read) return null;
  const { statement, signed_by: by, claimed_signer: claimed, statements, other_statements: others } = read;
  const seal = sealOf(of);
  return (
    <>
      <Panel title={`Statement: ${predicateName(statement.predicateType)}`}>
        {by === null ? (
          <Notice kind={seal === 'failed' ? 'bad' : 'unsure'} title={SEAL_WORDS[seal]}>
            {of.reasons.join(' ')} The statement is stored but not trusted.
            {claimed && ` The signature names the trusted ${claimed.kind} ‘${claimed.name}’.`}
          </Notice>
        ) : (
          <Notice kind="good" title="The signature is verified">
            Signed by the trusted {by.kind} ‘{by.name}’.
          </Notice>
        )}
        {by !== null && !of.is_compliant && (
          <div className="mt-3">
            <Notice kind="bad" title="The verification failed">
              {of.reasons.join(' ')}
            </Notice>
          </div>
        )}
        {statements.map((one, place) => (
          <StatementFacts
            key={place}
            statement={one}
            title={statements.length > 1 ? `Statement ${place + 1}: ${predicateName(one.predicate_type)}` : null}
          />
        ))}
        {others > 0 && (
          <p className="mt-3 text-quiet">
            The file has {counted(others, 'statement')} about other artifacts, which do not count.
          </p>
        )}
        <div className="mt-3">
          <Facts rows={[['Predicate', <code key="predicate">{statement.predicateType}</code>]]} />
        </div>
        <h3 className="mt-3 mb-1 font-semibold">Subjects</h3>
        <PlainTable
          caption="Subjects of the statement"
          head={['Name', 'Fingerprint', 'Match']}
          rows={statement.subjects
            .slice(0, SUBJECTS_SHOWN)
            .map(({ name, sha256 }) => [
              name || '–',
              <Digits key="sha" text={sha256} what="fingerprint" length={12} />,
              sha256 === of.artifact_fingerprint ? 'this artifact' : 'another',
            ])}
        />
      </Panel>
      <VexReader of={of} />
    </>
  );
}
