import type { Attestation } from '@waymark/contract';
import { oneLine } from '../run/table.ts';

interface Statement {
  readonly predicate_type?: unknown;
  readonly signers?: readonly { readonly kind?: unknown; readonly name?: unknown }[];
  readonly builder?: unknown;
  readonly source?: { readonly repository?: unknown; readonly ref?: unknown; readonly commit?: unknown };
  readonly result?: unknown;
  readonly verifier?: unknown;
}

/** What signed statements say, as the service read them. */
export function statementFacts({ attestation_type, evaluation }: Attestation): [string, string][] {
  const { statements } = (evaluation ?? {}) as { statements?: unknown };
  if (attestation_type !== 'in_toto' || !Array.isArray(statements)) return [];
  return statements.flatMap(factsOf);
}

function factsOf({ predicate_type, signers = [], builder, source = {}, result, verifier }: Statement) {
  const from = [source.repository, source.ref, source.commit].filter((part) => typeof part === 'string');
  const by = signers.map(({ kind, name }) => `${String(kind)} ${String(name)}`).join(', ');
  const facts: [string, unknown][] = [
    ['statement', predicate_type],
    ['signed by', by || 'no trusted signer'],
    ['builder', builder],
    ['source', from.join(' ') || undefined],
    ['result', result],
    ['verifier', verifier],
  ];
  return facts.flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, oneLine(value)]] : [],
  );
}
