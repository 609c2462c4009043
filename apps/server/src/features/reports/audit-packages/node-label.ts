import type { Explanation } from '@waymark/compliance';
import type { Template } from '@waymark/template';
import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { quiet, text } from '../kit/cells.ts';

/** The requirements of the template, by the path of their node. */
export type RequiredTypes = ReadonlyMap<string, string>;

export function requiredTypes({ trail }: Template): RequiredTypes {
  const below = (parent: string, asked: readonly { name: string; type: string }[]) =>
    asked.map(({ name, type }) => [`${parent}/attestation:${name}`, type] as const);
  return new Map([
    ...below('trail', trail.attestations),
    ...trail.artifacts.flatMap(({ name, attestations }) => below(`trail/artifact:${name}`, attestations)),
  ]);
}

/** Describes a node in words; its path is for machines. */
export function nodeLabel(node: Explanation, trailName: string, required: RequiredTypes): Html {
  switch (node.kind) {
    case 'trail':
      return html`Trail ${text(trailName)}`;
    case 'artifact':
      return artifactLabel(node.id.slice('trail/artifact:'.length));
    case 'attestation':
      return html`Attestation ${text(attestationName(node.id))}${ofType(typeOf(node, required))}`;
    case 'unplaced':
      return html`Attestation ${text(attestationName(node.id))}${ofType(typeOf(node, required))} ${quiet(['on ', missingArtifact(node.id)])}`;
  }
}

export function typeInWords(type: string): string {
  return type === '*' ? 'any type' : type;
}

/** A name in the template, or one with a fingerprint or report id to distinguish it. */
function artifactLabel(step: string): Html {
  const [, name = step, digest] = /^(.*)@([0-9a-f]{64}|[0-9a-f-]{36})$/s.exec(step) ?? [];
  return html`Artifact ${text(name)}${digest?.length === 64 && html` ${quiet(html`<code>${digest.slice(0, 12)}</code>`)}`}`;
}

/** Names of attestations have no colon; names of files, further up in the path, may hold anything. */
function attestationName(id: string): string {
  const [name = ''] = id.slice(id.lastIndexOf('/attestation:') + '/attestation:'.length).split(':');
  return name;
}

/** What was found instead of a missing attestation is of another type. */
function typeOf({ id, kind, status, found }: Explanation, required: RequiredTypes): string | undefined {
  if (kind === 'attestation' && status === 'MISSING') return required.get(id);
  return found[0]?.type ?? undefined;
}

function ofType(type: string | undefined): Part {
  if (type === undefined) return '';
  return html` ${quiet(type === '*' ? 'of any type' : `of type ${type}`)}`;
}

function missingArtifact(id: string): Part {
  const target = id.slice('trail/unplaced:'.length, id.lastIndexOf('/attestation:'));
  const [, name, commit] = /^(.*)@([0-9a-f]+)$/s.exec(target) ?? [];
  if (name === undefined || commit === undefined) return html`fingerprint <code>${target.slice(0, 12)}</code>`;
  return html`artifact ${text(name)} of commit <code>${commit.slice(0, 7)}</code>`;
}
