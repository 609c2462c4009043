import { type Explanation, type ExplanationFound, listAttestations } from '@waymark/contract';
import { paths } from '../lib/paths.ts';
import { useRead } from '../lib/queries.ts';
import { Link } from '../ui/Link.tsx';
import { StateIcon, stateOf } from '../ui/StateBadge.tsx';
import { Time } from '../ui/Time.tsx';
import { hasNeeds, ownReason, repeatsNeeds } from './why-tree.ts';

/** The trail of all the evidence, if there is one. */
export interface Trail {
  readonly flow: string;
  readonly trail: string;
}

interface ReasonsProps {
  readonly org: string;
  readonly node: Explanation;
  readonly trail?: Trail | undefined;
}

/** What is required, what was found, why that is enough or not, and what to do. */
export function WhyTreeReasons({ org, node, trail }: ReasonsProps) {
  const { needs, found, fix } = node;
  const because = ownReason(node);
  return (
    <dl className="grid gap-x-4 text-[13.5px] [overflow-wrap:anywhere] sm:grid-cols-[max-content_minmax(0,1fr)] sm:gap-y-1">
      {hasNeeds(node) && !repeatsNeeds(node) && <Reason word="needs">{needs}</Reason>}
      {hasNeeds(node) && (
        <Reason word="found">
          {found.length === 0 ? (
            <span className="text-quiet">nothing</span>
          ) : (
            <ul>
              {found.map((one) => (
                <li key={one.id}>
                  <FoundEvidence org={org} found={one} trail={trail} />
                </li>
              ))}
            </ul>
          )}
        </Reason>
      )}
      {because !== '' && <Reason word="because">{because}</Reason>}
      {fix !== null && <Reason word="fix">{fix}</Reason>}
    </dl>
  );
}

function Reason({ word, children }: { readonly word: string; readonly children: React.ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{word}</dt>
      <dd className="max-sm:mb-1.5">{children}</dd>
    </>
  );
}

function FoundEvidence({ org, found, trail }: { org: string; found: ExplanationFound; trail: Trail | undefined }) {
  const { kind, name, type, is_compliant, at, control } = found;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      {kind === 'artifact' ? (
        <Link href={paths.anyArtifact(org, name)}>
          artifact <code>{name.slice(0, 12)}</code>
        </Link>
      ) : (
        <AttestationLink org={org} found={found} trail={trail} />
      )}
      {type !== null && <span className="text-quiet">of type {type}</span>}
      {control !== undefined && (
        <Link href={paths.control(org, control)} className="text-quiet">
          on control {control}
        </Link>
      )}
      {is_compliant !== null && (
        <span className="inline-flex items-center gap-1">
          <StateIcon state={stateOf(is_compliant)} size={13} />
          {is_compliant ? 'compliant' : 'non-compliant'}
        </span>
      )}
      {at !== null && (
        <span className="text-quiet">
          received <Time at={at} />
        </span>
      )}
    </span>
  );
}

/** An explanation names the attestation but not its trail, which is requested if the page does not know it. */
function AttestationLink({ org, found, trail }: { org: string; found: ExplanationFound; trail: Trail | undefined }) {
  const { data } = useRead(
    listAttestations,
    { params: { org }, query: { attestation_id: found.id } },
    { enabled: trail === undefined, staleTime: Number.POSITIVE_INFINITY, fresh: true },
  );
  const [attestation] = data?.data ?? [];
  const place = trail ?? (attestation && { flow: attestation.flow_name, trail: attestation.trail_name });
  if (!place) return <span>{found.name}</span>;
  return <Link href={paths.trail(org, place.flow, place.trail, found.id)}>{found.name}</Link>;
}
