import { counted } from '../../lib/counted.ts';
import { Facts } from '../../ui/Panel.tsx';
import type { ReadStatement } from './evidence.ts';
import { PlainTable } from './PlainTable.tsx';

/** What one verified statement says. Of an unverified one nothing is known but its type. */
export function StatementFacts({
  statement,
  title,
}: {
  readonly statement: ReadStatement;
  readonly title: string | null;
}) {
  const { materials = [], material_count: count = 0 } = statement;
  return (
    <section className="mt-3">
      {title !== null && <h3 className="mb-1 font-semibold">{title}</h3>}
      <Facts rows={factsOf(statement)} />
      {materials.length > 0 && (
        <>
          <h4 className="mt-3 mb-1 font-semibold">Materials</h4>
          <PlainTable
            caption="Materials of the build"
            head={['Location', 'Digest']}
            rows={materials.map(({ uri, digest }) => [uri ?? '–', <code key="digest">{digest ?? '–'}</code>])}
          />
          {count > materials.length && <p className="mt-1 text-quiet">And {count - materials.length} more.</p>}
        </>
      )}
      {statement.parameters !== undefined && (
        <details className="mt-3">
          <summary className="cursor-pointer text-quiet">Parameters</summary>
          <pre className="mt-1 overflow-x-auto text-[12.5px]">{statement.parameters}</pre>
        </details>
      )}
    </section>
  );
}

const ABOUT: Readonly<Record<string, string>> = {
  sha256: 'This artifact',
  sha512: 'This artifact, by its SHA-512',
  gitCommit: 'The commit of this artifact',
};

function factsOf(statement: ReadStatement): [string, React.ReactNode][] {
  const { source = {}, sbom, vex, signers, verified_levels: levels, properties } = statement;
  return [
    ['Predicate', <code key="predicate">{statement.predicate_type}</code>],
    ['Subject', ABOUT[statement.about] ?? statement.about],
    ['Signed by', signers.length === 0 ? 'No trusted signer' : signers.map(signerWords).join(', ')],
    ['Builder', statement.builder],
    ['Build type', statement.build_type],
    ['Run', statement.invocation],
    ['Repository', source.repository],
    ['Ref', source.ref],
    ['Commit', source.commit && <code key="commit">{source.commit}</code>],
    ['Result', statement.result],
    ['Verifier', statement.verifier],
    ['Policy', statement.policy_uri],
    ['Resource', statement.resource_uri],
    ['Levels', levels?.join(', ')],
    ['Properties', properties?.join(', ')],
    ['SBOM', sbom && `${sbom.format} ${sbom.spec_version}, ${counted(sbom.component_count, 'component')}`],
    ['VEX', vex && `${vex.format}, ${counted(vex.statement_count, 'statement')}`],
  ];
}

function signerWords({ kind, name, identity }: ReadStatement['signers'][number]): string {
  return identity === undefined ? `${kind} ‘${name}’` : `identity ‘${name}’ (${identity})`;
}
