import type { ArtifactContent, Message, MessageContent, MessageTrigger } from '@waymark/messages';

export const PUBLIC_URL = 'https://waymark.example.org';

const web: ArtifactContent = {
  name: 'registry.example.org/web:2.7.1',
  fingerprint: '5e8ff9bf55ba3508199d22e984129be6c6f0a3f0a56fe8b4b1c6a0c3d8e1f2a4',
  compliant: true,
  provenance: {
    flow: 'web',
    trail: 'release-271',
    commit: '9e107d9d372bb6826bd81d3542a419d6f2c5a0b1',
    commitUrl: 'https://git.example.org/acme/web/commit/9e107d9d372bb6826bd81d3542a419d6f2c5a0b1',
    buildUrl: 'https://ci.example.org/acme/web/runs/271',
    artifactId: '019a81c4-7b1d-7e02-a3c4-5d6e7f8091a2',
  },
};
/** It has not been judged yet. */
const reported: ArtifactContent = { ...web, compliant: null };
const unknown: ArtifactContent = {
  name: 'registry.example.org/debug:latest',
  fingerprint: 'c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2',
  compliant: false,
  provenance: null,
};

const NOTHING: MessageContent = {
  environment: null,
  flow: null,
  snapshot: null,
  artifact: null,
  trail: null,
  attestation: null,
  apiKey: null,
  names: [],
  why: null,
};
const inProduction = (index: number, status: string) => ({
  ...NOTHING,
  environment: 'production',
  snapshot: { index, status },
});
const inFlow = { ...NOTHING, flow: 'web', trail: { name: 'release-271', compliant: null } };

interface Sample {
  readonly content: MessageContent;
  readonly count?: number;
}

const SAMPLES: Readonly<Record<MessageTrigger, Sample>> = {
  ON_STARTED_ARTIFACT: { content: { ...inProduction(42, 'compliant'), artifact: web, names: [web.name] } },
  ON_EXITED_ARTIFACT: {
    content: {
      ...inProduction(42, 'compliant'),
      artifact: { ...web, name: 'registry.example.org/web:2.7.0', provenance: null, fingerprint: 'd'.repeat(64) },
      names: ['registry.example.org/web:2.7.0', 'registry.example.org/cart:1.9', 'registry.example.org/mail:4'],
      artifacts: [
        { name: 'registry.example.org/web:2.7.0', fingerprint: 'd'.repeat(64), compliant: true },
        { name: 'registry.example.org/cart:1.9', fingerprint: 'e'.repeat(64), compliant: true },
        { name: 'registry.example.org/mail:4', fingerprint: 'f'.repeat(64), compliant: true },
      ],
    },
    count: 3,
  },
  ON_SCALED_ARTIFACT: {
    content: { ...inProduction(42, 'compliant'), artifact: web, names: [web.name], why: 'from 2 to 6 instances' },
  },
  ON_ALLOWED_ARTIFACT: {
    content: {
      ...NOTHING,
      environment: 'production',
      artifact: { ...unknown, compliant: true },
      names: [unknown.name],
      why: 'granted by ada: needed to find the cause of an outage',
    },
  },
  ON_NON_COMPLIANT_ENV: {
    content: {
      ...inProduction(43, 'non-compliant'),
      artifact: unknown,
      names: [unknown.name],
      why:
        "registry.example.org/debug:latest: Policy 'prod' requires provenance. " +
        'No flow has reported artifact c3ab8ff13720, so it has no provenance.',
      fix: "Report artifact c3ab8ff13720 to the flow that builds it, or add an exception to provenance in policy 'prod'.",
    },
  },
  ON_COMPLIANT_ENV: { content: { ...inProduction(44, 'compliant'), why: 'again after the latest report' } },
  ON_EXPIRING_EVIDENCE: {
    content: {
      ...NOTHING,
      environment: 'production',
      artifact: web,
      names: [web.name],
      why: "evidence that policy 'prod' requires becomes too old at 2026-11-15 08:00 UTC",
    },
  },
  ON_STARTED_TRAIL: { content: { ...inFlow, names: ['release-271'] } },
  ON_ATTESTED_PROVENANCE: { content: { ...inFlow, artifact: reported, names: [reported.name] } },
  ON_ATTESTATION: {
    content: {
      ...inFlow,
      artifact: reported,
      attestation: {
        id: '019a81c5-0a2b-7c3d-8e4f-60718293a4b5',
        name: 'unit-tests',
        type: 'junit',
        compliant: false,
      },
      names: ['unit-tests'],
      why: '2 of 412 tests failed',
    },
  },
  api_key_expiry: {
    content: {
      ...NOTHING,
      apiKey: {
        id: '019a7000-1234-7abc-8def-0123456789ab',
        description: 'nightly reports',
        owner: 'ci-reporter',
        expiresAt: 1794312000,
        daysLeft: 7,
      },
      names: ['nightly reports'],
    },
  },
  TEST: { content: { ...NOTHING, test: { of: 'notification production-alerts', by: 'ada' } } },
};

/** The message that the page on notifications shows for an event. */
export function sampleOf(trigger: MessageTrigger): Message {
  const { content, count = 1 } = SAMPLES[trigger];
  return {
    id: '019a81c6-2f3e-7d4c-9b5a-6071829304f5',
    org: 'acme',
    trigger,
    sequence: trigger === 'TEST' ? null : 17,
    count,
    timestamp: 1793707200.125,
    content,
  };
}

export const triggers = Object.keys(SAMPLES) as MessageTrigger[];
