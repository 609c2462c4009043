import { expect, it } from 'vitest';
import { digestOf, matchTargets } from './match-targets.ts';
import type { TargetKind, WantedTarget } from './target-input.ts';

const hook = (id: string, url: string, kind: TargetKind = 'WEBHOOK') => ({
  ...{ id, kind, emails: [] },
  url_sha256: digestOf(url),
});
const mail = (id: string, ...emails: string[]) => ({ ...{ id, kind: 'EMAIL' as const, emails }, url_sha256: null });
const wanted = (more: Partial<WantedTarget>): WantedTarget => ({
  ...{ id: undefined, kind: 'WEBHOOK', url: null, payloadVersion: null, context: null, emails: [] },
  ...more,
});
const wantedMail = (...emails: string[]) => wanted({ kind: 'EMAIL', emails });

function matched(stored: Parameters<typeof matchTargets>[0], targets: WantedTarget[]) {
  return matchTargets(stored, targets).map((row) => row?.id);
}

it('matches a target by its URL or its addresses, in any order and case', () => {
  const stored = [hook('a', 'u1'), hook('b', 'u2'), mail('c', 'x@example.org', 'y@example.org')];
  const targets = [wanted({ url: 'u2' }), wantedMail('Y@example.org', 'x@example.org'), wanted({ url: 'u3' })];
  expect(matched(stored, targets)).toEqual(['b', 'c', undefined]);
  expect(matched(stored, [wanted({ kind: 'CHAT', url: 'u1' })])).toEqual([undefined]);
});

it('prefers an id to a URL, within the same kind', () => {
  const stored = [hook('a', 'u1'), hook('b', 'u2')];
  expect(matched(stored, [wanted({ id: 'a', url: 'u2' }), wanted({ id: 'b', url: 'u1' })])).toEqual(['a', 'b']);
  expect(matched(stored, [wanted({ id: 'a', url: 'u3' }), wanted({ url: 'u1' })])).toEqual(['a', undefined]);
  expect(matched(stored, [wanted({ id: 'a', kind: 'CHAT', url: 'u1' })])).toEqual([undefined]);
  expect(matched(stored, [wanted({ id: 'z', url: 'u1' })])).toEqual(['a']);
});

it('takes the unchanged one of several with the same id', () => {
  const copies = [wanted({ id: 'a', url: 'u9' }), wanted({ id: 'a', url: 'u1' })];
  expect(matched([hook('a', 'u1')], copies)).toEqual([undefined, 'a']);
  expect(matched([hook('a', 'u0')], copies)).toEqual(['a', undefined]);
});

it('matches the remaining mail targets if there is one on either side', () => {
  const [one, two] = [mail('c', 'x@example.org'), mail('d', 'y@example.org')];
  expect(matched([one], [wantedMail('new@example.org')])).toEqual(['c']);
  expect(matched([one, two], [wantedMail('y@example.org'), wantedMail('new@example.org')])).toEqual(['d', 'c']);
  expect(matched([one, two], [wantedMail('new@example.org')])).toEqual([undefined]);
  expect(matched([one], [wantedMail('new@example.org'), wantedMail('more@example.org')])).toEqual([
    undefined,
    undefined,
  ]);
});
