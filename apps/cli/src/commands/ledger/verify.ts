import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  FormatError,
  type LedgerProof,
  type LedgerVerdict,
  type ProofStep,
  parseLedgerProof,
  verifyLedgerProof,
} from '@waymark/transparency';
import { POLICY_HELP, readTrustPolicy } from '../../ledger/trust-policy.ts';
import { factsText } from '../../resources/show.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description:
    'Verifies a proof file with a trust policy, without the network: the content of the entry, its place in the log of ' +
    'the org, the place of that log in the region log, the signature, and the cosignatures. Exits with 3 unless all of ' +
    'that holds.',
  examples: [
    { say: 'A proof that you received', run: 'waymark ledger verify release-1.tlog-proof --policy trust.txt' },
    {
      say: 'Print what was recorded, if it is proven',
      run: "waymark ledger verify release-1.tlog-proof --policy trust.txt --jq '.entry.payload | fromjson'",
    },
  ],
  build: (command) => command.argument('<file>', 'a .tlog-proof file').requiredOption('--policy <file>', POLICY_HELP),
  async run(session, [file], { policy }) {
    const trusted = readTrustPolicy(session, policy);
    const proof = readProof(file, readFileSync(resolve(session.io.cwd, file)));
    const verdict = await verifyLedgerProof(proof, trusted);
    return {
      data: documentOf(file, proof, verdict),
      text: (style) => textOf(file, proof, verdict, style),
      ending: verdict.ok ? 'done' : 'nonCompliant',
    };
  },
});

function readProof(file: string, bytes: Uint8Array): LedgerProof {
  try {
    return parseLedgerProof(bytes);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw usageError(
      `${file} is not a proof of an entry: ${error.message}`,
      "Use the .tlog-proof that 'waymark ledger proof' wrote; of a package use 'waymark verify'",
    );
  }
}

function documentOf(file: string, { entry, org }: LedgerProof, { ok, steps, checkpoint, cosigned }: LedgerVerdict) {
  const { leaf, actorName, payload, index } = entry;
  return {
    file,
    verified: ok,
    entry: { index, actor_name: actorName, payload, leaf },
    log: { origin: org.origin, size: org.size, root: Buffer.from(org.root).toString('hex') },
    checkpoint: {
      origin: checkpoint.origin,
      size: checkpoint.size,
      root: Buffer.from(checkpoint.root).toString('hex'),
    },
    witnesses: cosigned.map(({ witness, time }) => ({ name: witness, cosigned_at: time })),
    steps,
  };
}

function textOf(file: string, { entry }: LedgerProof, verdict: LedgerVerdict, style: Style): string {
  const { leaf, actorName } = entry;
  const title = verdict.ok
    ? `${style.good('✓')} ${style.strong(oneLine(file))} proves that this was recorded`
    : `${style.bad('✕')} ${style.strong(oneLine(file))} proves nothing`;
  const facts = factsText(title, [
    ['entry', leaf.id],
    ['type', leaf.type],
    ['subject', `${leaf.subject_kind} ${leaf.subject_id}`],
    ['actor', actorName ?? `${leaf.actor_kind}, name erased`],
    ['time', `${leaf.at}, by the clock of the service`],
  ]);
  return [facts, ...verdict.steps.map((step) => `  ${signOf(step, style)} ${oneLine(step.says)}`)].join('\n');
}

function signOf({ outcome }: ProofStep, style: Style): string {
  if (outcome === 'ok') return style.good('✓');
  return outcome === 'failed' ? style.bad('✕') : style.doubtful('-');
}
