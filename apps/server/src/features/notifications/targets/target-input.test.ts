import { PAYLOAD_VERSION, type TargetInput } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import type { Fields, Problem } from '../../../platform/errors.ts';
import { readTargets, type TargetRules } from './target-input.ts';

const rules: TargetRules = { canStoreSecrets: true, networks: [] };
const url = 'https://hooks.example.org/in/token';
const context = { channel_id: 'C1', channel_name: 'alerts', team_id: 'T1' };

function faults(inputs: TargetInput[], more: Partial<TargetRules> = {}): Fields {
  try {
    readTargets(inputs, { ...rules, ...more });
  } catch (error) {
    return (error as Problem).fields ?? {};
  }
  return {};
}

const kindOf = (input: TargetInput) => readTargets([input], rules)[0]?.kind;

describe('the kind of a target', () => {
  it.each<[TargetInput, string]>([
    [{ type: 'CHAT', webhook: url }, 'CHAT'],
    [{ type: 'SLACK', webhook: url }, 'CHAT'],
    [{ type: 'WEBHOOK', webhook: url }, 'WEBHOOK'],
    [{ type: 'EMAIL', emails: ['a@example.org'] }, 'EMAIL'],
    [{ emails: ['a@example.org'] }, 'EMAIL'],
    [{ webhook: url, payload_version: PAYLOAD_VERSION }, 'WEBHOOK'],
    [{ webhook: url, context }, 'CHAT'],
    [{ webhook: url, payload_version: PAYLOAD_VERSION, context: null }, 'WEBHOOK'],
  ])('of %j is %s', (input, kind) => {
    expect(kindOf(input)).toBe(kind);
  });

  it('is required when no field shows it', () => {
    const alone = 'is required: CHAT or WEBHOOK, because a webhook URL does not determine the type';
    expect(faults([{ webhook: url }])).toEqual({ 'targets.0.type': alone });
    expect(faults([{ webhook: url, context: null }])).toEqual({ 'targets.0.type': alone });
    expect(faults([{}])).toEqual({ 'targets.0.type': 'is required: CHAT, WEBHOOK or EMAIL' });
  });
});

it('accepts the fields of a kind, and gives a webhook its version', () => {
  const read = readTargets(
    [
      { type: 'SLACK', webhook: url, context, last_success_at: 1, last_failure_at: null },
      { type: 'WEBHOOK', webhook: url },
      { emails: ['b@example.org', 'a@example.org'] },
    ],
    rules,
  );
  expect(read).toEqual([
    { kind: 'CHAT', url, payloadVersion: null, context, emails: [] },
    { kind: 'WEBHOOK', url, payloadVersion: PAYLOAD_VERSION, context: null, emails: [] },
    { kind: 'EMAIL', url: null, payloadVersion: null, context: null, emails: ['b@example.org', 'a@example.org'] },
  ]);
});

describe('problems are reported field by field', () => {
  const emails = ['a@example.org'];
  it.each<[string, TargetInput[], Fields]>([
    ['chat without a URL', [{ type: 'CHAT' }], { 'targets.0.webhook': 'is required for CHAT' }],
    [
      'chat with the rest',
      [{ type: 'SLACK', webhook: url, emails, payload_version: PAYLOAD_VERSION }],
      { 'targets.0.emails': 'is not allowed for CHAT', 'targets.0.payload_version': 'is not allowed for CHAT' },
    ],
    ['a webhook without a URL', [{ payload_version: '1.0' }], { 'targets.0.webhook': 'is required for WEBHOOK' }],
    [
      'a webhook with the rest',
      [{ type: 'WEBHOOK', webhook: url, emails, context }],
      { 'targets.0.emails': 'is not allowed for WEBHOOK', 'targets.0.context': 'is not allowed for WEBHOOK' },
    ],
    ['mail without addresses', [{ type: 'EMAIL' }], { 'targets.0.emails': 'is required for EMAIL' }],
    [
      'mail with the rest',
      [{ emails, webhook: url, payload_version: '1.0', context }],
      {
        'targets.0.webhook': 'is not allowed for EMAIL',
        'targets.0.payload_version': 'is not allowed for EMAIL',
        'targets.0.context': 'is not allowed for EMAIL',
      },
    ],
    [
      'several at once',
      [{ emails }, { webhook: url }, { type: 'CHAT' }],
      { 'targets.1.type': expect.any(String) as string, 'targets.2.webhook': 'is required for CHAT' },
    ],
  ])('%s', (_, inputs, expected) => {
    expect(faults(inputs)).toEqual(expected);
  });

  it('and the message names the first and counts the rest', () => {
    expect(() => readTargets([{ type: 'CHAT' }, { type: 'EMAIL' }], rules)).toThrow(
      "Invalid field 'targets.0.webhook' (and 1 more)",
    );
  });
});

describe('no destination is accepted twice', () => {
  const chat = (webhook: string): TargetInput => ({ type: 'CHAT', webhook });
  it.each<[string, TargetInput[], Fields]>([
    ['one URL', [chat(url), { type: 'SLACK', webhook: url }], { 'targets.1.webhook': 'is the same as in targets.0' }],
    [
      'two spellings of one URL',
      [chat('https://a.example.org'), chat('https://A.example.org:443/')],
      { 'targets.1.webhook': 'is the same as in targets.0' },
    ],
    [
      'one address twice in a target',
      [{ emails: ['a@example.org', 'b@example.org', 'A@example.org'] }],
      { 'targets.0.emails': "contains 'A@example.org' twice" },
    ],
    [
      'one address in two targets',
      [{ emails: ['a@example.org'] }, chat(url), { emails: ['b@example.org', 'a@Example.org'] }],
      { 'targets.2.emails': "contains 'a@Example.org', as targets.0 does" },
    ],
  ])('%s', (_, inputs, expected) => {
    expect(faults(inputs)).toEqual(expected);
  });

  it('but chat and webhook with one URL are different', () => {
    expect(faults([chat(url), { type: 'WEBHOOK', webhook: url }])).toEqual({});
  });
});

describe('a URL is validated without a DNS query', () => {
  const problem = (webhook: string, networks: string[] = []) =>
    faults([{ type: 'WEBHOOK', webhook }], { networks })['targets.0.webhook'];

  it.each([
    ['https://hooks.example.org/…', 'is shown without its secret part: send the complete URL'],
    ['https://hooks.example.org/%e2%80%a6', 'is shown without its secret part: send the complete URL'],
    ['https://user:word@hooks.example.org/', 'contains a user name or password'],
    ['https://hooks.example.org/ä', 'contains a space, a backslash, or a non-ASCII character'],
    ['https://0x7f.1/', 'has a host that is not a plain domain name or address'],
    ['https://2130706433/', 'has a host that is not a plain domain name or address'],
    ['https://', 'has a host that is not a plain domain name or address'],
    ['https://hooks.example.org:22/', 'cannot be called: hooks.example.org must be called on port 443 or 8443'],
    ['https://localhost/', 'cannot be called: localhost is not a public host name'],
    ['https://chat.svc.cluster.local/', 'cannot be called: chat.svc.cluster.local is not a public host name'],
    ['https://127.0.0.1/', 'cannot be called: 127.0.0.1 is not a public address'],
    ['https://169.254.169.254/', 'cannot be called: 169.254.169.254 is not a public address'],
    ['https://[::1]/', 'cannot be called: ::1 is not a public address'],
  ])('%s is refused', (webhook, reason) => {
    expect(problem(webhook)).toBe(reason);
  });

  it.each(['https://hooks.example.org', 'https://hooks.example.org:8443/x?y#z', 'https://93.184.216.34/'])(
    '%s is accepted',
    (webhook) => {
      expect(problem(webhook)).toBeUndefined();
    },
  );

  it('where the operator permits networks, names and ports are accepted, and addresses are checked', () => {
    const networks = ['10.0.0.0/8', 'fd00::/8'];
    for (const webhook of [
      'https://chat:6443/',
      'https://chat.internal/',
      'https://10.1.2.3:9000/',
      'https://[fd00::1]/',
    ]) {
      expect(problem(webhook, networks), webhook).toBeUndefined();
    }
    expect(problem('https://192.168.0.1/', networks)).toContain('is not a public address');
    expect(problem('https://93.184.216.34:22/', networks)).toContain('must be called on port 443 or 8443');
    expect(problem('https://a@chat/', networks)).toBe('contains a user name or password');
  });
});

it('only mail is accepted where secrets cannot be stored', () => {
  const bare = { canStoreSecrets: false };
  const reason = expect.stringContaining('this installation has no WAYMARK_SECRET_KEY') as string;
  expect(faults([{ type: 'CHAT', webhook: url }, { emails: ['a@example.org'] }], bare)).toEqual({
    'targets.0.webhook': reason,
  });
  expect(faults([{ type: 'WEBHOOK', webhook: url }], bare)).toEqual({ 'targets.0.webhook': reason });
  expect(faults([{ emails: ['a@example.org'] }], bare)).toEqual({});
});
