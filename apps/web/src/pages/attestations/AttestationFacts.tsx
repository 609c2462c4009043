import type { Attestation } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { Digits } from '../../ui/Copy.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { Facts, Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { typeWords } from './summary.ts';

/** Who reported it, when, and about what. */
export function AttestationFacts({ of }: { readonly of: Attestation }) {
  return (
    <Panel title="Details">
      <Facts
        rows={[
          ['Type', `${typeWords(of.attestation_type)} (${of.attestation_type})`],
          ['Subject', <About key="about" of={of} />],
          ['Reported by', of.reported_by],
          ['Received', <Time key="received" at={of.created_at} as="exact" />],
          ['Happened', of.claimed_at === null ? null : <Claimed key="claimed" of={of} />],
          ['Commit', of.git_commit_info && <Digits key="commit" text={of.git_commit_info.sha1} what="commit" />],
          ['Repository', of.repo_info?.name],
          [
            'Origin URL',
            of.origin_url && (
              <OutsideLink key="from" href={of.origin_url}>
                {of.origin_url}
              </OutsideLink>
            ),
          ],
          ['Description', of.description || null],
          ...Object.entries(of.annotations).map(([name, value]) => [name, shownValue(value)] as const),
          ...linksOf(of.external_urls).map(
            ([label, href]) =>
              [
                label,
                <OutsideLink key={label} href={href}>
                  {href}
                </OutsideLink>,
              ] as const,
          ),
        ]}
      />
    </Panel>
  );
}

function About({ of }: { readonly of: Attestation }) {
  const { artifact_fingerprint: fingerprint, target_artifacts: targets } = of;
  if (fingerprint !== null)
    return (
      <span className="inline-flex flex-wrap items-center gap-1">
        <Link href={paths.artifact(of.org, of.flow_name, fingerprint)}>the artifact</Link>
        <Digits text={fingerprint} what="fingerprint" />
      </span>
    );
  return targets.length > 0 ? `the artifact ‘${targets.join(', ')}’ of this commit` : 'the whole trail';
}

function Claimed({ of }: { readonly of: Attestation }) {
  return (
    <>
      <Time at={of.claimed_at} as="exact" />
      {of.late && <span className="text-unsure"> – received more than five minutes later</span>}
    </>
  );
}

/** Text as it is, and any other value as JSON. */
export function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function linksOf(urls: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(urls).flatMap(([label, value]) => {
    const href = hrefOf(value);
    return href === undefined ? [] : [[label, href] as const];
  });
}

/** Each is `{href}`, or just the address, as the client sent it. */
export function hrefOf(value: unknown): string | undefined {
  const href = typeof value === 'object' && value !== null && 'href' in value ? value.href : value;
  return typeof href === 'string' ? href : undefined;
}
