import type { Message } from '@waymark/messages';
import type { Outgoing } from '../../src/features/notifications/send/outgoing.ts';

/** A message that an environment is non-compliant, on its way. */
export function givenOutgoing(target: Partial<Outgoing['target']>, message: Partial<Message> = {}): Outgoing {
  return {
    orgId: '01890a5d-ac96-774b-bcce-b302099a8001',
    address: target.kind === 'EMAIL' ? 'ada@example.test' : null,
    target: {
      id: '01890a5d-ac96-774b-bcce-b302099a8002',
      kind: 'EMAIL',
      url: null,
      secrets: [],
      sourceName: 'production alerts',
      derived: false,
      ...target,
    },
    message: { ...givenMessage, ...message },
  };
}

export const givenMessage: Message = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  org: 'acme',
  trigger: 'ON_NON_COMPLIANT_ENV',
  sequence: 12,
  count: 1,
  timestamp: 1_790_000_000,
  content: {
    environment: 'production',
    flow: null,
    snapshot: { index: 42, status: 'non-compliant' },
    artifact: {
      name: 'registry.acme.io/payments/web:1.4.2',
      fingerprint: '3f5a'.repeat(16),
      compliant: false,
      provenance: null,
    },
    trail: null,
    attestation: null,
    apiKey: null,
    names: ['registry.acme.io/payments/web:1.4.2'],
    why: 'registry.acme.io/payments/web:1.4.2 has no provenance',
  },
};

/** Names that imitate us, run something, or break the text around them. */
export const HOSTILE_NAMES: readonly string[] = [
  '<script>document.title = "run"</script>',
  '"><img src="https://evil.example/x.png" onerror="document.title = \'run\'">',
  "' style='position: fixed; inset: 0' onmouseover='document.title = 1",
  '</title></td></table></div><iframe src="https://evil.example"></iframe>',
  'a\r\nBcc: eve@evil.example\r\nSubject: Your password\r\n\r\nSend it to me',
  '\u202egnp.exe\u2066\u200f\u061c',
  'https://evil.example/login?next=waymark',
  '=?utf-8?q?encoded?= @everyone &lt;b&gt; ${x} {{x}}',
  '\u0000\u0007\u001b[31m\ud800\ufeff',
  'n'.repeat(10_000),
  'שלום عليكم 👩‍🚀 é́́́́́́́́',
  '',
];
