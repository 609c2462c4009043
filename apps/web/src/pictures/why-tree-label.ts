import type { Explanation } from '@waymark/contract';

const DIGITS_SHOWN = 12;

/** Describes the subject of a node. Its path has that for machines. */
export function nodeLabel({ id, kind, needs }: Pick<Explanation, 'id' | 'kind' | 'needs'>): string {
  switch (kind) {
    case 'artifact':
      return id.startsWith('trail/') ? `Artifact ${artifactText(id)}` : artifactText(id);
    case 'trail-branch':
      return `In its trail: ${artifactText(id)}`;
    case 'policy': {
      const { name, version } = policyOf({ id, needs });
      return `Policy ${name}${version === undefined ? '' : `, version ${version}`}`;
    }
    case 'rule':
      return requirementOf(needs) || `Rule ${after(id, '/rule:')}`;
    case 'attestation':
      return `Attestation ${attestationName(id)}`;
    case 'unplaced':
      return `Attestation ${attestationName(id)}, about an artifact not in this trail`;
    case 'evidence':
      return evidenceLabel(id);
    default:
      return id;
  }
}

/** `A compliant attestation of type junit, if …`: what a rule requires, without the period. */
function requirementOf(needs: string): string {
  return needs.replace(/\.$/, '');
}

/** File names before our marks may contain anything, so the last mark counts. */
function after(id: string, mark: string): string {
  const at = id.lastIndexOf(mark);
  return at === -1 ? id : id.slice(at + mark.length);
}

/** The artifact that a node is about; its digits may be the first few only, or unknown. */
export function artifactOf(id: string): { readonly name: string; readonly digits: string | undefined } {
  const step = after(id, 'artifact:');
  const [, name = step, digest] = /^(.*)@([0-9a-f]{12}|[0-9a-f]{64}|[0-9a-f-]{36}|unknown)$/s.exec(step) ?? [];
  const isDigits = digest !== undefined && /^[0-9a-f]+$/.test(digest);
  return { name, digits: isDigits ? digest : undefined };
}

function artifactText(id: string): string {
  const { name, digits } = artifactOf(id);
  if (digits !== undefined) return `${name} (${digits.slice(0, DIGITS_SHOWN)})`;
  return id.endsWith('@unknown') ? `${name} (not identified)` : name;
}

export function policyOf({ id, needs }: Pick<Explanation, 'id' | 'needs'>): {
  readonly name: string;
  readonly version: number | undefined;
} {
  const name = after(id, '/policy:').split('/')[0] ?? '';
  const [, version] = /, version (\d+)/.exec(needs) ?? [];
  return { name, version: version === undefined ? undefined : Number(version) };
}

/** Names of attestations have no colon. */
function attestationName(id: string): string {
  return after(id, '/attestation:').split(':')[0] ?? '';
}

function evidenceLabel(id: string): string {
  if (/\/without-provenance(~\d+)?$/.test(id)) return 'No provenance';
  const [, flow] = /\/flow:([^/~]+)[^/]*(?:\/attestation:[^/]+)?$/.exec(id) ?? [];
  return flow === undefined ? 'Evidence' : `In flow ${flow}`;
}
