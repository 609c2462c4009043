import { type Attestation, judgeTrail, type Target } from '@waymark/compliance';
import { expect, it } from 'vitest';
import { artifactEffect, attestationEffect } from './effect.ts';

let receipt = 0;

function attested(id: string, target: Target, isCompliant = true): Attestation {
  const name = id.replace(/-.*/, '');
  receipt++;
  return { id, receipt, receivedAt: receipt, name, type: 'generic', isCompliant, target, reasons: [], overrides: null };
}

function reported(id: string, digit: string) {
  receipt++;
  const fingerprint = digit.repeat(64);
  return { id, receipt, reportedAt: receipt, fingerprint, templateName: 'web', commit: null, filename: 'web.tgz' };
}

const on = (digit: string): Target => ({ kind: 'fingerprint', fingerprint: digit.repeat(64) });
const named = (artifact: string): Target => ({ kind: 'named', artifact, commit: 'c'.repeat(40) });

const judgement = judgeTrail({
  name: 't',
  autoCreated: false,
  template: { attestations: [], artifacts: [{ name: 'web', attestations: [] }] },
  artifacts: [reported('old', '1'), reported('new', '2')],
  attestations: [
    attested('ticket-1', { kind: 'trail' }),
    attested('ticket-2', { kind: 'trail' }),
    attested('unit-1', on('1')),
    attested('unit-2', on('2')),
    attested('lint-1', named('wbe')),
    attested('scan-1', named('wbe'), false),
  ],
});

it.each([
  ['ticket-1', 'superseded by a newer report'],
  ['ticket-2', 'counts'],
  ['unit-1', 'about a superseded artifact'],
  ['unit-2', 'counts'],
  ['lint-1', 'about an artifact that is not in the trail'],
  ['scan-1', 'counts, about an artifact that is not in the trail'],
])('%s: %s', (id, effect) => {
  expect(attestationEffect(judgement)(id)).toBe(effect);
});

it('counts only the newest report of an artifact', () => {
  expect(['old', 'new'].map(artifactEffect(judgement))).toEqual(['superseded by a newer report', 'counts']);
});
