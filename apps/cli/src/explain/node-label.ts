import type { Explanation } from '@waymark/contract';

const DIGITS_SHOWN = 12;

/** Returns the subject of a node in words; its path is for machines. Names are untrusted: escape the result. */
export function nodeLabel({ id, kind, needs }: Explanation): string {
  switch (kind) {
    case 'artifact':
      return artifactLabel(after(id, 'artifact:'));
    case 'trail-branch':
      return `its trail: ${artifactLabel(after(id, 'artifact:'))}`;
    case 'policy':
      return `policy ${after(id, '/policy:')}${/, version \d+/.exec(needs)?.[0] ?? ''}`;
    case 'rule':
      return `rule ${after(id, '/rule:')}`;
    case 'attestation':
      return `attestation ${attestationName(id)}`;
    case 'unplaced':
      return `attestation ${attestationName(id)}, about an artifact that is not in this trail`;
    case 'evidence':
      return evidenceLabel(id);
    default:
      return id;
  }
}

/** The marks are ours, but file names before them may contain anything, so the last one counts. */
function after(id: string, mark: string): string {
  const at = id.lastIndexOf(mark);
  return at === -1 ? id : id.slice(at + mark.length);
}

function artifactLabel(step: string): string {
  const [, name = step, digest] = /^(.*)@([0-9a-f]{12}|[0-9a-f]{64}|[0-9a-f-]{36}|unknown)$/s.exec(step) ?? [];
  if (digest === undefined || digest.includes('-')) return name;
  return digest === 'unknown' ? `${name} (not identified)` : `${name} (${digest.slice(0, DIGITS_SHOWN)})`;
}

/** Names of attestations have no colon. */
function attestationName(id: string): string {
  return after(id, '/attestation:').split(':')[0] ?? '';
}

function evidenceLabel(id: string): string {
  if (id.endsWith('/without-provenance')) return 'no provenance';
  const [, flow] = /\/flow:([^/]+)(?:\/attestation:[^/]+)?$/.exec(id) ?? [];
  return flow === undefined ? 'evidence' : `flow ${flow}`;
}
